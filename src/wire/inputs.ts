import * as v from 'valibot'
import { AT } from './example-values.ts'
import { absentable, field, ms, words } from './fields.ts'
import { MESSAGE_CHARS_MAX } from './limits.ts'
import { record } from './record.ts'

/** [I1] */
export const MessageBody = v.strictObject({
  text: field(words(MESSAGE_CHARS_MAX), 'What the model should know or do now.', 'Take the larger pack instead.'),
  interrupt: field(
    absentable(v.boolean('must be true or false')),
    'Whether the reply that is awaited now is given up.',
    false,
  ),
})
export const MessageAccepted = v.object({ accepted: field(v.literal(true), 'The task has it.') })

/** [I4] `content`: the answer to a question. [I13] `for`: the approval holds for the rest of the task. */
export const InputBody = v.strictObject({
  for: field(
    absentable(v.picklist(['task'], 'must be task')),
    'With `accept`: it holds for all requests of the same `held.shape` until the task ends.',
    'task',
  ),
  action: field(
    v.picklist(['accept', 'decline', 'cancel'], 'must be accept, decline or cancel'),
    'Accept it, decline it, or cancel the request.',
    'accept',
  ),
  content: field(
    absentable(
      v.pipe(
        v.string('must be a string'),
        v.maxLength(MESSAGE_CHARS_MAX, `must be at most ${MESSAGE_CHARS_MAX} characters`),
      ),
    ),
    'The answer to a question; not needed for an approval.',
    'The blue one',
  ),
})
export const InputAccepted = v.object({ accepted: field(v.literal(true), 'The task has it.') })

const texts = v.array(v.string())

/** [I7] An action that is to be approved: the call, what its browser holds, and what has changed since an approval. */
export const AskedCall = v.object({
  tool: field(v.string(), 'The tool of the action.', 'computer'),
  input: field(record(v.string(), v.unknown()), 'The input of the action.', { action: 'left_click', ref: 'ref_7' }),
  held: field(
    v.nullable(
      v.object({
        kind: field(
          v.picklist(['request', 'act']),
          'Whether it is a request of the page, or an act that was not done yet.',
          'request',
        ),
        method: field(v.string(), 'The method of the request; empty for an act that was not done yet.', 'POST'),
        site: field(v.string(), 'The origin that it goes to, or that of the page.', 'https://shop.example'),
        path: field(v.string(), 'The path, without its query.', '/orders'),
        shape: field(v.string(), 'What `for: "task"` allows.', 'POST https://shop.example/orders'),
        target: field(
          v.nullable(
            v.object({
              role: field(v.string(), 'Its role.', 'button'),
              name: field(v.string(), 'Its name, or that of a field.', 'Place order'),
            }),
          ),
          'What is acted on, as the browser has it.',
        ),
        fields: field(
          v.array(
            v.object({
              name: field(v.string(), 'Its name, or that of a field.', 'Place order'),
              value: field(v.string(), 'The value of the field.', '12.90'),
            }),
          ),
          'What will be sent. Passwords and secrets are masked.',
        ),
      }),
    ),
    'What its browser holds; null when it cannot hold, and the action itself is asked for.',
  ),
  changed: field(
    v.nullable(
      v.object({
        fields: field(
          v.array(
            v.object({
              name: field(v.string(), 'Its name, or that of a field.', 'Place order'),
              before: field(v.nullable(v.string()), 'As it was approved.', '12.90'),
              after: field(v.nullable(v.string()), 'As it is now.', '99.00'),
            }),
          ),
          'What will be sent. Passwords and secrets are masked.',
        ),
        numbers: field(
          v.object({
            before: field(texts, 'As it was approved.', ['12.90']),
            after: field(texts, 'As it is now.', ['99.00']),
          }),
          'Numbers of the page around it that changed.',
        ),
      }),
    ),
    'What is different from what was approved before; null when nothing was.',
  ),
})

export type AskedCall = v.InferOutput<typeof AskedCall>

/** [I4] What a task asks its user. `schema` is JSON Schema of the answer to a question; `call` the action to be approved. */
export const InputRequest = v.object({
  id: field(v.string(), 'The id under which it is answered.', '7d0f9f3e-6a0e-4a52-8f4f-6f5d1a2b3c4d'),
  kind: field(
    v.picklist(['question', 'approval', 'takeover']),
    'A question, the approval of an action, or a person who has taken over the tab.',
    'approval',
  ),
  message: field(v.string(), 'What people are asked.', 'Place the order for 12.90 EUR?'),
  schema: field(
    v.nullable(record(v.string(), v.unknown())),
    'JSON Schema of the answer to a question; null when any text will do.',
    null,
  ),
  call: field(v.nullable(AskedCall), 'The action that is to be approved; null for a question.'),
  expires_at: field(ms, 'When it counts as cancelled, in milliseconds since 1970.', AT + 600_000),
})
export type InputRequest = v.InferOutput<typeof InputRequest>
