import * as v from 'valibot'
import { Credits, EventReceived } from './account.ts'
import { field } from './fields.ts'

/**
 * [E1, E31] The body of every error. `code` is stable; the sentence is for people. `param` names the field of the body or
 * the parameter of the query that is wrong, `pointer` (RFC 6901) the place in the body, `doc_url` what the docs say of it.
 */
export const ErrorBody = v.object({
  error: field(v.string(), 'One sentence for people. It may change.', 'Task not found'),
  code: field(v.string(), 'A stable name of the error, for programs.', 'task_not_found'),
  param: field(
    v.optional(v.string()),
    'The field of the body, or the parameter of the query, that is wrong.',
    'secrets',
  ),
  pointer: field(v.optional(v.string()), 'Where in the body that is, as a JSON pointer.', '/secrets/0/name'),
  doc_url: field(
    v.string(),
    'What the docs of the service say of the code: an address on the service itself.',
    '/docs/errors#task_not_found',
  ),
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
export const InternalErrorBody = v.object({
  ...ErrorBody.entries,
  request_id: field(v.string(), 'Names the request in the log of the service, or what a task asks.', '5f0c1a2b'),
})

/** [T7] No allowance. `free_remaining` is null when tasks are free. */
export const NoAllowanceBody = v.object({
  ...ErrorBody.entries,
  free_remaining: Credits.entries.free_remaining,
  credit_balance: Credits.entries.credit_balance,
})

/** [B9] A payment event that changed nothing. */
export const UnhandledEventBody = v.object({
  ...ErrorBody.entries,
  received: field(v.boolean(), 'Whether the event was for this service.', true),
  event: field(v.nullable(v.string()), EventReceived.entries.event),
})
