import { type Address, parseAddress } from '../../machines/addresses.ts'
import type { Ending, JournalCall, JournalEntry, Ms } from '../../machines/records.ts'
import type { NewLogEvent } from '../../machines/task-log.ts'
import type { TaskContext } from '../../machines/task-types.ts'
import { withoutMarks } from '../conversation/page-content.ts'
import { PROMPT_VERSION } from '../conversation/prompt.ts'
import type { ActorSystem } from '../runtime/actor-system.ts'
import { EVENT_OUTPUT_CHARS_MAX } from './limits.ts'

type Reply = Extract<JournalEntry, { kind: 'reply' }>
type Result = Extract<JournalEntry, { kind: 'result' }>

/** [V2] The events that a task's own transitions emit. */

export function recordReplied(system: ActorSystem, taskId: string, reply: Reply): void {
  const { kind, step, text, model, usage, at, ...kept } = reply
  const event = { type: 'model.replied', at, step, text, model, usage } as const
  system.events.append(taskId, event, { ...kept, promptVersion: PROMPT_VERSION })
}

/** Records the current call. */
export function recordCalled(system: ActorSystem, { taskId, step, at }: TaskContext, call: JournalCall): void {
  const { requestId: call_id, tool, input, parent } = call
  const nested = parent === undefined ? {} : { parent_call_id: parent }
  system.events.append(taskId, { type: 'tool.called', at, step, call_id, tool, input, ...nested })
}

/** `output` is the normalised output of the tool. */
export function recordSettled(system: ActorSystem, taskId: string, result: Result, output: string): void {
  const { kind, step, requestId, tool, failed, durationMs, at, ...kept } = result
  const event = {
    type: 'tool.result',
    at,
    step,
    call_id: requestId,
    tool,
    output: failed ? '' : output.slice(0, EVENT_OUTPUT_CHARS_MAX),
    ...(failed ? { error: withoutMarks(kept.text).slice(0, EVENT_OUTPUT_CHARS_MAX) } : {}),
    duration_ms: durationMs,
    has_screenshot: kept.screenshot !== null,
  } as const
  system.events.append(taskId, event, output === outputIn(kept.text, failed) ? kept : { ...kept, output })
}

/** The output of a tool in what the model reads of its call: there it is but for the notes of the service, mostly. */
export const outputIn = (text: string, failed: boolean): string => (failed ? text : withoutMarks(text))

/** [L25] The answer that a call gave is to be checked before it counts. */
export function recordChecked(system: ActorSystem, taskId: string, result: Result, answer: string): void {
  const { step, requestId, tool, text, at } = result
  system.events.append(taskId, { type: 'answer.checked', at, step, answer }, { requestId, tool, text })
}

export const endedEvent = ({
  status,
  answer,
  output,
  failure,
  endedBy,
  cancelledBy,
  usage,
  completedAt,
}: Ending): NewLogEvent => ({
  type: 'task.ended',
  at: completedAt,
  status,
  answer,
  output: output ? JSON.parse(output) : null,
  success: status === 'complete',
  failure,
  ended_by: endedBy,
  ...(endedBy === 'cancelled' && cancelledBy ? { cancelled_by: cancelledBy } : {}),
  usage,
})

/** How clients see states that are left at once; `null`: not at all. */
const PUBLIC_STATES: Readonly<Record<string, string | null>> = {
  dispatching: null,
  persistingIntent: 'acting',
  serving: 'acting',
  ended: null,
}

/** Called after each transition of a task: logs its state if it has changed for clients. */
export function recordState(system: ActorSystem, address: Address): void {
  const { actorKind, id: taskId } = parseAddress(address)
  const last = actorKind === 'task' ? system.events.lastLogged(taskId) : undefined
  const snapshot = last && system.registry.snapshot(address)
  if (!last || !snapshot) return
  const { step, pausedBy } = snapshot.context as TaskContext
  const leaf = leafOf(snapshot.value)
  const own = PUBLIC_STATES[leaf] === undefined ? leaf : PUBLIC_STATES[leaf]
  if (own === null) return
  // As the task itself is read: a pause counts from its first moment, also while a reply, a call or an answer is awaited.
  const state = pausedBy.length > 0 ? 'paused' : own
  const at = system.ports.clock.now()
  if (state !== last.state) system.events.append(taskId, { type: 'task.state', at, state })
  if (own === 'thinking' && step + 1 > last.step) {
    system.events.append(taskId, { type: 'step.started', at, step: step + 1 })
  }
}

/** Logs that a browser connected or disconnected, for each of its running tasks. */
export function recordBrowser(system: ActorSystem, sessionId: string, isThere: boolean, at: Ms): void {
  for (const taskId of system.events.tasksOf(sessionId)) {
    if (system.events.lastLogged(taskId)?.browserAway !== isThere) continue
    const type = isThere ? 'browser.connected' : 'browser.away'
    system.events.append(taskId, { type, at, browser_session_id: sessionId })
  }
}

/** The innermost state of a machine without parallel regions. */
export function leafOf(value: unknown): string {
  let at = value
  while (typeof at === 'object' && at !== null) at = Object.values(at)[0]
  return String(at)
}
