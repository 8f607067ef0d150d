import { SECOND_MS, START_WINDOW_MS } from './limits.ts'
import { freeBrowser, isProfileBusy, NO_POOLS, type PoolCount, poolCounts, poolRefusal } from './pools.ts'
import type { ProfileUse } from './profiles.ts'
import { isFull, nextStart, type QueuedStart, recoveredQueue } from './queue.ts'
import type { Ms } from './records.ts'
import { type RefusalCode, refusalText } from './texts.ts'
import type {
  AdmissionRefusal,
  Candidate,
  PoolFacts,
  Question,
  SessionFacts,
  Slot,
  WorkspaceContext,
} from './workspace-types.ts'

const slotsReserved = (running: WorkspaceContext['running']) =>
  Object.values(running).filter((slot) => slot === 'held' || slot === 'charging').length

const allowanceLeft = ({ running }: WorkspaceContext, { facts }: Question) =>
  facts.allowance.freeRemaining === null
    ? Number.POSITIVE_INFINITY
    : facts.allowance.freeRemaining + facts.allowance.creditBalance - slotsReserved(running)

/** Start times in the future were taken before the clock was set back: they do not count. */
const window = (startTimes: readonly Ms[], at: Ms) =>
  startTimes.filter((startTime) => startTime <= at && at - startTime < START_WINDOW_MS)

/** Start times that count now or may count again: after a clock was set back, those that are still to come. */
const remembered = (startTimes: readonly Ms[], at: Ms) => startTimes.filter((time) => at - time < START_WINDOW_MS)

/** [Z2] The pool that a start asks for, with its profile; `null`: it names its browser. */
const asked = ({ facts: { session } }: Question): PoolFacts | null =>
  session !== 'missing' && 'pool' in session ? session : null
export const poolOf = (question: Question): string | null => asked(question)?.pool ?? null
export const profileOf = (question: Question): ProfileUse | undefined => asked(question)?.profile
const waitsForProfile = ({ pools, running }: Pick<WorkspaceContext, 'pools' | 'running'>, profile?: ProfileUse) =>
  profile !== undefined && isProfileBusy(pools, running, profile)

/** What is known of the browser that a start names; `null`: it names none, or one that does not exist. */
const named = ({ facts: { session } }: Question): SessionFacts | null =>
  session !== 'missing' && 'own' in session ? session : null

/**
 * [T7–T13, T17] The checks that a workspace decides, each true when the start is to be refused. Their order is the order of
 * the transitions that they guard.
 */
export const checks = {
  /** The allowance would refuse the start, but it was read while a charge was pending. */
  allowanceStale: (context: WorkspaceContext, candidate: Question): boolean =>
    !candidate.final &&
    allowanceLeft(context, candidate) - (context.slotVersion - candidate.facts.slotVersion) <= 0 &&
    (context.slotVersion !== candidate.facts.slotVersion || Object.values(context.running).includes('charging')),
  /** No free task and no credit is left. */
  noAllowance: (context: WorkspaceContext, candidate: Question): boolean => allowanceLeft(context, candidate) <= 0,
  /** As many starts as are allowed were made within a minute. */
  rateExceeded: ({ startTimes, limits }: WorkspaceContext, { at }: Question): boolean =>
    window(startTimes, at).length >= limits.startsPerMinute,
  /** As many tasks run as are allowed. */
  tooManyRunning: ({ running, limits }: WorkspaceContext): boolean =>
    Object.keys(running).length >= limits.runningTasks,
  /** There is no such browser. */
  sessionMissing: (_: WorkspaceContext, { facts }: Question): boolean => facts.session === 'missing',
  /** The browser belongs to another workspace or key. */
  sessionForeign: (_: WorkspaceContext, question: Question): boolean => named(question)?.own === false,
  /** The browser is not connected; of a pool: no browser has a free place, or the profile is in use. */
  sessionAway: (context: WorkspaceContext, question: Question): boolean => {
    const pool = poolOf(question)
    if (pool === null) return named(question)?.connected === false
    return freeBrowser(context.pools, pool) === undefined || waitsForProfile(context, profileOf(question))
  },
  /** The pairing of the browser is over. */
  sessionExpired: (_: WorkspaceContext, question: Question): boolean => {
    const session = named(question)
    return session !== null && session.expiresAt <= question.at
  },
}

/** [Z3] Why a start is refused whose browser is away. */
export function awayCode(context: WorkspaceContext, question: Question): RefusalCode {
  const pool = poolOf(question)
  return pool === null ? 'session_not_connected' : poolRefusal(context.pools, pool)
}

/** The queued start whose turn it is. Those of a pool without a free place, or with a profile in use, let others pass. */
export const nextQueued = (context: Pick<WorkspaceContext, 'queue' | 'pools' | 'running'>): QueuedStart | undefined =>
  nextStart(
    context.queue,
    ({ pool, profile }) =>
      pool === undefined || (freeBrowser(context.pools, pool) !== undefined && !waitsForProfile(context, profile)),
  )

/** [D20] Whether a workspace has no state that has to be kept. */
export const isIdle = (
  { running, startTimes, queue }: Pick<WorkspaceContext, 'running' | 'startTimes' | 'queue'>,
  at: Ms,
): boolean => Object.keys(running).length === 0 && queue.starts.length === 0 && remembered(startTimes, at).length === 0

const waitsForLimit = (context: WorkspaceContext, candidate: Candidate): boolean =>
  candidate.queueing?.onLimit === true &&
  (checks.rateExceeded(context, candidate) ||
    checks.tooManyRunning(context) ||
    // It does not overtake those that wait already.
    nextQueued(context) !== undefined)

