import * as v from 'valibot'
import { CALLS_REMEMBERED_MAX } from '../../machines/limits.ts'

/**
 * Every frame of the relay, for the service, the headless browser and the extension alike.
 * Unknown fields are let through and ignored; what is named here is checked.
 */

const text = v.string()
const absentable = <T extends v.GenericSchema>(schema: T) => v.nullish(schema)

/** What a browser remembers of a call that it was asked to run. */
export const RememberedCall = v.object({ requestId: text, state: v.picklist(['running', 'done']) })
export type RememberedCall = v.InferOutput<typeof RememberedCall>

// From the browser

/** [R1] The first frame. `instance` names the browser's memory: another one means that what it remembered is lost. */
export const Register = v.object({
  type: v.literal('register'),
  role: v.literal('extension'),
  session_token: text,
  protocol: v.optional(v.number()),
  calls: v.optional(v.pipe(v.array(RememberedCall), v.maxLength(CALLS_REMEMBERED_MAX))),
  instance: absentable(v.pipe(text, v.maxLength(100))),
})

export const ToolResult = v.object({
  type: v.literal('tool_result'),
  requestId: text,
  result: v.optional(v.unknown()),
  output: v.optional(v.unknown()),
  error: v.optional(v.unknown()),
  screenshot: absentable(text),
  tabContext: absentable(
    v.object({
      tabId: absentable(v.number()),
      windowId: absentable(v.number()),
      browserSessionId: absentable(text),
    }),
  ),
})

export const CreateTask = v.object({
  type: v.literal('create_task'),
  requestId: absentable(text),
  task: v.optional(v.unknown()),
  url: v.optional(v.unknown()),
  context: v.optional(v.unknown()),
  browserSessionId: v.optional(v.unknown()),
})

export const LlmRequest = v.object({
  type: v.literal('llm_request'),
  requestId: text,
  messages: v.optional(v.unknown()),
  maxTokens: absentable(v.number()),
  sessionId: absentable(text),
})

export const Ping = v.object({ type: v.literal('ping') })
export const Pong = v.object({ type: v.literal('pong') })

export const FromBrowser = v.variant('type', [ToolResult, CreateTask, LlmRequest, Ping, Pong])
export type FromBrowser = v.InferOutput<typeof FromBrowser>
export type Register = v.InferOutput<typeof Register>
export type ToolResult = v.InferOutput<typeof ToolResult>
export type CreateTask = v.InferOutput<typeof CreateTask>
export type LlmRequest = v.InferOutput<typeof LlmRequest>

// To the browser. `targetSessionId` is the routing key on all but the handshake and pings.

export const Registered = v.object({
  type: v.literal('registered'),
  browserSessionId: text,
  clientId: text,
  protocol: v.number(),
})
export const HandshakeError = v.object({ type: v.literal('error'), error: text })
export const ExecuteTool = v.object({
  type: v.literal('mcp_execute_tool'),
  targetSessionId: text,
  requestId: text,
  browserSessionId: text,
  taskId: text,
  tool: text,
  input: v.record(v.string(), v.unknown()),
})
export const LlmResponse = v.object({
  type: v.literal('llm_response'),
  targetSessionId: text,
  requestId: text,
  content: v.optional(v.array(v.object({ type: v.literal('text'), text }))),
  error: v.optional(text),
})
export const TaskStarted = v.object({
  type: v.literal('task_started'),
  targetSessionId: text,
  requestId: absentable(text),
  taskId: text,
  /** The task's words, so that a panel or a tab group can name it (protocol 2). */
  task: v.optional(text),
})
export const TaskUpdate = v.object({
  type: v.literal('task_update'),
  targetSessionId: text,
  requestId: absentable(text),
  taskId: text,
  step: v.object({ tool: v.nullable(text), input: v.unknown(), status: text }),
  steps: v.number(),
})
export const TaskComplete = v.object({
  type: v.literal('task_complete'),
  targetSessionId: text,
  requestId: absentable(text),
  taskId: text,
  answer: v.nullable(text),
  status: v.picklist(['complete', 'error']),
})
export const TaskError = v.object({
  type: v.literal('task_error'),
  targetSessionId: text,
  requestId: absentable(text),
  taskId: v.optional(text),
  error: text,
})

export const ToBrowser = v.variant('type', [
  Registered,
  HandshakeError,
  ExecuteTool,
  LlmResponse,
  TaskStarted,
  TaskUpdate,
  TaskComplete,
  TaskError,
  Ping,
  Pong,
])
export type ToBrowser = v.InferOutput<typeof ToBrowser>
export type ExecuteTool = v.InferOutput<typeof ExecuteTool>

/** Why the service closes a relay socket. */
export const CLOSE = {
  goingAway: 1001,
  unsupported: 1003,
  tooBig: 1009,
  badFrames: 4400,
  invalidToken: 4401,
  noRegister: 4402,
  revoked: 4403,
  silent: 4408,
  replaced: 4409,
  tooMany: 4429,
} as const
