import type { JournalEntry, StepRecord } from '../machines/records.ts'
import type { LogEntry } from '../machines/task-log.ts'
import type { TaskContext } from '../machines/task-types.ts'
import { outputIn, recordCalled, recordSettled } from './events/task-events.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { receivesTaskFrames } from './session.ts'

type Result = Extract<JournalEntry, { kind: 'result' }>

/** [R31] Tells the log of the current call, and the browser that follows the task. */
export function recordToolUse(system: ActorSystem, context: TaskContext): void {
  const [call] = context.calls
  if (!call) return
  recordCalled(system, context, call)
  update(system, context, call.tool, call.input, 'tool_use')
}

/** `output` is the normalised output of the tool; the screenshot is kept by the commit that has the result. */
export function recordToolResult(
  system: ActorSystem,
  context: TaskContext,
  result: Result,
  output: string,
  screenshot: string | null,
): void {
  const { taskId, step } = context
  recordSettled(system, taskId, result, output)
  if (screenshot !== null && result.screenshot !== null) {
    const image = Buffer.from(screenshot, 'base64')
    system.snapshotWriter.addImage({ taskId, step, number: result.screenshot, image })
  }
  update(system, context, result.tool, null, result.failed ? 'tool_error' : 'tool_result')
}

function update(system: ActorSystem, context: TaskContext, tool: string, input: unknown, status: string): void {
  const { taskId, sessionId, requestId, step } = context
  if (!receivesTaskFrames(system, sessionId, requestId)) return
  system.ports.outbox.send(sessionId, {
    type: 'task_update',
    ...(requestId === null ? {} : { requestId }),
    taskId,
    step: { tool, input, status },
    steps: step,
  })
}

/**
 * [T38, T40] The step records of a log: `thinking`, then per call `tool_use`, `tool_output` unless it is empty, `screenshot`
 * and `tool_result`; `complete` last.
 */
export const stepsOf = (log: readonly LogEntry[]): StepRecord[] => log.flatMap(recordsOf)

function recordsOf(entry: LogEntry): StepRecord[] {
  const { kind, at: createdAt } = entry
  const none = { toolName: null, toolInput: null, output: null, screenshot: null, durationMs: null, createdAt }
  if (kind === 'model.replied') {
    const { step, text } = entry.public
    const { promptVersion } = entry.private ?? {}
    const prompt = promptVersion === undefined ? {} : { promptVersion }
    return [{ ...none, step, status: 'thinking', output: text === '' ? null : text, ...prompt }]
  }
  if (kind === 'tool.called') {
    const { step, tool: toolName, call_id: callId, input: toolInput } = entry.public
    return [{ ...none, step, status: 'tool_use', toolName, callId, toolInput }]
  }
  if (kind === 'tool.result' && entry.private) {
    const { step, tool: toolName, call_id: callId, error, duration_ms: durationMs } = entry.public
    const { text, screenshot, output = outputIn(text, error !== undefined) } = entry.private
    const ofCall = { ...none, step, toolName, callId, durationMs }
    return [
      ...(output === '' ? [] : [{ ...ofCall, status: 'tool_output' as const, output }]),
      ...(screenshot === null ? [] : [{ ...ofCall, status: 'screenshot' as const, screenshot }]),
      { ...ofCall, status: 'tool_result', output: error === undefined ? null : text },
    ]
  }
  if (kind === 'task.ended' && entry.public.status === 'complete')
    return [{ ...none, step: entry.private?.steps ?? 0, status: 'complete', output: entry.public.answer }]
  return []
}
