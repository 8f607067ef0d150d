import * as v from 'valibot'
import { ms } from './fields.ts'
import { LIVE_EVENTS_MAX, LIVE_TEXT_CHARS_MAX } from './limits.ts'

/** [R52] A read token opens it too, as for events. */
export const LiveQuery = v.object({ token: v.optional(v.string()) })

/** [R52] The data of a `frame` in the stream. */
export const LivePicture = v.object({ at: ms, jpeg: v.string() })

const part = v.pipe(
  v.number('must be a number from 0 to 1'),
  v.minValue(0, 'must be a number from 0 to 1'),
  v.maxValue(1, 'must be a number from 0 to 1'),
)
const modifiers = v.optional(
  v.array(v.picklist(['alt', 'ctrl', 'meta', 'shift'], 'must be of alt, ctrl, meta and shift'), 'must be a list'),
)
const pixels = v.pipe(v.number('must be a number'), v.minValue(-10_000), v.maxValue(10_000))

/** [R59] What a person does in the picture of a tab; `x` and `y` are parts of its width and height. */
export const MouseEventBody = v.strictObject({
  type: v.literal('mouse'),
  action: v.picklist(['move', 'down', 'up'], 'must be move, down or up'),
  x: part,
  y: part,
  button: v.optional(v.picklist(['left', 'middle', 'right'], 'must be left, middle or right')),
  clicks: v.optional(v.picklist([1, 2, 3], 'must be 1, 2 or 3')),
  modifiers,
})
export const WheelEventBody = v.strictObject({
  type: v.literal('wheel'),
  x: part,
  y: part,
  dx: pixels,
  dy: pixels,
  modifiers,
})
/** A key with its modifiers, such as `Enter` or `ctrl+a`. */
export const KeyEventBody = v.strictObject({
  type: v.literal('key'),
  key: v.pipe(v.string('must be a string'), v.nonEmpty('must not be empty'), v.maxLength(40, 'must be a key')),
})
export const TextEventBody = v.strictObject({
  type: v.literal('text'),
  text: v.pipe(
    v.string('must be a string'),
    v.maxLength(LIVE_TEXT_CHARS_MAX, `must be at most ${LIVE_TEXT_CHARS_MAX} characters`),
  ),
})
export const LiveEventBody = v.variant(
  'type',
  [MouseEventBody, WheelEventBody, KeyEventBody, TextEventBody],
  'must be mouse, wheel, key or text events',
)
export type LiveInput = v.InferOutput<typeof LiveEventBody>

/** [R59] In their order. */
export const LiveInputBody = v.strictObject({
  events: v.pipe(
    v.array(LiveEventBody, 'must be a list'),
    v.minLength(1, 'must not be empty'),
    v.maxLength(LIVE_EVENTS_MAX, `must have at most ${LIVE_EVENTS_MAX} events`),
  ),
})
