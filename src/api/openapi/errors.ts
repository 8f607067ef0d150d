import { isOptional, isStrict, type Shape } from '../../wire/parse.ts'
import { isIdempotent, type Route } from '../route.ts'

/** The codes of a route by status: its own, and those of authentication, guard, parsing and failure. */
export function errorsOf({
  access,
  readToken,
  action,
  right,
  body,
  query,
  method,
  about,
}: Route): Record<number, readonly string[]> {
  const errors: Record<number, string[]> = { 421: ['host_not_allowed'], 500: ['internal'], 503: ['store_away'] }
  const add = (status: number, ...codes: string[]) => {
    errors[status] = [...(errors[status] ?? []), ...codes]
  }
  if (access !== 'open') add(401, 'unauthorized', ...(readToken ? ['read_token_invalid'] : []))
  if (access === 'user') add(403, 'account_required')
  if (access !== 'open' && method !== 'GET') add(403, 'foreign_origin')
  if (access !== 'open' && right !== 'read') add(403, 'role_not_allowed')
  if (action !== null) add(403, 'publishable_key')
  if (body !== null && typeof body !== 'string')
    add(400, 'body_invalid', ...(isStrict(body) ? ['unknown_field'] : []), ...fieldCodes(body))
  if (query !== null) add(400, ...fieldCodes(query))
  for (const [status, codes] of Object.entries(about.errors ?? {})) add(Number(status), ...codes)
  if (isIdempotent({ access, method })) {
    add(400, 'idempotency_key_invalid')
    add(409, 'idempotency_in_progress')
    add(422, 'idempotency_key_reused')
    add(429, 'too_many_idempotency_keys')
  }
  return errors
}

/** What can be wrong with a field: not as it should be, or left out where it must not be. */
const fieldCodes = (shape: Shape): string[] =>
  Object.entries(shape.entries).flatMap(([name, field]) =>
    isOptional(field) ? [`${name}_invalid`] : [`${name}_required`, `${name}_invalid`],
  )
