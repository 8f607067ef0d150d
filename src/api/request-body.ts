import { BODY_BYTES_MAX } from '../../machines/limits.ts'
import type { Request, Response } from '../net/transport.ts'
import { isOfBrowserFiles } from '../wire/files.ts'
import { FILE_BYTES_MAX } from '../wire/limits.ts'
import { parseBody } from '../wire/parse.ts'
import { BROWSER_PROFILES_PATH } from '../wire/profiles.ts'
import { isStrict, unknownFields } from '../wire/unknown-fields.ts'
import { BODY_STRINGS_MAX, BODY_WITH_FILES_BYTES_MAX, PROFILE_BYTES_MAX } from './limits.ts'
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

/** [E8, U2, Z12] How large the body of a request may be: with files more than elsewhere. */
export function bodyBytesMax({ method, path }: Pick<Request, 'method' | 'path'>): number {
  if (method !== 'POST') return BODY_BYTES_MAX
  if (path === '/v1/files' || isOfBrowserFiles(path)) return FILE_BYTES_MAX
  if (path.startsWith(`${BROWSER_PROFILES_PATH}/`)) return PROFILE_BYTES_MAX
  const startsTask = path === '/v1/tasks' || /^\/v1\/tasks\/[^/]+\/rerun$/.test(path)
  return startsTask ? BODY_WITH_FILES_BYTES_MAX : BODY_BYTES_MAX
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Whether JSON that is larger than usual is so by a few long texts: parsing megabytes of small values would keep
 * everybody waiting.
 */
export function isFewTexts(json: Uint8Array): boolean {
  let outside = 0
  let at = 0
  for (let strings = 0; strings < BODY_STRINGS_MAX; strings++) {
    const begin = json.indexOf(QUOTE, at)
    outside += (begin === -1 ? json.length : begin) - at
    if (outside > BODY_BYTES_MAX) return false
    if (begin === -1) return true
    let end = begin
    do end = json.indexOf(QUOTE, end + 1)
    while (end !== -1 && isEscaped(json, end))
    if (end === -1) return false
    at = end + 1
  }
  return false
}

function isEscaped(json: Uint8Array, quote: number): boolean {
  let slashes = 0
  while (json[quote - 1 - slashes] === BACKSLASH) slashes++
  return slashes % 2 === 1
}
