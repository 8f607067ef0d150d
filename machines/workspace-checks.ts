import type { AdmissionRefusal } from './admission-types.ts'
import { REFUSALS, type RefusalCode } from './failures.ts'
import { RUNNING_TASKS_MAX, SECOND_MS, START_WINDOW_MS, STARTS_PER_WINDOW_MAX } from './limits.ts'
import type { Ms } from './records.ts'
import type { Candidate, Found, WorkspaceContext } from './workspace-types.ts'

const placesHeld = (running: WorkspaceContext['running']) =>
  Object.values(running).filter((place) => place === 'held' || place === 'charging').length

const placesLeft = ({ running }: WorkspaceContext, { facts }: Candidate) =>
  facts.allowance.freeRemaining === null
    ? Number.POSITIVE_INFINITY
    : facts.allowance.freeRemaining + facts.allowance.creditBalance - placesHeld(running)

/** Stamps from the future were made before the clock was set back: they do not count. */
const window = (startTimes: readonly Ms[], at: Ms) =>
  startTimes.filter((startTime) => startTime <= at && at - startTime < START_WINDOW_MS)

/**
 * [T7–T13] The checks that a workspace decides, each true when the start is to be refused. Their order is the order of
 * the transitions that they guard.
 */
export const checks = {
  /** The allowance would refuse, but a charge was on its way while it was read. */
  allowanceStale: (context: WorkspaceContext, candidate: Candidate): boolean =>
    !candidate.final &&
    placesLeft(context, candidate) - (context.slotVersion - candidate.facts.slotVersion) <= 0 &&
    (context.slotVersion !== candidate.facts.slotVersion || Object.values(context.running).includes('charging')),
  noAllowance: (context: WorkspaceContext, candidate: Candidate): boolean => placesLeft(context, candidate) <= 0,
  rateExceeded: ({ startTimes }: WorkspaceContext, { at }: Candidate): boolean =>
    window(startTimes, at).length >= STARTS_PER_WINDOW_MAX,
  tooManyRunning: ({ running }: WorkspaceContext): boolean => Object.keys(running).length >= RUNNING_TASKS_MAX,
  sessionMissing: (_: WorkspaceContext, { facts }: Candidate): boolean => facts.session === 'missing',
  sessionForeign: (_: WorkspaceContext, { facts }: Candidate): boolean =>
    facts.session !== 'missing' && !facts.session.own,
  sessionAway: (_: WorkspaceContext, { facts }: Candidate): boolean =>
    facts.session !== 'missing' && !facts.session.connected,
  /** Whether everything that it knows could be forgotten. */
  idle: ({ running, startTimes }: Pick<WorkspaceContext, 'running' | 'startTimes'>, at: Ms): boolean =>
    Object.keys(running).length === 0 && window(startTimes, at).length === 0,
  sessionExpired: (_: WorkspaceContext, { facts, at }: Candidate): boolean =>
    facts.session !== 'missing' && facts.session.expiresAt <= at,
}

/** The startTimes once this start is counted. */
export const withStart = ({ startTimes }: WorkspaceContext, at: Ms): readonly Ms[] => [...window(startTimes, at), at]

/** What came back after a restart: it holds these places, and a start time for each of its starts that has none yet. */
export function adopted({ startTimes }: WorkspaceContext, { running, starts }: Found) {
  const kept = [...startTimes]
  const lost = starts.filter((at) => {
    const place = kept.indexOf(at)
    if (place >= 0) kept.splice(place, 1)
    return place < 0
  })
  return { running, startTimes: [...startTimes, ...lost].sort((a, b) => a - b) }
}

/** The refusal of a check as the client reads it. */
export function refusalOf(code: RefusalCode, context: WorkspaceContext, { facts, at }: Candidate): AdmissionRefusal {
  const held = code === 'no_allowance' && (facts.allowance.freeRemaining ?? 0) + facts.allowance.creditBalance > 0
  return {
    code: held ? 'places_held' : code,
    message: held ? REFUSALS.places_held : REFUSALS[code],
    allowance: code === 'no_allowance' ? facts.allowance : null,
    retryAfterSeconds: code === 'rate_limited' ? secondsUntilFree(context, at) : code === 'too_many_running' ? 1 : null,
  }
}

/** Whole seconds until the oldest start time leaves the window, at least one. */
function secondsUntilFree({ startTimes }: WorkspaceContext, at: Ms): number {
  const [oldest] = window(startTimes, at)
  return oldest === undefined ? 1 : Math.max(1, Math.ceil((oldest + START_WINDOW_MS - at) / SECOND_MS))
}
