import * as v from 'valibot'
import type { Path } from './errors.ts'
import { REQUIRED } from './fields.ts'
import { isStrict, unknownFields } from './unknown-fields.ts'

/** A blank text where none had to be. */
const BLANK = 'must not be blank'

/** Parsing at the door: the value as the schema says, or the first thing that is wrong with it. */

// biome-ignore lint/suspicious/noExplicitAny: valibot's own bound for any object schema
export type Shape = v.ObjectSchema<v.ObjectEntries, any> | v.StrictObjectSchema<v.ObjectEntries, any>

export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  /** `path` leads to what is wrong; it is empty where that is the whole. */
  | { readonly ok: false; readonly code: string; readonly message: string; readonly path: Path }

/** [E10, E29] A body. Fields are judged in the order of the schema, after those that it does not have: a strict one refuses them. */
export function parseBody<Schema extends Shape>(schema: Schema, body: unknown): Parsed<v.InferOutput<Schema>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { ok: false, code: 'body_invalid', message: 'The body must be a JSON object', path: [] }
  }
  const [unknown] = isStrict(schema) ? unknownFields(schema, body) : []
  if (unknown !== undefined)
    return { ok: false, code: 'unknown_field', message: `Unknown field: ${unknown}`, path: [unknown] }
  return parse(schema, body)
}

/** [E12] A query string. Unknown parameters are ignored; of a repeated one the first counts. Numbers are written in digits. */
export function parseQuery<Schema extends Shape>(schema: Schema, query: string): Parsed<v.InferOutput<Schema>> {
  const given = new URLSearchParams(query)
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.entries)) {
    if (unwrapped(field).type === 'record') {
      const entries = recordIn(given, name)
      // Without a key it is no filter, and not a list of everything.
      if (given.has(name) || entries.length > 0) values[name] = given.get(name) ?? Object.fromEntries(entries)
      continue
    }
    const value = given.get(name)
    if (value !== null)
      values[name] = unwrapped(field).type === 'number' && /^\d{1,16}$/.test(value) ? Number(value) : value
  }
  return parse(schema, values)
}

function parse<Schema extends Shape>(schema: Schema, input: unknown): Parsed<v.InferOutput<Schema>> {
  const judge = judgeOf(schema, input)
  const result = v.safeParse(judge, input, { abortEarly: true })
  if (result.success) return { ok: true, value: result.output as v.InferOutput<Schema> }
  const [issue] = result.issues
  const path = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)))
  const field = String(path[0] ?? 'body')
  const entry = judge.entries[field]
  if (entry !== undefined && isOptional(entry)) {
    return {
      ok: false,
      code: `${field}_invalid`,
      message: `${placeIn(path, entry)} ${issue.message.replace(REQUIRED, BLANK)}`,
      path,
    }
  }
  const isOwn = path.length <= 1
  const missing = (isOwn && (issue.input === undefined || issue.input === null)) || issue.message === REQUIRED
  return missing
    ? { ok: false, code: `${field}_required`, message: `${field} ${REQUIRED}`, path }
    : { ok: false, code: `${field}_invalid`, message: `${field} ${issue.message}`, path }
}

/** A schema whose fields depend on each other names, for a body, the one that judges it. */
const judgeOf = (schema: Shape & { judgedBy?: (body: object) => Shape }, input: unknown): Shape =>
  schema.judgedBy?.(input as object) ?? schema

/** Of a field of an object, which: `browser.viewport.width`; else as `placeOf` says. */
const placeIn = (path: Path, entry: unknown): string =>
  unwrapped(entry).type === 'strict_object' ? path.join('.') : placeOf(path)

/** Of a field of an object in a list, which: `secrets[0].name`; else the field of the body. */
export const placeOf = ([field = 'body', index, inner]: Path): string =>
  inner === undefined ? String(field) : `${field}[${index}].${inner}`

/** Whether a field may be left out. */
export const isOptional = ({ type }: { readonly type: string }): boolean => type === 'optional' || type === 'nullish'

/** What a field is without what it is wrapped in. */
export function unwrapped(field: unknown): { readonly type?: unknown } {
  const { wrapped } = field as { wrapped?: unknown }
  return wrapped === undefined ? (field as { type?: unknown }) : unwrapped(wrapped)
}

/** The entries of `name[key]=value`; of a repeated key the first counts. */
const recordIn = (given: URLSearchParams, name: string): [string, string][] =>
  [...given.keys()]
    .filter((key) => key.startsWith(`${name}[`) && key.endsWith(']'))
    .map((key) => [key.slice(name.length + 1, -1), given.get(key) ?? ''])
