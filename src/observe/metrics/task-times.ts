import type { SnapshotFrom } from 'xstate'
import { leafOf } from '../../../actors/events/task-events.ts'
import type { Inspection, Viewer } from '../../../actors/inspection/inspection.ts'
import { parseAddress } from '../../../machines/addresses.ts'
import type { ClosingEvent } from '../../../machines/closing.ts'
import type { taskMachine } from '../../../machines/task.ts'
import type { TaskEvent } from '../../../machines/task-types.ts'
import type { Usage } from '../../../machines/usage.ts'

export type Task = SnapshotFrom<typeof taskMachine>
/** What it does now: the innermost state. */
export const stateOf = ({ value }: Task): string => leafOf(value)

/** Measurements of tasks; times in seconds. */
export interface TaskTimes {
  stepTook(seconds: number): void
  modelTook(outcome: 'reply' | 'failure', seconds: number): void
  toolTook(tool: string, seconds: number): void
  /** A step of an ending was refused by the store. */
  endingFailed(): void
  spent(model: string | null, usage: Usage): void
}

/** What a task was seen doing last. */
interface Seen {
  readonly state: string
  readonly since: number
  readonly stepSince: number | null
  readonly tool: string
  readonly usage: Usage
}

const difference = (now: Usage, before: Usage): Usage => ({
  inputTokens: now.inputTokens - before.inputTokens,
  outputTokens: now.outputTokens - before.outputTokens,
  cachedTokens: (now.cachedTokens ?? 0) - (before.cachedTokens ?? 0),
  cacheWriteTokens: (now.cacheWriteTokens ?? 0) - (before.cacheWriteTokens ?? 0),
  apiCalls: now.apiCalls - before.apiCalls,
})

const STORE_FAILED: ClosingEvent['type'] = 'store.failed'
const REPLIES: ReadonlySet<string> = new Set<TaskEvent['type']>(['model.requestedTools', 'model.answered'])

/** Times the steps, model calls and tool calls of every task, by how long it stays in which state. */
export function watchTasks(inspection: Inspection, times: TaskTimes): void {
  const seen = new Map<string, Seen>()
  const moved: Viewer['moved'] = (address, { type }, snapshot) => {
    const { actorKind } = parseAddress(address)
    if (actorKind === 'closing' && type === STORE_FAILED) times.endingFailed()
    if (actorKind !== 'task') return
    const task = snapshot as Task
    const state = stateOf(task)
    // A task that comes back was counted until then by the process that ran it: from its row it may have used less.
    if (type === 'xstate.init') seen.delete(address)
    const before = seen.get(address)
    if (before?.state === state) return
    const { usage, model } = task.context
    if (before && before.usage !== usage) times.spent(model, difference(usage, before.usage))
    const now = performance.now()
    if (before?.state === 'thinking') {
      const outcome = REPLIES.has(type) ? 'reply' : 'failure'
      times.modelTook(outcome, (now - before.since) / 1_000)
    } else if (before?.state === 'acting') {
      times.toolTook(before.tool, (now - before.since) / 1_000)
    }
    if (state === 'ended') {
      seen.delete(address)
      return
    }
    const begins = state === 'thinking' && before?.state !== 'backingOff'
    if (begins && before?.stepSince != null) times.stepTook((now - before.stepSince) / 1_000)
    const tool = state === 'acting' ? (task.context.calls[0]?.tool ?? '') : ''
    seen.set(address, { state, since: now, stepSince: begins ? now : (before?.stepSince ?? null), tool, usage })
  }
  inspection.follow({ moved, gone: (address) => void seen.delete(address) })
}
