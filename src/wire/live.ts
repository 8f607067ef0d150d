import * as v from 'valibot'
import { at, field } from './fields.ts'
import { LIVE_EVENTS_MAX, LIVE_TEXT_CHARS_MAX } from './limits.ts'

/** [R52] A read token opens it too, as for events. */
export const LiveQuery = v.object({
  token: field(v.optional(v.string()), 'A read token of this task, in place of a key.', 'svc_read_5f0c1a2b'),
})

/** [R52] The data of a `frame` in the stream. */
export const LivePicture = v.object({ at, jpeg: field(v.string(), 'A JPEG, in base64.', '/9j/4AAQ…') })

const part = v.pipe(
  v.number('must be a number from 0 to 1'),
  v.minValue(0, 'must be a number from 0 to 1'),
  v.maxValue(1, 'must be a number from 0 to 1'),
)
const position = {
  x: field(part, 'From the left: a part of the width, 0 to 1.', 0.5),
  y: field(part, 'From the top: a part of the height, 0 to 1.', 0.25),
}
const modifiers = field(
  v.optional(
    v.array(v.picklist(['alt', 'ctrl', 'meta', 'shift'], 'must be of alt, ctrl, meta and shift'), 'must be a list'),
  ),
  'Keys that are held.',
  ['shift'],
)
const pixels = v.pipe(v.number('must be a number'), v.minValue(-10_000), v.maxValue(10_000))

/** [R59] What a person does in the picture of a tab; `x` and `y` are parts of its width and height. */
export const MouseEventBody = v.strictObject({
  type: field(v.literal('mouse'), 'What it is.'),
  action: field(
    v.picklist(['move', 'down', 'up'], 'must be move, down or up'),
    'What the button does; `move` moves the pointer.',
    'down',
  ),
  ...position,
  button: field(
    v.optional(v.picklist(['left', 'middle', 'right'], 'must be left, middle or right')),
    'The button.',
    'left',
  ),
  clicks: field(v.optional(v.picklist([1, 2, 3], 'must be 1, 2 or 3')), '2: the second of a double click.', 1),
  modifiers,
})
export const WheelEventBody = v.strictObject({
  type: field(v.literal('wheel'), 'What it is.'),
  ...position,
  dx: field(pixels, 'Pixels to the right.', 0),
  dy: field(pixels, 'Pixels down.', 120),
  modifiers,
})
/** A key with its modifiers, such as `Enter` or `ctrl+a`. */
export const KeyEventBody = v.strictObject({
  type: field(v.literal('key'), 'What it is.'),
  key: field(
    v.pipe(v.string('must be a string'), v.nonEmpty('must not be empty'), v.maxLength(40, 'must be a key')),
    'A key with its modifiers.',
    'ctrl+a',
  ),
})
export const TextEventBody = v.strictObject({
  type: field(v.literal('text'), 'What it is.'),
  text: field(
    v.pipe(
      v.string('must be a string'),
      v.maxLength(LIVE_TEXT_CHARS_MAX, `must be at most ${LIVE_TEXT_CHARS_MAX} characters`),
    ),
    'What is typed.',
    '123456',
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
  events: field(
    v.pipe(
      v.array(LiveEventBody, 'must be a list'),
      v.minLength(1, 'must not be empty'),
      v.maxLength(LIVE_EVENTS_MAX, `must have at most ${LIVE_EVENTS_MAX} events`),
    ),
    'What the person does, in its order.',
    [{ type: 'key', key: 'Enter' }],
  ),
})
