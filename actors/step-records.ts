import type { JournalEntry, Ms, ScreenshotRecord, StepRecord } from '../machines/records.ts'
import type { TaskContext } from '../machines/task-types.ts'
import { PROMPT_VERSION } from './conversation/prompt.ts'
import { recordCalled, recordReplied, recordSettled } from './events/task-events.ts'
import { seqOf } from './recorder.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { receivesTaskFrames } from './session.ts'

type Reply = Extract<JournalEntry, { kind: 'reply' }>
type Result = Extract<JournalEntry, { kind: 'result' }>

/**
 * [T38, T40, R31] What is recorded of a task while it runs: step records, best effort, in the order `thinking`, then per call
 * `tool_use`, `tool_output`, `screenshot`, `tool_result`; events; and `task_update` frames to the browser that follows it.
 */

export function recordThinking(system: ActorSystem, taskId: string, reply: Reply): void {
  recordReplied(system, taskId, reply)
  const { step, text, at } = reply
  const output = text === '' ? null : text
  const said = { toolName: null, toolInput: null, output, screenshot: null, durationMs: null }
  const status = 'thinking'
  const promptVersion = PROMPT_VERSION
  system.recorder.record({ taskId, seq: seqOf(step, status), step, status, ...said, promptVersion, createdAt: at })
}

export function recordToolUse(system: ActorSystem, context: TaskContext): void {
  const [call] = context.calls
  if (!call) return
  recordCalled(system, context, call)
  const place = placeOf(system, context, call.requestId, call.tool, context.at)
  record(system, place, 'tool_use', { toolInput: call.input })
  update(system, context, call.tool, call.input, 'tool_use')
}

/** `output` is the normalised output of the tool: nothing is recorded of an empty one. */
export function recordToolResult(
  system: ActorSystem,
  context: TaskContext,
  result: Result,
  output: string,
  screenshot: string | null,
): void {
  const { taskId, step } = context
  recordSettled(system, taskId, result, output)
  const { durationMs } = result
  const place = placeOf(system, context, result.requestId, result.tool, result.at)
  if (output !== '') record(system, place, 'tool_output', { output, durationMs })
  if (screenshot !== null && result.screenshot !== null) {
    const image = { taskId, step, number: result.screenshot, image: Buffer.from(screenshot, 'base64') }
    record(system, place, 'screenshot', { screenshot: result.screenshot, durationMs }, image)
  }
  record(system, place, 'tool_result', { output: result.failed ? result.text : null, durationMs })
  update(system, context, result.tool, null, result.failed ? 'tool_error' : 'tool_result')
}

/** Which call the records belong to, and when they are created. */
interface Place {
  readonly taskId: string
  readonly step: number
  readonly call: number
  readonly toolName: string
  readonly callId: string
  readonly at: Ms
}

function placeOf(
  system: ActorSystem,
  { taskId, step }: TaskContext,
  requestId: string,
  toolName: string,
  at: Ms,
): Place {
  const conversation = system.conversations.of(taskId)
  const calls = conversation instanceof Promise ? [] : (conversation.replyOf(step)?.calls ?? [])
  return {
    taskId,
    step,
    call: calls.findIndex((call) => call.requestId === requestId),
    toolName,
    callId: requestId,
    at,
  }
}

/** The content of a record of a call. */
type Said = Partial<Pick<StepRecord, 'toolInput' | 'output' | 'screenshot' | 'durationMs'>>

function record(
  system: ActorSystem,
  { taskId, step, call, toolName, callId, at }: Place,
  status: StepRecord['status'],
  { toolInput = null, output = null, screenshot = null, durationMs = null }: Said,
  image: ScreenshotRecord | null = null,
): void {
  const seq = seqOf(step, status, call)
  const said = { toolName, toolInput, output, screenshot, durationMs }
  system.recorder.record({ taskId, seq, step, status, ...said, callId, createdAt: at }, image)
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
