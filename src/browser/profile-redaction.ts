import type { NamedValue } from '../../machines/redaction.ts'
import type { ProfileValues } from '../wire/profiles.ts'
import { PROFILE_VALUE_CHARS_MIN, PROFILE_VALUES_MAX } from './limits.ts'

/** No secret of a task can have this name. */
const NAME = 'profile value'
/** Text without what sets tokens apart, such as blanks, quotes and `&`. */
const PIECES = /[^\p{L}\p{N}._~+/=-]+/u
/** Longer runs of letters are no words. */
const WORD_CHARS_MAX = 19
const DATE = /^\d{4}-\d\d-\d\d(T[\d:.+-]*Z?)?$/
const HOST = /^([a-z0-9-]+\.)+[a-z]{2,24}$/i
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

type Cookie = { readonly value?: unknown; readonly httpOnly?: unknown; readonly domain?: unknown }
type Origin = { readonly origin?: unknown; readonly localStorage?: unknown; readonly indexedDB?: unknown }

/**
 * [Z16] What of a profile's cookies and storage has to stay out of what is told of pages: strings of
 * PROFILE_VALUE_CHARS_MIN and more, also those within JSON and addresses. Words, dates, hosts and e-mail addresses are no
 * credentials, and pages are full of them: only a cookie that no script may read is taken out whatever it is. They are the
 * first PROFILE_VALUES_MAX, cookies before local storage, and that before databases.
 */
export function valuesToRedact({ cookies, origins }: Partial<ProfileValues>): NamedValue[] {
  const values = new Set<string>()
  // Addresses of its sites stay readable.
  const open = new Set<string>()
  for (const { value, httpOnly, domain } of (cookies ?? []) as readonly Cookie[]) {
    if (typeof domain === 'string') open.add(domain.replace(/^\./, ''))
    if (typeof value !== 'string') continue
    if (httpOnly === true && value.length >= PROFILE_VALUE_CHARS_MIN && !HOST.test(value)) values.add(value)
    for (const token of tokensIn(value)) values.add(token)
  }
  const stored = (origins ?? []) as readonly Origin[]
  for (const { origin } of stored)
    if (typeof origin === 'string' && URL.canParse(origin)) open.add(new URL(origin).hostname)
  for (const kind of ['localStorage', 'indexedDB'] as const)
    for (const each of stored)
      for (const text of stringsIn(each[kind])) {
        if (values.size >= PROFILE_VALUES_MAX) break
        for (const token of tokensIn(text)) values.add(token)
      }
  return [...values].slice(0, PROFILE_VALUES_MAX).map((value) => ({ name: NAME, value, open: [...open] }))
}

/** The strings of plain data, not the names of its fields. */
function* stringsIn(data: unknown): Generator<string> {
  if (typeof data === 'string') yield data
  if (typeof data === 'object' && data !== null) for (const each of Object.values(data)) yield* stringsIn(each)
}

/** What may be a credential in a string: of an address and of JSON, in its parts. */
function* tokensIn(text: string): Generator<string> {
  const plain = decoded(text)
  if (URL.canParse(plain)) {
    const { protocol, pathname, searchParams, hash } = new URL(plain)
    if (protocol === 'http:' || protocol === 'https:') {
      for (const part of [...pathname.split('/'), ...searchParams.values(), hash.slice(1)]) yield* piecesOf(part)
      return
    }
  }
  const data = jsonIn(plain)
  if (data === undefined) yield* piecesOf(plain)
  else for (const each of stringsIn(data)) yield* tokensIn(each)
}

function* piecesOf(text: string): Generator<string> {
  if (EMAIL.test(text)) return
  for (const piece of text.split(PIECES)) if (isCredential(piece)) yield piece
}

const isCredential = (text: string): boolean =>
  text.length >= PROFILE_VALUE_CHARS_MIN &&
  !DATE.test(text) &&
  !HOST.test(text) &&
  (/\p{N}/u.test(text) || text.split(/[^\p{L}]+/u).some((word) => word.length > WORD_CHARS_MAX))

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What JSON of an object or a list says. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
