import * as v from 'valibot'
import { AT, SHARE_TOKEN } from './example-values.ts'
import { field, integer, ms } from './fields.ts'
import { SHARE_S_DEFAULT, SHARE_S_MAX, SHARE_S_MIN } from './limits.ts'
import { output, status, Task } from './tasks.ts'

/** [V12] */
export const CreateShareBody = v.strictObject({
  expires_in_s: field(
    v.optional(integer(SHARE_S_MIN, SHARE_S_MAX), SHARE_S_DEFAULT),
    'For how many seconds the link is open: a minute to 90 days.',
    604_800,
  ),
})

const since = field(ms, 'Since when the link is open, in milliseconds since 1970.', AT)
const until = field(ms, 'Until when the link is open, in milliseconds since 1970.', AT + 604_800_000)

/** The link to a result, as it is shown this once. */
export const CreatedShare = v.object({
  url: field(v.string(), 'The link.', `https://tasks.example/shared/${SHARE_TOKEN}`),
  token: field(v.string(), 'The end of the link.', SHARE_TOKEN),
  created_at: since,
  expires_at: until,
})

/** Whether a result is shared: all `null` when it is not. */
export const Share = v.object({
  created_by: field(v.nullable(v.string()), 'Who made the link.', 'the key “backend”'),
  created_at: field(v.nullable(ms), since),
  expires_at: field(v.nullable(ms), until),
})

const { task, ended_by, answer, ungrounded, created_at, completed_at } = Task.entries
/** What a link to a result shows: neither steps nor pictures, files or cost. */
export const SharedResult = v.object({
  task,
  status: field(status, 'How the task ended.', 'complete'),
  ended_by,
  answer,
  output: field(output, 'The output of the task, as its schema says; null without one.', { price: 48 }),
  ungrounded,
  created_at,
  completed_at,
  expires_at: until,
})
export type SharedResult = v.InferOutput<typeof SharedResult>
