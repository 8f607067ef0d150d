import * as v from 'valibot'
import {
  HELD_FIELDS_MAX,
  HELD_METHOD_CHARS_MAX,
  HELD_NAME_CHARS_MAX,
  HELD_NUMBERS_MAX,
  HELD_PATH_CHARS_MAX,
  HELD_SHAPE_CHARS_MAX,
  HELD_VALUE_CHARS_MAX,
  REQUEST_ID_CHARS_MAX,
  URL_CHARS_MAX,
} from './limits.ts'

/** [I5] What a browser holds until its user approves it, and the call that lets go of it. */

const textOf = (charsMax: number) => v.pipe(v.string(), v.maxLength(charsMax))
const id = v.pipe(v.string(), v.nonEmpty(), v.maxLength(REQUEST_ID_CHARS_MAX))
const terms = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits'))

/** `Held` of machines/held.ts, as it comes in a `tool_result`. */
export const Held = v.object({
  id,
  kind: v.picklist(['request', 'act']),
  method: textOf(HELD_METHOD_CHARS_MAX),
  site: textOf(URL_CHARS_MAX),
  path: textOf(HELD_PATH_CHARS_MAX),
  shape: v.pipe(textOf(HELD_SHAPE_CHARS_MAX), v.nonEmpty()),
  target: v.nullable(v.object({ role: textOf(HELD_NAME_CHARS_MAX), name: textOf(HELD_NAME_CHARS_MAX) })),
  fields: v.pipe(
    v.array(v.object({ name: textOf(HELD_NAME_CHARS_MAX), value: textOf(HELD_VALUE_CHARS_MAX) })),
    v.maxLength(HELD_FIELDS_MAX),
  ),
  terms,
  numbers: v.pipe(v.array(textOf(HELD_NAME_CHARS_MAX)), v.maxLength(HELD_NUMBERS_MAX)),
})

/** The input of `release`, the service's own call of a browser that holds. */
export const ReleaseInput = v.object({ held: id, action: v.picklist(['accept', 'decline']), terms })
export type ReleaseInput = v.InferOutput<typeof ReleaseInput>
