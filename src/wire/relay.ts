import * as v from 'valibot'
import { ActReport, Guard } from './acts.ts'
import { Held } from './held.ts'
import {
  ANNOUNCED_TOOLS_MAX,
  CALLS_REMEMBERED_MAX,
  FINGERPRINT_CHARS_MAX,
  LOCALE_CHARS_MAX,
  REQUEST_ID_CHARS_MAX,
  TASKS_NAMED_MAX,
  TOOL_NAME_CHARS_MAX,
  URL_CHARS_MAX,
} from './limits.ts'
import { record } from './record.ts'
import { LiveFrame, LiveInputs, LiveStart, LiveStop, PictureFrame } from './relay-live.ts'
import {
  AnswerInput,
  CancelTask,
  CreateTask,
  InputAnswered,
  InputRequested,
  ListTasks,
  MessageSent,
  PauseChanged,
  PauseTask,
  ResumeTask,
  SendMessage,
  TaskList,
  TaskPaused,
  TaskResumed,
} from './relay-panel.ts'
import { BROWSER_TOOLS } from './tools.ts'

/**
 * Every frame of the relay, for the service, the headless browser and the extension alike.
 * Unknown fields are let through and ignored; what is named here is checked.
 */

const text = v.string()

/** [Z8] */
export const ContextOptions = v.object({
  viewport: v.optional(v.object({ width: v.number(), height: v.number() })),
  locale: v.optional(text),
  timeZone: v.optional(text),
  geolocation: v.optional(v.object({ latitude: v.number(), longitude: v.number(), accuracy: v.optional(v.number()) })),
  permissions: v.optional(v.array(text)),
  touch: v.optional(v.boolean()),
})
const requestId = v.pipe(text, v.maxLength(REQUEST_ID_CHARS_MAX))
const absentable = <T extends v.GenericSchema>(schema: T) => v.nullish(schema)

/** What a browser remembers of a call that it was asked to run. */
export const RememberedCall = v.object({ requestId: text, state: v.picklist(['running', 'done']) })
export type RememberedCall = v.InferOutput<typeof RememberedCall>

// From the browser

/** [R1] The first frame. `instance` names the browser's memory: another one means that what it remembered is lost. */
const isLocale = (value: string) => accepted(() => Intl.getCanonicalLocales(value))
const isTimeZone = (value: string) => accepted(() => new Intl.DateTimeFormat('en', { timeZone: value }))
function accepted(use: () => unknown): boolean {
  try {
    use()
    return true
  } catch {
    return false
  }
}

export const Register = v.object({
  type: v.literal('register'),
  role: v.literal('extension'),
  session_token: text,
  protocol: v.optional(v.number()),
  calls: v.optional(v.pipe(v.array(RememberedCall), v.maxLength(CALLS_REMEMBERED_MAX))),
  instance: absentable(v.pipe(text, v.maxLength(100))),
  /** Protocol 2: tools that this browser has beside the seven. */
  tools: absentable(v.pipe(v.array(v.pipe(text, v.maxLength(TOOL_NAME_CHARS_MAX))), v.maxLength(ANNOUNCED_TOOLS_MAX))),
  /** [Z5] The tasks that it has been asked to work on, of which it has not been told that they are over. */
  tasks: absentable(v.pipe(v.array(text), v.maxLength(TASKS_NAMED_MAX))),
  /** [R51] The browser's language and time zone. What is not one counts as left out. */
  locale: v.fallback(absentable(v.pipe(text, v.maxLength(LOCALE_CHARS_MAX), v.check(isLocale))), null),
  time_zone: v.fallback(absentable(v.pipe(text, v.maxLength(LOCALE_CHARS_MAX), v.check(isTimeZone))), null),
})

export const ToolResult = v.object({
  type: v.literal('tool_result'),
  requestId,
  result: v.optional(v.unknown()),
  output: v.optional(v.unknown()),
  error: v.optional(v.unknown()),
  /** Protocol 2: the tool's own sentences, and the words of the page (untrusted; beside an error, too). `result` is both. */
  said: absentable(text),
  content: absentable(text),
  /** Protocol 2: names what the page is and holds after the call. The same one: nothing changed. */
  fingerprint: absentable(v.pipe(text, v.maxLength(FINGERPRINT_CHARS_MAX))),
  /** Protocol 2: what the calls behind it in the same reply could not know of; the service does not run them. */
  halts: absentable(v.picklist(['navigation', 'dialog'])),
  /** Protocol 2: the address of the page, as the model saw it last. What is too long counts as left out. */
  url: v.fallback(absentable(v.pipe(text, v.maxLength(URL_CHARS_MAX))), null),
  /** [J2] Protocol 2: of a call with a `guard`, what was acted on. */
  act: absentable(ActReport),
  /** [I5] Protocol 2: in the place of a result, what is held until the user approves it. */
  held: absentable(Held),
  /** Protocol 2: what the call cost the browser's own process, for metrics. Anything else than that counts as left out. */
  load: v.fallback(
    absentable(
      v.object({
        tool: v.picklist(BROWSER_TOOLS.map(({ name }) => name)),
        cpuMs: v.nullable(v.pipe(v.number(), v.minValue(0))),
        blockedMs: v.pipe(v.number(), v.minValue(0)),
      }),
    ),
    null,
  ),
  screenshot: absentable(text),
  tabContext: absentable(
    v.object({
      tabId: absentable(v.number()),
      windowId: absentable(v.number()),
      browserSessionId: absentable(text),
    }),
  ),
})

