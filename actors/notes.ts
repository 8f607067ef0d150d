import type { JournalEntry, Ms, ScreenshotRecord, StepRecord } from '../machines/records.ts'
import type { TaskContext } from '../machines/task-context.ts'
import { PROMPT_VERSION } from './prompt.ts'
import { seqOf } from './recorder.ts'
import { follows } from './session.ts'
import type { World } from './world.ts'

type Reply = Extract<JournalEntry, { kind: 'reply' }>
type Result = Extract<JournalEntry, { kind: 'result' }>

/**
 * What is noted of a task while it runs: step records, best effort, in the order `thinking`, then per call
 * `tool_use`, `tool_output`, `screenshot`, `tool_result`; and `task_update` frames to the browser that follows it.
 */

export function noteReply(world: World, taskId: string, { step, text, at }: Reply): void {
  const output = text === '' ? null : text
  const said = { toolName: null, toolInput: null, output, screenshot: null, durationMs: null }
  const status = 'thinking'
  const promptVersion = PROMPT_VERSION
  world.recorder.record({ taskId, seq: seqOf(step, status), step, status, ...said, promptVersion, createdAt: at })
}

export function noteToolUse(world: World, context: TaskContext): void {
  const [call] = context.calls
  if (!call) return
  const place = placeOf(world, context, call.requestId, call.tool, context.at)
  record(world, place, 'tool_use', { toolInput: call.input })
  update(world, context, call.tool, call.input, 'tool_use')
}

/** `output` is the normalised output of the tool: nothing is recorded of an empty one. */
export function noteToolResult(
  world: World,
  context: TaskContext,
  result: Result,
  output: string,
  screenshot: string | null,
): void {
  const { taskId, step } = context
  const { durationMs } = result
  const place = placeOf(world, context, result.requestId, result.tool, result.at)
  if (output !== '') record(world, place, 'tool_output', { output, durationMs })
  if (screenshot !== null && result.screenshot !== null) {
    const image = { taskId, step, number: result.screenshot, image: Buffer.from(screenshot, 'base64') }
    record(world, place, 'screenshot', { screenshot: result.screenshot, durationMs }, image)
  }
  record(world, place, 'tool_result', { output: result.failed ? result.text : null, durationMs })
  update(world, context, result.tool, null, result.failed ? 'tool_error' : 'tool_result')
}

/** Where the records of one call stand in their task, and when they are made. */
interface Place {
  readonly taskId: string
  readonly step: number
  readonly call: number
  readonly toolName: string
  readonly at: Ms
}

function placeOf(world: World, { taskId, step }: TaskContext, requestId: string, toolName: string, at: Ms): Place {
  const conversation = world.conversations.of(taskId)
  const calls = conversation instanceof Promise ? [] : (conversation.replyOf(step)?.calls ?? [])
  return { taskId, step, call: calls.findIndex((call) => call.requestId === requestId), toolName, at }
}

/** What a record of a call says beside its place. */
type Said = Partial<Pick<StepRecord, 'toolInput' | 'output' | 'screenshot' | 'durationMs'>>

function record(
  world: World,
  { taskId, step, call, toolName, at }: Place,
  status: StepRecord['status'],
  { toolInput = null, output = null, screenshot = null, durationMs = null }: Said,
  image: ScreenshotRecord | null = null,
): void {
  const seq = seqOf(step, status, call)
  const said = { toolName, toolInput, output, screenshot, durationMs }
  world.recorder.record({ taskId, seq, step, status, ...said, createdAt: at }, image)
}

function update(world: World, context: TaskContext, tool: string, input: unknown, status: string): void {
  const { taskId, sessionId, requestId, step } = context
  if (!follows(world, sessionId, requestId)) return
  world.ports.outbox.send(sessionId, {
    type: 'task_update',
    ...(requestId === null ? {} : { requestId }),
    taskId,
    step: { tool, input, status },
    steps: step,
  })
}
