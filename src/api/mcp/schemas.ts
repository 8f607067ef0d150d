import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { STEPS_MAX } from '../../../machines/limits.ts'
import { InputRequest } from '../../wire/inputs.ts'
import { TASK_TOKENS_MAX } from '../../wire/limits.ts'
import { nearestName } from '../../wire/nearest.ts'
import { FIELD_NAME_CHARS_SHOWN } from '../../wire/unknown-fields.ts'

/** What the tools take and give, as Standard Schema with its JSON Schema. */

const text = (description: string) => v.pipe(v.string(), v.nonEmpty(), v.description(description))
const described = <const Schema extends v.GenericSchema>(of: Schema, description: string) =>
  v.pipe(of, v.description(description))
const taskId = text('The id of the task.')
const optional = <const Schema extends v.GenericSchema>(schema: Schema) => v.optional(schema)
const whole = (min: number, max: number, description: string) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max), v.description(description))
const schema = <const Entries extends v.ObjectEntries>(entries: Entries) => toStandardJsonSchema(v.object(entries))
/** [Y17] What a tool takes. A field that it does not know is refused: a misspelt limit would start a task without one. */
const strict = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  v.strictObject(entries, ({ expected, input, message }) => {
    if (expected !== 'never') return message
    const meant = nearestName(String(input), Object.keys(entries))
    return `Unknown field: ${String(input).slice(0, FIELD_NAME_CHARS_SHOWN)}.${meant === null ? '' : ` Did you mean ${meant}?`}`
  })
const inputSchema = <const Entries extends v.ObjectEntries>(entries: Entries) => toStandardJsonSchema(strict(entries))

const task = {
  task_id: v.pipe(v.string(), v.description('The id of the task.')),
  status: v.pipe(
    v.picklist(['running', 'complete', 'error']),
    v.description('`complete` when it was done; `error` when it failed, was cancelled or ran out of time.'),
  ),
  state: v.pipe(v.string(), v.description('What the task does now; `closed` once it has ended.')),
  answer: described(v.nullable(v.string()), 'What came of it, in words; null while it runs.'),
  output: described(v.unknown(), 'The data that fits output_schema; null without one, and while it runs.'),
  ended_by: described(
    v.nullable(v.string()),
    'What ended it, such as completed, cancelled or deadline; null while it runs.',
  ),
  steps: described(v.number(), 'How many steps it has made.'),
  recipe: described(
    v.unknown(),
    'How a recipe was used: how many steps were played, and where it deviated; null without one.',
  ),
  input_request: v.pipe(v.nullable(InputRequest), v.description('What the task asks its user now.')),
  next: v.pipe(v.string(), v.description('How to go on.')),
}

