import { stepsMax, warningOf } from './budget.ts'
import {
  CYCLES_NOTED,
  CYCLES_REFUSED,
  FAILURES_NOTED,
  PROGRESS_WINDOW_ACTIONS,
  SAME_CALL_REFUSED,
  SAME_CALL_WARNED,
  STEPS_NOTED_PERCENT,
  STILL_MS_MAX,
} from './limits.ts'
import type { CallOutcome, JournalCall, Ms } from './records.ts'
import type { TaskContext } from './task-types.ts'
import { TO_MODEL } from './texts.ts'

/** One action: what was asked for, and what the page was and held afterwards. */
interface Action {
  readonly call: string
  readonly state: string
  /** Since when this action has left the page like this again and again. */
  readonly since?: Ms
  /** It only waited, or looked; absent: it acted. */
  readonly kind?: 'wait' | 'look'
}

/**
 * [L9][L10] The last actions of a task, oldest first. The same action that leaves the page in the same state is no
 * progress, nor is a cycle of such actions; a stepper or a list that scrolls goes on as long as something changes.
 */
export type Progress = readonly Action[]

export const NO_ACTIONS: Progress = []

type Asked = Pick<JournalCall, 'tool' | 'input'>

const nameOf = (call: Asked) => fingerprint(JSON.stringify([call.tool, call.input]))

/** The page's own fingerprint where the browser gives one, else what the result says: pictures count by their size. */
function stateAfter(outcome: CallOutcome): string {
  if ('fingerprint' in outcome && outcome.fingerprint !== undefined) return fingerprint(outcome.fingerprint)
  return outcome.status === 'done'
    ? fingerprint(`done ${JSON.stringify(outcome.output)} ${outcome.screenshot?.length ?? 0}`)
    : fingerprint(JSON.stringify(outcome))
}

function kindOf(call: Asked): Pick<Action, 'kind'> {
  if (isWait(call)) return { kind: 'wait' }
  return isLook(call) ? { kind: 'look' } : {}
}

/** The actions with one more, which was over at `at`. */
export function withAction(progress: Progress, call: Asked, outcome: CallOutcome, at: Ms): Progress {
  const action = { call: nameOf(call), state: stateAfter(outcome), ...kindOf(call) }
  const before = progress.findLast((other) => same(other, action))
  return [...progress.slice(1 - PROGRESS_WINDOW_ACTIONS), { ...action, since: before?.since ?? at }]
}

/** Whether the model is to be told now that it makes no progress: once for each repetition. */
export function isNoted(progress: Progress): boolean {
  const cycle = cycleOf(progress)
  if (!cycle) return false
  const rounds = cycle.period === 1 ? SAME_CALL_WARNED : CYCLES_NOTED
  return cycle.length === rounds * cycle.period
}

/** Nothing else makes a call fail as `aborted`. */
const isNotApproved = (outcome: CallOutcome) => outcome.status === 'failed' && outcome.category === 'aborted'

/**
 * [L40] How many calls have failed one after the other, whatever was asked. A wait in between is no success, and what was
 * not approved is neither: the model did not fail.
 */
export function failuresWith(failures: number, call: Asked, outcome: CallOutcome): number {
  if (isNotApproved(outcome)) return failures
  if (outcome.status !== 'done') return failures + 1
  return isWait(call) ? failures : 0
}

/**
 * Whether the next call only goes on with what made no progress: then it is not executed, and the task ends. [L40] Who
 * waits for something repeats himself, so that is limited by time.
 */
export function isRefused(progress: Progress, next: Asked, at: Ms): boolean {
  const cycle = cycleOf(progress)
  if (!cycle || progress.at(-cycle.period)?.call !== nameOf(next)) return false
  const round = progress.slice(-cycle.period)
  const isWaiting = round.some(({ kind }) => kind === 'wait') || round.every(({ kind }) => kind === 'look')
  if (isWaiting) return at - (round[0]?.since ?? at) >= STILL_MS_MAX
  // A long cycle fills the window before it has come round eight times.
  const rounds =
    cycle.period === 1
      ? SAME_CALL_REFUSED - 1
      : Math.min(CYCLES_REFUSED, Math.floor(PROGRESS_WINDOW_ACTIONS / cycle.period))
  return cycle.length >= rounds * cycle.period
}

/** Longer ones do not come round often enough within the window to be noted and, later, refused. */
const PERIOD_MAX = Math.floor(PROGRESS_WINDOW_ACTIONS / (CYCLES_NOTED + 1))

/** The shortest period with which the last actions repeat, and how many of them do. */
function cycleOf(progress: Progress): { period: number; length: number } | null {
  for (let period = 1; period <= PERIOD_MAX; period++) {
    let length = period
    for (let at = progress.length - 1; at >= period && same(progress[at], progress[at - period]); at--) length++
    if (length >= 2 * period) return { period, length }
  }
  return null
}

const same = (a: Action | undefined, b: Action | undefined): boolean => a?.call === b?.call && a?.state === b?.state

const LOOKING_TOOLS = new Set(['read_page', 'get_page_text', 'find'])
const LOOKING_ACTIONS = new Set(['screenshot', 'zoom', 'list', 'read'])

/** [L40] Waiting and looking change nothing, so doing it again is not a failure. */
const isWait = ({ tool, input }: Asked): boolean => tool === 'computer' && input.action === 'wait'
const isLook = ({ tool, input }: Asked): boolean =>
  LOOKING_TOOLS.has(tool) || (['computer', 'tabs', 'files'].includes(tool) && LOOKING_ACTIONS.has(String(input.action)))

/** Fields that name a place on the page as it was seen. */
const PLACES = ['ref', 'to_ref', 'coordinate', 'start_coordinate', 'region']

/**
 * [L24] Whether the call counts on the page that the model has seen: it names a place there, presses keys, or runs a
 * script. `finish` counts on it, too: the model says what it has seen.
 */
export const dependsOnPage = (call: Asked): boolean =>
  PLACES.some((name) => call.input[name] !== undefined) ||
  !(isLook(call) || isWait(call) || call.tool === 'navigate' || call.tool === 'tabs')

/** A short name for a text, equal for equal texts: 64 bits of two independent FNV-1a sums. Not for secrets. */
function fingerprint(text: string): string {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ (unit + 0x9e37), 0x85ebca6b)
  }
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}.${text.length.toString(36)}`
}

/** [L9, L22, L26, L40] The note that the model reads after a result: that it makes no progress, or that few steps are left. */
export function noteFor(context: TaskContext): string | null {
  const { progress, failures, step, calls, warnedAt } = context
  if (calls[0]?.parent) return null
  const isLast = calls.length === 1
  const left = stepsMax(context) - step
  const isStepNoted = step === Math.ceil((stepsMax(context) * STEPS_NOTED_PERCENT) / 100) && left > 0
  const isCostNoted = step === warnedAt && warningOf(context)?.budget !== 'max_steps'
  const notes = [
    isNoted(progress) ? TO_MODEL.noProgress : '',
    failures === FAILURES_NOTED ? TO_MODEL.failing : '',
    isStepNoted && isLast ? TO_MODEL.stepsLeft(left) : '',
    isCostNoted && isLast ? TO_MODEL.budgetWarned : '',
  ]
  return notes.filter(Boolean).join('\n\n') || null
}