/** [T59, T60] What becomes of a start that may wait instead of being refused. */
export const queueing = {
  /** Too many starts within a minute, and it does not want to wait. */
  rateRefuses: (context: WorkspaceContext, candidate: Candidate): boolean =>
    candidate.queueing?.onLimit !== true && checks.rateExceeded(context, candidate),
  /** Too many tasks run, and it does not want to wait. */
  slotsRefuse: (context: WorkspaceContext, candidate: Candidate): boolean =>
    candidate.queueing?.onLimit !== true && checks.tooManyRunning(context),
  /** [Z12] The profile is being saved by a task that has ended: it is free in a moment. */
  profileSaving: (context: WorkspaceContext, candidate: Candidate): boolean => {
    const profile = profileOf(candidate)
    if (candidate.final || candidate.queueing?.onAway === true || profile === undefined) return false
    return waitsForProfile(context, { ...profile, save: false })
  },
  /** The browser is not connected, and it does not want to wait. */
  awayRefuses: (context: WorkspaceContext, candidate: Candidate): boolean =>
    candidate.queueing?.onAway !== true && checks.sessionAway(context, candidate),
  /** It waits in the queue: for its turn, or for its browser. */
  waits: (context: WorkspaceContext, candidate: Candidate): boolean =>
    waitsForLimit(context, candidate) || checks.sessionAway(context, candidate),
  /** It would wait, and the queue is full. */
  queueFull: (context: WorkspaceContext, candidate: Candidate): boolean =>
    isFull(context.queue, context.limits.queuedTasks) && queueing.waits(context, candidate),
}

/** [Z9] */
export const poolsOf = ({ pools, queue }: Pick<WorkspaceContext, 'pools' | 'queue'>): ReadonlyMap<string, PoolCount> =>
  poolCounts(
    pools,
    queue.starts.flatMap(({ pool }) => (pool === undefined ? [] : [pool])),
  )

/** Whether a queued start may be checked: one waits for its turn, and a slot is free. */
export const mayCallNext = (context: WorkspaceContext): boolean =>
  nextQueued(context) !== undefined && !checks.tooManyRunning(context)

/** When the rate allows a start again: when enough of the oldest start times have left the window. */
export function rateFreeAt({ startTimes, limits }: Pick<WorkspaceContext, 'startTimes' | 'limits'>, at: Ms): Ms {
  const last = window(startTimes, at).at(-limits.startsPerMinute)
  return last === undefined ? at : last + START_WINDOW_MS
}

/** [E27] What is left of the limits, for the RateLimit headers. */
export function limitsLeft(
  { startTimes, running, limits }: Pick<WorkspaceContext, 'startTimes' | 'running' | 'limits'>,
  at: Ms,
): { starts: number; resetMs: Ms; slots: number; startsPerMinute: number; runningTasks: number } {
  const times = window(startTimes, at)
  const { startsPerMinute, runningTasks } = limits
  const [oldest = at - START_WINDOW_MS] = times
  return {
    starts: Math.max(0, startsPerMinute - times.length),
    resetMs: Math.max(0, oldest + START_WINDOW_MS - at),
    slots: Math.max(0, runningTasks - Object.keys(running).length),
    startsPerMinute,
    runningTasks,
  }
}

/** The start times with this start. One that waits for the rate limit is counted when it leaves the queue. */
export const withStart = ({ startTimes, limits }: WorkspaceContext, at: Ms): readonly Ms[] =>
  window(startTimes, at).length >= limits.startsPerMinute
    ? startTimes
    : [...remembered(startTimes, at), at].sort((a, b) => a - b)

/** The tasks of a workspace that are restored, and the start times that count against its rate limit. */
export interface Recovered {
  readonly running: Record<string, Slot>
  readonly starts: Ms[]
  /** Tasks that are still queued, oldest first. */
  readonly queued: Omit<QueuedStart, 'round' | 'waitsFor'>[]
  /** [Z2] The browsers in which tasks of pools have their places. */
  readonly places: Record<string, string>
  /** [Z11] The running tasks that will save profiles, by profile. */
  readonly writers: Record<string, string>
}

/** What it knows after a restart: a slot for each running task, and a start time for each start that has none yet. */
export function withRecovered(
  { startTimes, queue }: Pick<WorkspaceContext, 'startTimes' | 'queue'>,
  { running, starts, queued, places, writers }: Recovered,
): Pick<WorkspaceContext, 'startTimes' | 'queue' | 'running' | 'pools'> {
  const kept = [...startTimes]
  const lost = starts.filter((at) => {
    const place = kept.indexOf(at)
    if (place >= 0) kept.splice(place, 1)
    return place < 0
  })
  return {
    running,
    pools: { ...NO_POOLS, places, writers },
    startTimes: [...startTimes, ...lost].sort((a, b) => a - b),
    queue: recoveredQueue(queue, queued),
  }
}

/** The refusal of a check as the client reads it. */
export function refusalOf(code: RefusalCode, context: WorkspaceContext, { facts, at }: Candidate): AdmissionRefusal {
  const held = code === 'no_allowance' && (facts.allowance.freeRemaining ?? 0) + facts.allowance.creditBalance > 0
  return {
    code: held ? 'places_held' : code,
    message: refusalText(held ? 'places_held' : code, context.limits),
    allowance: code === 'no_allowance' ? facts.allowance : null,
    retryAfterSeconds:
      code === 'rate_limited' || code === 'queue_full'
        ? secondsUntilFree(context, at)
        : code === 'too_many_running'
          ? 1
          : null,
  }
}

/** Whole seconds until the oldest start time leaves the window, at least one. */
function secondsUntilFree({ startTimes }: WorkspaceContext, at: Ms): number {
  const [oldest] = window(startTimes, at)
  return oldest === undefined ? 1 : Math.max(1, Math.ceil((oldest + START_WINDOW_MS - at) / SECOND_MS))
}
