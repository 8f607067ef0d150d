import * as v from 'valibot'

/** [E1] The body of every error. `code` is stable; the sentence is for people. */
export const ErrorBody = v.object({ error: v.string(), code: v.string() })
export type ErrorBody = v.InferOutput<typeof ErrorBody>

/** [E6] An unhandled failure. `request_id` equals the answer's `X-Request-Id`. */
export const InternalErrorBody = v.object({ ...ErrorBody.entries, request_id: v.string() })

/** [T7] No allowance. `free_remaining` is null when tasks are free. */
export const NoAllowanceBody = v.object({
  ...ErrorBody.entries,
  free_remaining: v.nullable(v.number()),
  credit_balance: v.number(),
})

/** [B9] A payment event that changed nothing. */
export const UnhandledEventBody = v.object({
  ...ErrorBody.entries,
  received: v.boolean(),
  event: v.nullable(v.string()),
})
