import * as v from 'valibot'
import {
  NOTES_CHARS_MAX,
  OUTPUT_CHARS_MAX,
  SCRIPT_MS_DEFAULT,
  SCRIPT_MS_MAX,
  SECOND_MS,
} from '../../machines/limits.ts'
import {
  COMPUTER_WAIT_MS_MAX,
  EXTRACT_WORDS_MAX,
  FIND_RESULTS_MAX,
  HOLD_MS_MAX,
  KEY_REPEATS_MAX,
  QUESTION_CHARS_MAX,
  SCROLL_TICKS_MAX,
  TEXT_WAIT_MS_MAX,
  TYPED_CHARS_MAX,
} from './limits.ts'

/**
 * What each browser tool takes: the `input` of an `mcp_execute_tool` frame. The service checks it before a call
 * leaves, and the browser parses it with the same schema. Descriptions are written for the model.
 */

const described = <T extends v.GenericSchema>(schema: T, description: string) =>
  v.pipe(schema, v.description(description))
const optional = <T extends v.GenericSchema>(schema: T, description: string) =>
  v.optional(described(schema, description))

const filled = v.pipe(v.string(), v.nonEmpty('must not be empty'))
const REF = 'Reference of an element, such as "e12" or "f2e17", as read_page or find gave it.'
const maxChars = optional(
  v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1), v.maxValue(OUTPUT_CHARS_MAX)),
  `At most so many characters of text (${OUTPUT_CHARS_MAX} when left out).`,
)
export const LOOKS = ['changes', 'screenshot', 'none'] as const
const look = optional(
  v.picklist(LOOKS),
  'What the answer shows of the page after the action: what changed on it ("changes", when left out), a "screenshot" as well, or "none".',
)
const point = v.pipe(v.array(v.number()), v.length(2, 'must be two numbers'))

const page = optional(
  v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1)),
  'Of what is too long for one answer: which page of it, from 1.',
)

export const NavigateInput = v.object({
  url: described(
    filled,
    'The address to open (https:// is added when no scheme is given), or "back" or "forward" for the history of the tab.',
  ),
  user: optional(
    filled,
    'For a site that asks by HTTP authentication (a window of the browser, no page): the user name. Together with password.',
  ),
  password: optional(filled, 'For HTTP authentication: the password.'),
  look,
})

export const ReadPageInput = v.object({
  filter: optional(
    v.picklist(['interactive', 'all']),
    '"interactive": only what can be clicked or filled in. "all" (when left out): also headings, text and structure.',
  ),
  ref: optional(filled, `Read only this element and what is inside it. ${REF}`),
  page,
  max_chars: maxChars,
})

export const FindInput = v.object({
  query: described(
    filled,
    `What to look for, in words: text of the element, its role, or both ("add to cart button", "search box"). At most ${FIND_RESULTS_MAX} matches come back, best first.`,
  ),
})

export const FormInputInput = v.object({
  ref: described(filled, REF),
  value: described(
    v.union([v.string(), v.number(), v.boolean()]),
    'What the control is to hold. Text fields: the whole text (it replaces what is there). Select, list box and combo box: the label or the value of the option. Checkbox and switch: true or false. Radio button: true. Slider and spin button: the number. Date: YYYY-MM-DD, time: HH:MM.',
  ),
  look,
})

export const FinishInput = v.object({
  success: described(v.boolean(), 'Whether all that the user asked for was achieved.'),
  answer: described(
    v.pipe(v.string(), v.nonEmpty('must not be empty')),
    'What the user reads: what was found or done, in plain words, with the figures, names and addresses as the pages show them; and what could not be done, and why.',
  ),
  impossible: optional(
    v.boolean(),
    'true when the task cannot be done at all (what it asks for does not exist), rather than not having worked this time.',
  ),
})
export type FinishInput = v.InferOutput<typeof FinishInput>

export const AskUserInput = v.object({
  question: described(
    v.pipe(v.string(), v.nonEmpty('must not be empty'), v.maxLength(QUESTION_CHARS_MAX)),
    'What the user reads: one question, or what to do in the browser.',
  ),
  options: optional(
    v.pipe(v.array(v.pipe(v.string(), v.maxLength(200))), v.maxLength(20)),
    'The answers to choose from. Leave it out for any text.',
  ),
  takeover: optional(v.boolean(), 'true when the user is to do something in the browser, such as signing in.'),
})

export const GetPageTextInput = v.object({ page, max_chars: maxChars })

export const COMPUTER_ACTIONS = [
  'left_click',
  'right_click',
  'double_click',
  'triple_click',
  'hover',
  'left_click_drag',
  'type',
  'key',
  'left_mouse_down',
  'left_mouse_up',
  'mouse_move',
  'scroll',
  'scroll_to',
  'wait',
  'screenshot',
  'zoom',
] as const

