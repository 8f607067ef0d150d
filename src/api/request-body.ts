import { BODY_BYTES_MAX } from '../../machines/limits.ts'
import type { Request, Response } from '../net/transport.ts'
import { isStrict, parseBody, unknownFields } from '../wire/parse.ts'
import { bodyBytesMax, isFewTexts } from './body-limits.ts'
import { badField, refuse } from './refusals.ts'
import type { Route } from './route.ts'

/** A body that no JSON can be made of: answered as the spec's 500, and no news for the log. */
export class Unreadable extends Error {}

export function unreadable(): never {
  throw new Unreadable('the body is too large, or no JSON')
}

/** What a route is given of a body, and the fields that were sent but mean nothing to it. */
export interface ReadBody {
  readonly value: unknown
  readonly unknown: readonly string[]
}
const NOTHING: ReadBody = { value: null, unknown: [] }

/** [E7–E10, E29] The body of a request as its route wants it, or the refusal. @throws Unreadable */
export function readBody({ body: shape }: Route, request: Request): ReadBody | Response {
  if (shape === null) return NOTHING
  const limit = bodyBytesMax(request)
  if (request.busy) return refuse('too_many_uploads')
  const isOver = request.bodyTooLarge || request.body.length > limit
  if (isOver) return limit > BODY_BYTES_MAX ? refuse('body_too_large') : unreadable()
  if (typeof shape === 'string') return NOTHING
  const isLarge = request.body.length > BODY_BYTES_MAX
  if (isLarge && !isFewTexts(request.body)) return unreadable()
  const given = jsonOf(request.body)
  const parsed = parseBody(shape, given)
  if (!parsed.ok) return badField(parsed.code, parsed.message, parsed.path)
  // [E8] Only files make the body of a start larger than it may be elsewhere.
  if (isLarge && !hasFiles(parsed.value)) return unreadable()
  return { value: parsed.value, unknown: isStrict(shape) ? [] : unknownFields(shape, given as object) }
}

/** [E9] An empty body is an empty object. */
function jsonOf(body: Uint8Array): unknown {
  if (body.length === 0) return {}
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString())
  } catch {
    return unreadable()
  }
}

const hasFiles = (body: object): boolean => 'files' in body && Array.isArray(body.files) && body.files.length > 0

const WARNINGS_MAX = 5

/** [E29] Says which fields were ignored. A name that a header cannot have is shown without what it cannot have. */
export function warningOf(unknown: readonly string[]): Response['headers'] {
  if (unknown.length === 0) return []
  const warnings = unknown
    .slice(0, WARNINGS_MAX)
    .map((name) => `299 - "Unknown field: ${name.replace(UNQUOTABLE, '?')}"`)
  return [['Warning', warnings.join(', ')]]
}
const UNQUOTABLE = /[^\x20-\x7e]|["\\]/g
