import * as v from 'valibot'
import { absentable, ms, words } from './fields.ts'
import { MESSAGE_CHARS_MAX } from './limits.ts'
import { record } from './record.ts'

/** [I1] */
export const MessageBody = v.strictObject({
  text: words(MESSAGE_CHARS_MAX),
  interrupt: absentable(v.boolean('must be true or false')),
})
export const MessageAccepted = v.object({ accepted: v.literal(true) })

/** [I4] `content`: the answer to a question. [I13] `for`: the approval holds for the rest of the task. */
export const InputBody = v.strictObject({
  for: absentable(v.picklist(['task'], 'must be task')),
  action: v.picklist(['accept', 'decline', 'cancel'], 'must be accept, decline or cancel'),
  content: absentable(
    v.pipe(
      v.string('must be a string'),
      v.maxLength(MESSAGE_CHARS_MAX, `must be at most ${MESSAGE_CHARS_MAX} characters`),
    ),
  ),
})
export const InputAccepted = v.object({ accepted: v.literal(true) })

const texts = v.array(v.string())

/** [I7] An action that is to be approved: the call, what its browser holds, and what has changed since an approval. */
export const AskedCall = v.object({
  tool: v.string(),
  input: record(v.string(), v.unknown()),
  held: v.nullable(
    v.object({
      kind: v.picklist(['request', 'act']),
      method: v.string(),
      site: v.string(),
      path: v.string(),
      shape: v.string(),
      target: v.nullable(v.object({ role: v.string(), name: v.string() })),
      fields: v.array(v.object({ name: v.string(), value: v.string() })),
    }),
  ),
  changed: v.nullable(
    v.object({
      fields: v.array(v.object({ name: v.string(), before: v.nullable(v.string()), after: v.nullable(v.string()) })),
      numbers: v.object({ before: texts, after: texts }),
    }),
  ),
})

export type AskedCall = v.InferOutput<typeof AskedCall>

/** [I4] What a task asks its user. `schema` is JSON Schema of the answer to a question; `call` the action to be approved. */
export const InputRequest = v.object({
  id: v.string(),
  kind: v.picklist(['question', 'approval', 'takeover']),
  message: v.string(),
  schema: v.nullable(record(v.string(), v.unknown())),
  call: v.nullable(AskedCall),
  expires_at: ms,
})
export type InputRequest = v.InferOutput<typeof InputRequest>
