import * as v from 'valibot'
import { absentable, ms, words } from './fields.ts'
import { MESSAGE_CHARS_MAX } from './limits.ts'

/** [I1] */
export const MessageBody = v.object({
  text: words(MESSAGE_CHARS_MAX),
  interrupt: absentable(v.boolean('must be true or false')),
})
export const MessageAccepted = v.object({ accepted: v.literal(true) })

/** [I4] `content`: the answer to a question. */
export const InputBody = v.object({
  action: v.picklist(['accept', 'decline', 'cancel'], 'must be accept, decline or cancel'),
  content: absentable(
    v.pipe(
      v.string('must be a string'),
      v.maxLength(MESSAGE_CHARS_MAX, `must be at most ${MESSAGE_CHARS_MAX} characters`),
    ),
  ),
})
export const InputAccepted = v.object({ accepted: v.literal(true) })

/** [I4] What a task asks its user. `schema` is JSON Schema of the answer to a question; `call` the action to be approved. */
export const InputRequest = v.object({
  id: v.string(),
  kind: v.picklist(['question', 'approval', 'takeover']),
  message: v.string(),
  schema: v.nullable(v.record(v.string(), v.unknown())),
  call: v.nullable(
    v.object({ tool: v.string(), input: v.record(v.string(), v.unknown()), terms: v.array(v.string()) }),
  ),
  expires_at: ms,
})
export type InputRequest = v.InferOutput<typeof InputRequest>