export const RUN_TASK = inputSchema({
  task: text('What is to be done, in plain language, with everything that the browser’s model has to know.'),
  url: optional(text('The page to open first.')),
  browser_session_id: optional(text('The browser; when it is left out, the one that connected last.')),
  pool: optional(text('A pool of browsers that takes the place of browser_session_id.')),
  context: optional(text('What the model should know beside the task.')),
  output_schema: optional(
    v.pipe(
      v.record(v.string(), v.unknown()),
      v.description('JSON Schema of an object: the task answers with such data.'),
    ),
  ),
  inputs: optional(
    v.pipe(
      v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
      v.description('Values for {{name}} in task, url and context.'),
    ),
  ),
  recipe: optional(
    described(
      v.picklist(['off', 'auto', 'only', 'new']),
      'auto: do it as an earlier task of the same template did, without a model where the pages are the same; only: never with one; new: learn it anew.',
    ),
  ),
  continue_task_id: optional(
    text('The ended task that this one continues: its model reads what was asked, done and answered.'),
  ),
  allowed_domains: optional(
    v.pipe(v.array(text('example.com, or *.example.com.')), v.description('The only sites that the task may reach.')),
  ),
  ask_user: optional(v.pipe(v.boolean(), v.description('Whether the task may ask its user a question.'))),
  approvals: optional(
    v.pipe(
      v.picklist(['never', 'irreversible', 'always']),
      v.description('Which actions wait until the user approves them with browser_answer_input.'),
    ),
  ),
  secrets: optional(
    v.pipe(
      v.array(
        strict({
          name: text('The task writes {{secret:name}} where the value belongs.'),
          value: optional(text('The value. Give either this or totp.')),
          totp: optional(text('What one-time codes are made of: base32, or an otpauth:// address.')),
          domains: v.pipe(
            v.array(text('example.com, or *.example.com.')),
            v.description('The only sites that get it.'),
          ),
          description: optional(text('What the browser’s model reads of it.')),
        }),
      ),
      v.description(
        'What the task may type without its model knowing it. Never write such values into task or context.',
      ),
    ),
  ),
  files: optional(
    v.pipe(
      v.array(
        strict({
          name: optional(text('The name by which the task finds it; when it is left out, the end of the URL.')),
          url: optional(text('Where the service fetches it: http or https, on the public internet.')),
          data: optional(text('Its bytes in base64, in place of a URL; it needs a name.')),
        }),
      ),
      v.description('Files that the task may read and upload by their names; at most 10, and 8 MB in all.'),
    ),
  ),
  metadata: optional(
    v.pipe(
      v.record(v.string(), v.string()),
      v.description('Names and values by which the task is found again, such as the number of an order.'),
    ),
  ),
  model: optional(text('One of the models that the operator of the service allows.')),
  max_steps: optional(whole(1, STEPS_MAX, 'The task ends after so many steps.')),
  max_tokens: optional(whole(1, TASK_TOKENS_MAX, 'The task ends before its model has read and written more tokens.')),
  max_cost_usd: optional(
    v.pipe(v.number(), v.description('The task ends before its model costs more, in US dollars.')),
  ),
  on_limit: optional(
    described(v.picklist(['reject', 'queue']), 'queue: wait for a free place when too many tasks run.'),
  ),
  on_away: optional(described(v.picklist(['reject', 'wait']), 'wait: for a browser that is not connected.')),
  wait_seconds: optional(whole(0, 50, 'How long to wait for the end; 50 when it is left out.')),
})
export const TASK_ID = inputSchema({ task_id: taskId })
export const GET_TASK = inputSchema({
  task_id: taskId,
  wait_seconds: optional(whole(0, 50, 'Wait so long for the end of the task; 0 when it is left out.')),
})
export const LIST_TASKS = inputSchema({
  q: optional(text('Only tasks whose text or answer contains this.')),
  status: optional(described(v.picklist(['running', 'complete', 'error']), 'Only tasks with this status.')),
  limit: optional(whole(1, 50, 'At most so many; 10 when it is left out.')),
})
export const SEND_MESSAGE = inputSchema({
  task_id: taskId,
  text: text('What the model of the task should know; it reads it before its next step.'),
  interrupt: optional(v.pipe(v.boolean(), v.description('Do not wait for the model’s present reply.'))),
})
export const ANSWER_INPUT = inputSchema({
  task_id: taskId,
  request_id: text('The id of the input_request.'),
  action: described(
    v.picklist(['accept', 'decline', 'cancel']),
    'accept answers or approves, decline refuses, cancel leaves it unanswered.',
  ),
  content: optional(text('The answer to a question.')),
  for: optional(
    v.pipe(
      v.literal('task'),
      v.description('With accept: approves all requests of the same held.shape until the task ends.'),
    ),
  ),
})
export const PAIR_BROWSER = inputSchema({ label: optional(text('A name for the browser.')) })
export const SCREENSHOT = inputSchema({
  task_id: taskId,
  step: optional(whole(1, 1_000, 'The step; when it is left out, the last one with a screenshot.')),
})
export const NOTHING = inputSchema({})

export const TASK = schema(task)
export const TASK_WITH_FILES = schema({
  ...task,
  files: v.pipe(
    v.array(
      v.object({
        file_id: described(v.string(), 'The id of the file.'),
        name: described(v.string(), 'Its name.'),
        media_type: described(v.string(), 'Its media type.'),
        size: described(v.number(), 'In bytes.'),
        origin: described(
          v.picklist(['given', 'downloaded']),
          'Whether it was given with the task, or downloaded by it.',
        ),
      }),
    ),
    v.description(
      'Files given with the task, or downloaded by it; their bytes are at GET /v1/tasks/:id/files/:file_id.',
    ),
  ),
})
export const TASKS = schema({ tasks: described(v.array(v.object(task)), 'The newest first.') })
export const BROWSERS = schema({
  browsers: described(
    v.array(
      v.object({
        browser_session_id: described(v.string(), 'The id that tasks name.'),
        label: described(v.nullable(v.string()), 'Its name; null without one.'),
        status: described(v.picklist(['connected', 'disconnected']), 'Whether it is connected now.'),
        connected_at: described(v.nullable(v.number()), 'When it connected last, in milliseconds since 1970.'),
      }),
    ),
    'The newest first.',
  ),
})
export const PAIRING = schema({
  pairing_url: described(v.string(), 'The link to show to the user.'),
  expires_in_seconds: described(v.number(), 'How long it is valid.'),
  next: described(v.string(), 'How to go on.'),
})
export const DONE = schema({
  ok: described(v.literal(true), 'It was done.'),
  next: described(v.string(), 'How to go on.'),
})
