import type { Response } from '../net/transport.ts'
import type { Shape } from './parse.ts'

/** Of a name that a client chose. */
export const FIELD_NAME_CHARS_SHOWN = 100

/** [E29] Whether a body may have no other fields than those of its schema. */
export const isStrict = ({ type }: Shape): boolean => type === 'strict_object'

/** The names of the fields that a schema does not have; a long one is cut. */
export const unknownFields = ({ entries }: Shape, body: object): string[] =>
  Object.keys(body)
    .filter((name) => !Object.hasOwn(entries, name))
    .map((name) => name.slice(0, FIELD_NAME_CHARS_SHOWN))

const WARNINGS_MAX = 5

/** [E29] Says which fields were ignored. */
export const warningOf = (unknown: readonly string[]): Response['headers'] =>
  warningsOf(unknown.slice(0, WARNINGS_MAX).map((name) => `Unknown field: ${name}`))

/** Sentences in a header `Warning`, without what a header cannot have; none without a sentence. */
export function warningsOf(sentences: readonly string[]): Response['headers'] {
  if (sentences.length === 0) return []
  return [['Warning', sentences.map((sentence) => `299 - "${sentence.replace(UNQUOTABLE, '?')}"`).join(', ')]]
}

const UNQUOTABLE = /[^\x20-\x7e]|["\\]/g