export const ComputerInput = v.object({
  action: described(v.picklist(COMPUTER_ACTIONS), 'What to do.'),
  coordinate: optional(
    point,
    '[x, y] in pixels of the last screenshot. Where to click, hover or scroll; the end of a drag. A ref is more reliable than a coordinate.',
  ),
  start_coordinate: optional(point, '[x, y] where a left_click_drag starts (or give ref).'),
  ref: optional(
    filled,
    `The element to click, hover, scroll or scroll to; the start of a drag; the field to focus before typing. ${REF}`,
  ),
  to_ref: optional(filled, `For left_click_drag: the element to drag to, instead of a coordinate. ${REF}`),
  text: optional(
    v.pipe(v.string(), v.maxLength(TYPED_CHARS_MAX)),
    'For type: the text to type where the focus is; a line break in it is a line break, never a submit. For wait: wait until this text is on the page. For key: one or more keys separated by spaces, such as "Enter", "ctrl+a", "Tab Tab Enter".',
  ),
  clear: optional(v.boolean(), 'For type: replace what the field holds.'),
  gone: optional(filled, 'For wait: wait until this text is no longer on the page.'),
  hold: optional(
    v.pipe(v.number(), v.minValue(0), v.maxValue(HOLD_MS_MAX / SECOND_MS)),
    `For key and left_click: hold the keys or the button down for so many seconds, at most ${HOLD_MS_MAX / SECOND_MS}.`,
  ),
  duration: optional(
    v.pipe(v.number(), v.minValue(0), v.maxValue(COMPUTER_WAIT_MS_MAX / SECOND_MS)),
    `For wait: seconds, at most ${COMPUTER_WAIT_MS_MAX / SECOND_MS} (1 when left out); with text or gone at most ${TEXT_WAIT_MS_MAX / SECOND_MS} (${TEXT_WAIT_MS_MAX / SECOND_MS} when left out).`,
  ),
  scroll_direction: optional(v.picklist(['up', 'down', 'left', 'right']), 'For scroll ("down" when left out).'),
  scroll_amount: optional(
    v.pipe(v.number(), v.minValue(1), v.maxValue(SCROLL_TICKS_MAX)),
    'For scroll: ticks of a mouse wheel (3 when left out).',
  ),
  region: optional(
    v.pipe(v.array(v.number()), v.length(4, 'must be four numbers')),
    'For zoom: [left, top, right, bottom] in pixels of the last screenshot.',
  ),
  modifiers: optional(v.string(), 'Keys held during a click or scroll, such as "ctrl" or "ctrl+shift".'),
  repeat: optional(
    v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1), v.maxValue(KEY_REPEATS_MAX)),
    'For key: how many times (1 when left out).',
  ),
  look,
})

export const JavascriptToolInput = v.object({
  action: described(v.literal('javascript_exec'), 'Always "javascript_exec".'),
  text: described(
    filled,
    'JavaScript to run in the page. The value of the last expression is returned; promises and top-level await are awaited. Do not write "return".',
  ),
  look,
})

export const TabsInput = v.object({
  action: described(v.picklist(['list', 'open', 'switch', 'close']), 'What to do.'),
  tab: optional(
    v.pipe(v.number(), v.integer('must be a whole number')),
    'For switch and close: the number of the tab, as list gives it. Close takes the present one when it is left out.',
  ),
  url: optional(filled, 'For open: the address to open in the new tab.'),
  look,
})

export const DialogInput = v.object({
  accept: described(v.boolean(), 'true: OK, or leave the page. false: Cancel, or stay on it.'),
  text: optional(v.pipe(v.string(), v.maxLength(TYPED_CHARS_MAX)), 'For a prompt: what to enter.'),
  look,
})

export const FilesInput = v.object({
  action: described(v.picklist(['list', 'upload', 'read', 'write']), 'What to do.'),
  name: optional(
    filled,
    'For upload and read: the name of the file, as list gives it. For write: a new name that ends with .csv, .json, .txt, .md or .html.',
  ),
  text: optional(v.string(), 'For write: all that the file is to hold.'),
  ref: optional(filled, `For upload: the file field, or the button or area that takes the file. ${REF}`),
  max_chars: maxChars,
})

export const ScriptInput = v.object({
  code: described(
    filled,
    'JavaScript, run outside of the page in a world of its own: no DOM, no network, no clock. Await every call; return plain data.',
  ),
  timeout_s: optional(
    v.pipe(v.number(), v.minValue(1), v.maxValue(SCRIPT_MS_MAX / SECOND_MS)),
    `How long its calls may take together, in seconds (${SCRIPT_MS_DEFAULT / SECOND_MS} when left out, at most ${SCRIPT_MS_MAX / SECOND_MS}).`,
  ),
})

export const NoteInput = v.object({
  text: described(
    v.pipe(filled, v.maxLength(NOTES_CHARS_MAX)),
    'Figures, names and addresses, as short as they can be.',
  ),
})

export const ExtractInput = v.object({
  what: described(v.pipe(filled, v.maxLength(EXTRACT_WORDS_MAX)), 'What to take from the text, precisely.'),
  schema: optional(v.record(v.string(), v.unknown()), 'JSON Schema of an object that the result is to fit.'),
  from: optional(
    v.picklist(['page', 'pages']),
    'The first page of a long text ("page", when left out), or all of its pages.',
  ),
})

export type NavigateInput = v.InferOutput<typeof NavigateInput>
export type ReadPageInput = v.InferOutput<typeof ReadPageInput>
export type FindInput = v.InferOutput<typeof FindInput>
export type FormInputInput = v.InferOutput<typeof FormInputInput>
export type GetPageTextInput = v.InferOutput<typeof GetPageTextInput>
export type ComputerInput = v.InferOutput<typeof ComputerInput>
export type TabsInput = v.InferOutput<typeof TabsInput>
export type DialogInput = v.InferOutput<typeof DialogInput>
export type FilesInput = v.InferOutput<typeof FilesInput>
export type JavascriptToolInput = v.InferOutput<typeof JavascriptToolInput>
