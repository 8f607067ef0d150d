import * as v from 'valibot'
import { ACT_CHARS_MAX, ACT_FIELDS_MAX, ACT_LINES_MAX, HELD_NAME_CHARS_MAX, URL_CHARS_MAX } from './limits.ts'
import { record } from './record.ts'

/** [J2] What a browser tells of its acts, and heeds in them: `ActReport` and `Guard` of machines/recipe.ts. */

const text = v.pipe(v.string(), v.maxLength(ACT_CHARS_MAX))
const optional = v.optional(text)

export const Target = v.object({
  role: text,
  name: text,
  label: optional,
  heading: optional,
  landmark: optional,
  row: optional,
  item: optional,
  frame: v.optional(v.pipe(v.string(), v.maxLength(URL_CHARS_MAX))),
  type: optional,
  attribute: optional,
  id: optional,
  testId: optional,
  href: v.optional(v.pipe(v.string(), v.maxLength(URL_CHARS_MAX))),
  alike: v.pipe(v.number(), v.integer(), v.minValue(0)),
  overlay: v.optional(v.literal(true)),
  says: v.optional(v.object({ name: v.array(text), place: v.array(text) })),
})

export const Terms = v.object({
  form: v.nullable(v.pipe(v.string(), v.maxLength(URL_CHARS_MAX))),
  fields: v.pipe(
    v.array(
      v.object({
        name: v.pipe(v.string(), v.maxLength(HELD_NAME_CHARS_MAX)),
        value: text,
        hidden: v.optional(v.literal(true)),
      }),
    ),
    v.maxLength(ACT_FIELDS_MAX),
  ),
  lines: v.pipe(v.array(text), v.maxLength(ACT_LINES_MAX)),
})

export const ActReport = v.object({
  target: v.optional(Target),
  toTarget: v.optional(Target),
  terms: v.optional(Terms),
  missed: v.optional(v.string()),
  refused: v.optional(v.string()),
})

const values = record(v.string(), v.union([v.string(), v.number(), v.boolean()]))

export const Guard = v.object({
  waitMs: v.optional(v.number()),
  expect: v.optional(v.object({ url: v.nullable(v.string()), lines: v.array(v.string()) })),
  terms: v.optional(
    v.object({ terms: Terms, before: values, now: values, choosing: v.optional(v.array(v.string()), []) }),
  ),
  optional: v.optional(v.literal(true)),
})
