import * as v from 'valibot'

/**
 * [E1, E31] The body of every error. `code` is stable; the sentence is for people. `param` names the field of the body or
 * the parameter of the query that is wrong, `pointer` (RFC 6901) the place in the body, `doc_url` what the docs say of it.
 */
export const ErrorBody = v.object({
  error: v.string(),
  code: v.string(),
  param: v.optional(v.string()),
  pointer: v.optional(v.string()),
  doc_url: v.string(),
})
export type ErrorBody = v.InferOutput<typeof ErrorBody>

/** Names of fields and indexes of lists, from the whole body to a value in it. */
export type Path = readonly (string | number)[]

/** [E31] The body of an error about the value that `path` leads to; an empty path is about the whole request. */
export function errorBody(code: string, error: string, path: Path = []): ErrorBody {
  const [param] = path
  return {
    error,
    code,
    ...(param === undefined ? {} : { param: String(param), pointer: pointerTo(path) }),
    doc_url: docUrlOf(code),
  }
}

/** Where the docs of the service explain a code: an address on the service itself. */
export const docUrlOf = (code: string): string => `/docs/errors#${code}`

const pointerTo = (path: Path): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The keys of a pointer. */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))

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
