import * as v from 'valibot'
import { integer, ms } from './fields.ts'
import { SHARE_S_DEFAULT, SHARE_S_MAX, SHARE_S_MIN } from './limits.ts'
import { Task } from './tasks.ts'

/** [V12] */
export const CreateShareBody = v.strictObject({
  expires_in_s: v.optional(integer(SHARE_S_MIN, SHARE_S_MAX), SHARE_S_DEFAULT),
})

/** The link to a result, as it is shown this once. */
export const CreatedShare = v.object({ url: v.string(), token: v.string(), created_at: ms, expires_at: ms })

/** Whether a result is shared: both `null` when it is not. */
export const Share = v.object({ created_at: v.nullable(ms), expires_at: v.nullable(ms) })

const { task, status, ended_by, answer, output, ungrounded, created_at, completed_at } = Task.entries
/** What a link to a result shows: neither steps nor pictures, files or cost. */
export const SharedResult = v.object({
  ...{ task, status, ended_by, answer, output, ungrounded, created_at, completed_at },
  expires_at: ms,
})
export type SharedResult = v.InferOutput<typeof SharedResult>
