import type { Held, HeldField } from '../../../machines/held.ts'
import {
  HELD_FIELDS_MAX,
  HELD_METHOD_CHARS_MAX,
  HELD_NAME_CHARS_MAX,
  HELD_PATH_CHARS_MAX,
  HELD_SHAPE_CHARS_MAX,
  HELD_VALUE_CHARS_MAX,
  URL_CHARS_MAX,
} from '../../wire/limits.ts'
import { truncate } from '../act/text.ts'
import type { PausedRequest } from './paused.ts'

const DEPTH_MAX = 8
const LEAVES_MAX = 1_000
/** What nobody should read on a screen. */
const PRIVATE = /pass(?:word|wd|phrase|code)?|pwd|\bpin\b|secret|otp|token|csrf|cvc|cvv|security.?code|session/i
const CARD = /^(?:\d[ -]?){12,18}\d$/

/** All that a request sends: fields of a form, leaves of JSON, its query. Not masked. */
export function fieldsOf({ url, headers, body }: Pick<PausedRequest, 'url' | 'headers' | 'body'>): HeldField[] {
  return [...pairs(new URL(url).searchParams), ...bodyFields(headers['content-type'] ?? '', body)]
}

function bodyFields(type: string, body: string): HeldField[] {
  if (body === '') return []
  const json = jsonOf(body)
  if (json !== undefined && typeof json === 'object') return leavesOf(json)
  if (/multipart\/form-data/i.test(type)) return multipartFields(body)
  if (/urlencoded/i.test(type) || /^[\w.[\]%+-]+=[^\n]*$/.test(body)) return pairs(new URLSearchParams(body))
  return [{ name: 'body', value: body }]
}

const pairs = (params: URLSearchParams): HeldField[] => [...params].map(([name, value]) => ({ name, value }))

/** `undefined` for what is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function leavesOf(value: unknown, path = '', depth = 0, leaves: HeldField[] = []): HeldField[] {
  if (leaves.length >= LEAVES_MAX) return leaves
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) {
    leaves.push({ name: path, value: typeof value === 'string' ? value : JSON.stringify(value) })
    return leaves
  }
  for (const [key, inner] of Object.entries(value))
    leavesOf(inner, path === '' ? key : `${path}.${key}`, depth + 1, leaves)
  return leaves
}

function multipartFields(body: string): HeldField[] {
  return [
    ...body.matchAll(/name="([^"]*)"(?:; filename="([^"]*)")?[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n([\s\S]*?)\r?\n--/g),
  ].map(([, name = '', file, value = '']) => ({ name, value: file === undefined ? value : `file ${file}` }))
}

/** As a person reads them: passwords, codes and card numbers are not shown. What is left out is told. */
export function shownFields(fields: readonly HeldField[]): HeldField[] {
  const count = fields.length > HELD_FIELDS_MAX ? HELD_FIELDS_MAX - 1 : fields.length
  const shown = fields.slice(0, count).map(({ name, value }) => ({
    name: named(name),
    value: truncate(masked(name, value), HELD_VALUE_CHARS_MAX),
  }))
  return count === fields.length ? shown : [...shown, { name: '…', value: `${fields.length - count} more` }]
}

const named = (text: string): string => text.slice(0, HELD_NAME_CHARS_MAX)
/** Without what turns around the text behind it, or is obeyed by a terminal. */
const legible = (text: string): string => text.replaceAll(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')

/**
 * As a frame may have it, and a person read it: a page chooses methods, paths and words, and placeholders of secrets may be
 * longer than their values.
 */
export const fitted = ({ target, ...held }: Held): Held => ({
  ...held,
  method: held.method.slice(0, HELD_METHOD_CHARS_MAX),
  site: held.site.slice(0, URL_CHARS_MAX),
  path: held.path.slice(0, HELD_PATH_CHARS_MAX),
  shape: legible(held.shape.slice(0, HELD_SHAPE_CHARS_MAX)),
  target: target && { role: legible(named(target.role)), name: legible(named(target.name)) },
  fields: held.fields.map(({ name, value }) => ({
    name: legible(named(name)),
    value: legible(truncate(value, HELD_VALUE_CHARS_MAX)),
  })),
  numbers: held.numbers.map((number) => legible(named(number))),
})

function masked(name: string, value: string): string {
  if (value !== '' && PRIVATE.test(name)) return '••••'
  return CARD.test(value.trim()) ? `•••• ${value.trim().slice(-4)}` : value
}