export const LlmRequest = v.object({
  type: v.literal('llm_request'),
  requestId,
  messages: v.optional(v.unknown()),
  maxTokens: absentable(v.number()),
  sessionId: absentable(text),
})

export const Ping = v.object({ type: v.literal('ping') })
export const Pong = v.object({ type: v.literal('pong') })

export const FromBrowser = v.variant('type', [
  ToolResult,
  CreateTask,
  LlmRequest,
  ListTasks,
  PauseTask,
  ResumeTask,
  CancelTask,
  AnswerInput,
  SendMessage,
  LiveFrame,
  PictureFrame,
  Ping,
  Pong,
])
export type FromBrowser = v.InferOutput<typeof FromBrowser>
export type Register = v.InferOutput<typeof Register>
export type ToolResult = v.InferOutput<typeof ToolResult>
export type BrowserLoad = NonNullable<ToolResult['load']>
export type LlmRequest = v.InferOutput<typeof LlmRequest>

// To the browser. `targetSessionId` is the routing key on all but the handshake and pings.

export const Registered = v.object({
  type: v.literal('registered'),
  browserSessionId: text,
  clientId: text,
  protocol: v.number(),
  /** The workspace's name, for a person to read (protocol 2). */
  workspace: v.optional(text),
  /** What it takes beside the frames of the protocol: `pictures` (protocol 2). */
  takes: v.optional(v.array(text)),
})
/** A token that is not taken, or what is wrong with a frame: then with the frame's `requestId` when it had one. */
export const HandshakeError = v.object({ type: v.literal('error'), error: text, requestId: absentable(text) })
export const ExecuteTool = v.object({
  type: v.literal('mcp_execute_tool'),
  targetSessionId: text,
  requestId: text,
  browserSessionId: text,
  taskId: text,
  tool: text,
  input: record(v.string(), v.unknown()),
  /** [F3] To a browser that has announced `allowed_domains`: the task is kept within these. */
  allowedDomains: v.optional(v.array(text)),
  /** [Z8] To a browser that has announced `contexts`: how the task's context of its own is. */
  context: v.optional(ContextOptions),
  /** [Z11] To a browser that has announced `profiles`: the task's context begins with what is read at BROWSER_PROFILES_PATH. */
  profile: v.optional(v.literal(true)),
  /** [X3] To a browser that has announced `secrets`: the values of those that the input names. */
  secrets: v.optional(v.array(v.object({ name: text, value: text, domains: v.array(text) }))),
  /** [I10] Of a task that continues another, until its first result: where its first tab begins. */
  startsAt: v.optional(text),
  /** [I5] Of a task with `approvals`, to a browser that has announced `holds`: what it holds, and what may pass. */
  approvals: v.optional(v.picklist(['irreversible', 'always'])),
  allowedShapes: v.optional(v.array(text)),
  /** [I5] The model says that this call cannot be undone. */
  intent: v.optional(v.literal('irreversible')),
  /** [J2] To a browser that has announced `targets`: it tells what it acts on, and [J7] heeds what a recipe expects. */
  guard: v.optional(Guard),
  /** [O7] Where the service traces: the span of this call, as W3C Trace Context names it. */
  traceparent: v.optional(text),
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
  /** [L33] */
  success: v.optional(v.boolean()),
  output: v.optional(v.nullable(record(v.string(), v.unknown()))),
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
  TaskList,
  TaskPaused,
  TaskResumed,
  PauseChanged,
  InputRequested,
  InputAnswered,
  MessageSent,
  LiveStart,
  LiveStop,
  LiveInputs,
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
  tryAgain: 1013,
  badFrames: 4400,
  invalidToken: 4401,
  noRegister: 4402,
  revoked: 4403,
  silent: 4408,
  replaced: 4409,
  tooMany: 4429,
} as const
