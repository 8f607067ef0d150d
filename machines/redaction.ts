import { placeholderOf } from './secrets.ts'

/** [X6] Takes values of secrets out of whatever a browser or a model says. */

/** A value, by the name of its secret. */
export interface NamedValue {
  readonly name: string
  readonly value: string
}

/** Of a longer value its beginning is taken out, too: a text may have been cut within it. */
const BEGINNING_CHARS = 16
/** Shorter than this, an encoded form is found by chance. */
const FORM_CHARS_MIN = 4

interface Form {
  readonly text: string
  readonly name: string
}

export interface Redactor {
  text(text: string): string
  /** All strings of a plain value, keys included. */
  value<T>(value: T): T
}

/** Takes nothing out. */
export const NOTHING_TO_REDACT: Redactor = { text: (text) => text, value: (value) => value }

/** Replaces each of the values, in every form in which it may appear, by the placeholder of its secret. */
export function redactorOf(values: readonly NamedValue[]): Redactor {
  const forms: Form[] = values
    .flatMap(({ name, value }) => [...formsOf(value)].map((text) => ({ text, name })))
    // Longest first, because a longer form may contain a shorter one.
    .sort((one, other) => other.text.length - one.text.length)
  if (forms.length === 0) return NOTHING_TO_REDACT
  const text = (given: string) => forms.reduce(without, given)
  const walk = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given)
    if (Array.isArray(given)) return given.map(walk)
    if (typeof given !== 'object' || given === null) return given
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [text(key), walk(value)]))
  }
  return { text, value: <T>(given: T) => walk(given) as T }
}

function without(text: string, { text: form, name }: Form): string {
  const beginning = form.slice(0, BEGINNING_CHARS)
  let at = text.indexOf(beginning)
  if (at < 0) return text
  let kept = ''
  let from = 0
  for (; at >= 0; at = text.indexOf(beginning, from)) {
    let end = at + beginning.length
    while (end < text.length && end - at < form.length && text[end] === form[end - at]) end++
    kept += text.slice(from, at) + placeholderOf(name)
    from = end
  }
  return kept + text.slice(from)
}

/** The value as it is, as JSON, HTML, URLs and style sheets of text write it, in base64 and in hexadecimal digits. */
function formsOf(value: string): Set<string> {
  const bytes = new TextEncoder().encode(value)
  const url = encodeURIComponent(value)
  const strict = url.replace(/[!'()*~]/g, hexOf)
  const json = JSON.stringify(value).slice(1, -1)
  const collapsed = value.replace(/\s+/g, ' ').trim()
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const encoded = [
    url,
    strict,
    strict.replaceAll('%20', '+'),
    lowerEscapes(url),
    lowerEscapes(strict),
    hex,
    hex.toUpperCase(),
    ...base64Of(bytes),
  ]
  const plain = [
    value,
    collapsed,
    json,
    JSON.stringify(json).slice(1, -1),
    html(value),
    html(value).replace(/'/g, '&#39;'),
  ]
  return new Set([...plain.filter((form) => form !== ''), ...encoded.filter((form) => form.length >= FORM_CHARS_MIN)])
}

const hexOf = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
const lowerEscapes = (text: string): string => text.replace(/%[\dA-F]{2}/g, (each) => each.toLowerCase())
const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Base64 of the value alone, and what is sure to be in base64 of a longer text wherever the value begins in it. */
function base64Of(bytes: Uint8Array): string[] {
  const forms = [0, 1, 2].map((before) => {
    const text = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes))
    // Characters that the neighbours have a part in are left out.
    const begin = before === 0 ? 0 : before + 1
    const end = Math.floor(((before + bytes.length) * 8) / 6)
    return text.slice(begin, end)
  })
  const sure = forms.filter((form) => form.length > FORM_CHARS_MIN + 1)
  return sure.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}
