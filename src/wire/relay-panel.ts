import * as v from 'valibot'
import { domainsOrAll } from './fields.ts'
import { AskedCall } from './inputs.ts'
import { DOMAINS_MAX, MESSAGE_CHARS_MAX, PAGE_SIZE_MAX, REQUEST_ID_CHARS_MAX, TASK_FILES_MAX } from './limits.ts'
import { record } from './record.ts'

/** Protocol 2: frames of the side panel, about the tasks of its own session and what they ask their user. */

const text = v.string()
const requestId = v.pipe(text, v.maxLength(REQUEST_ID_CHARS_MAX))
const absentable = <T extends v.GenericSchema>(schema: T) => v.nullish(schema)

// From the browser

/** A task that its user starts. What is wrong with the fields that anything may stand in is said by `task_error`. */
export const CreateTask = v.object({
  type: v.literal('create_task'),
  requestId: absentable(requestId),
  task: v.optional(v.unknown()),
  url: v.optional(v.unknown()),
  context: v.optional(v.unknown()),
  browserSessionId: v.optional(v.unknown()),
  /** [I5] Which actions need an approval. */
  approvals: absentable(v.picklist(['never', 'irreversible', 'always'])),
  /** [I3] */
  askUser: absentable(v.boolean()),
  /** [F1] */
  allowedDomains: absentable(domainsOrAll(DOMAINS_MAX)),
  /** [I10] An ended task of this session. */
  continueTaskId: absentable(text),
  /** [R58] As in [X1]. */
  secrets: v.optional(v.unknown()),
  /** [R58] Files that this browser has uploaded [U10]. */
  files: absentable(
    v.pipe(
      v.array(
        v.object({ fileId: v.pipe(text, v.uuid('must be the id of an uploaded file')) }),
        'must be a list of files',
      ),
      v.maxLength(TASK_FILES_MAX, `must be at most ${TASK_FILES_MAX}`),
    ),
  ),
})
export type CreateTask = v.InferOutput<typeof CreateTask>

/** Protocol 2: what a side panel asks of the tasks of its own session. Each is answered under its `requestId`. */
const aboutTask = { requestId, taskId: text }
export const ListTasks = v.object({
  type: v.literal('list_tasks'),
  requestId,
  limit: absentable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(PAGE_SIZE_MAX))),
})
/** The user takes the task's tab over, hands it back, or ends the task. */
export const PauseTask = v.object({ type: v.literal('pause_task'), ...aboutTask })
export const ResumeTask = v.object({ type: v.literal('resume_task'), ...aboutTask })
export const CancelTask = v.object({ type: v.literal('cancel_task'), ...aboutTask })
/** [I9] The user's answer to what a task asks; `content` answers a question. */
export const AnswerInput = v.object({
  type: v.literal('answer_input'),
  ...aboutTask,
  inputId: text,
  action: v.picklist(['accept', 'decline', 'cancel']),
  content: absentable(v.pipe(text, v.maxLength(MESSAGE_CHARS_MAX))),
  /** [I13] The approval holds for the rest of the task. */
  for: absentable(v.literal('task')),
})
/** [I1] What the user says to the task. */
export const SendMessage = v.object({
  type: v.literal('send_message'),
  ...aboutTask,
  text: v.pipe(
    text,
    v.check((words) => words.trim() !== '', 'must not be blank'),
    v.maxLength(MESSAGE_CHARS_MAX),
  ),
})
export type ForPanel = v.InferOutput<
  typeof ListTasks | typeof PauseTask | typeof ResumeTask | typeof CancelTask | typeof AnswerInput | typeof SendMessage
>

// To the browser

/** [I4] What a task asks its user; to a browser that has announced `inputs`. */
export const RelayInput = v.object({
  id: text,
  kind: v.picklist(['question', 'approval', 'takeover']),
  message: text,
  schema: v.nullable(record(v.string(), v.unknown())),
  call: v.nullable(AskedCall),
  expiresAt: v.number(),
})
export type RelayInput = v.InferOutput<typeof RelayInput>
export const InputRequested = v.object({
  type: v.literal('input_requested'),
  targetSessionId: text,
  taskId: text,
  request: RelayInput,
})
/** Who answered it: the user in this browser, a client, or the time limit. */
export const InputAnswered = v.object({
  type: v.literal('input_answered'),
  targetSessionId: text,
  taskId: text,
  inputId: text,
  action: v.picklist(['accept', 'decline', 'cancel']),
})

const pausedBy = v.array(v.picklist(['client', 'browser']))
/** [R57] Who holds a task from now on, after a pause or resume by anybody; to a browser that has announced `inputs`. */
export const PauseChanged = v.object({
  type: v.literal('pause_changed'),
  targetSessionId: text,
  taskId: text,
  pausedBy,
})

/** One task of the session, as a panel lists it. Times are milliseconds since the epoch. */
export const ListedTask = v.object({
  taskId: text,
  task: text,
  status: v.picklist(['running', 'complete', 'error']),
  answer: v.nullable(text),
  steps: v.number(),
  paused: v.boolean(),
  /** Who holds it, while it is paused. */
  pausedBy: v.optional(pausedBy),
  createdAt: v.number(),
  completedAt: v.nullable(v.number()),
  input: v.optional(v.nullable(RelayInput)),
})
export type ListedTask = v.InferOutput<typeof ListedTask>
/** Answers `list_tasks`: the session's tasks, newest first. */
export const TaskList = v.object({
  type: v.literal('tasks'),
  targetSessionId: text,
  requestId: text,
  tasks: v.array(ListedTask),
})
/** Answers `send_message`: the task has it. */
export const MessageSent = v.object({ type: v.literal('message_sent'), targetSessionId: text, ...aboutTask })
/** Answer `pause_task` and `resume_task`. A task that is ended is told by its `task_complete`. */
export const TaskPaused = v.object({ type: v.literal('task_paused'), targetSessionId: text, ...aboutTask })
export const TaskResumed = v.object({ type: v.literal('task_resumed'), targetSessionId: text, ...aboutTask })
