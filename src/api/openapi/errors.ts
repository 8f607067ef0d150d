import { REFUSALS } from '../../../machines/texts.ts'
import { isOptional, type Shape } from '../../wire/parse.ts'
import { isStrict } from '../../wire/unknown-fields.ts'
import type { ErrorEntry } from '../deps.ts'
import { ERRORS } from '../refusals.ts'
import { isIdempotent, type Route } from '../route.ts'
import { operationIdOf } from './route-texts.ts'

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

/** [E31] Every code that the service can answer, in the order of their names. */
export function errorList(routes: readonly Route[]): readonly ErrorEntry[] {
  const entries = new Map<string, ErrorEntry>(
    // Those that no route answers by itself, too: a `doc_url` leads here.
    Object.entries(ERRORS)
      .filter(([code]) => code !== 'key_invalid')
      .map(([code, [status]]) => [
        code,
        { code, statuses: [status], sentence: sentenceOf(code), field: fieldOf(code), operations: [] },
      ]),
  )
  for (const route of routes)
    for (const [status, codes] of Object.entries(errorsOf(route)))
      for (const code of new Set(codes)) {
        const { statuses = [], operations = [] } = entries.get(code) ?? {}
        entries.set(code, {
          code,
          statuses: [...new Set([...statuses, Number(status)])],
          sentence: sentenceOf(code),
          field: fieldOf(code),
          operations: [...new Set([...operations, operationIdOf(route)])],
        })
      }
  return [...entries.values()].sort((one, other) => (one.code < other.code ? -1 : 1))
}

/** What the error says, as far as it always says the same. */
export const sentenceOf = (code: string): string => {
  const field = fieldOf(code)
  if (field === null) return SENTENCES[code] ?? code
  return code.endsWith('_required') ? `${field} is required` : `${field} is not valid: the error says why`
}

/** The name in a code about a field; `null` for one that has a sentence of its own. */
const fieldOf = (code: string): string | null =>
  SENTENCES[code] === undefined ? (/^(\w+)_(required|invalid)$/.exec(code)?.[1] ?? null) : null

const SENTENCES: Readonly<Record<string, string>> = {
  ...REFUSALS,
  ...Object.fromEntries(Object.entries(ERRORS).map(([code, [, sentence]]) => [code, sentence])),
  body_invalid: 'The body must be a JSON object',
  unknown_field: 'Unknown field: …',
  publishable_key: 'Publishable keys cannot do this. Use a secret key (svc_live_...).',
  events_expired: 'Some of the events after this cursor are not kept any more',
  event_not_handled: 'The payment event was not applied: the error says why',
  limit_not_allowed: 'The limit cannot be set to this value: the error says why',
  file_not_fetched: 'A file could not be fetched from its url',
}
