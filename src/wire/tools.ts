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
 * The tools of the model, each once: its name, what the model reads of it, and what it takes, which is the `input` of an
 * `mcp_execute_tool` frame. The service checks an input before a call leaves, and the browser parses it with the same schema.
 */
export interface Tool<Name extends string = string, Input extends ToolInput = ToolInput> {
  readonly name: Name
  readonly description: string
  readonly input: Input
  /** Whether a call may change the page, so that its answer shows what changed; absent: none does. */
  acts?(input: v.InferOutput<Input>): boolean
  /** How long a call waits on purpose, in milliseconds; absent: not at all. */
  waitMs?(input: v.InferOutput<Input>): number
  /** [I6] The model says whether a call can be undone. */
  readonly hasIntent?: boolean
}
type ToolInput = v.ObjectSchema<v.ObjectEntries, undefined>

const defineTool = <const Name extends string, Input extends ToolInput>(tool: Tool<Name, Input>) => tool

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

export const navigate = defineTool({
  name: 'navigate',
  description:
    'Opens an address in the tab of this task, or goes back or forward in its history, waits until the page has loaded, and returns the final URL, the title and what can be clicked or filled in. Only http and https pages can be opened. Element references (refs) from before the navigation are no longer valid.',
  input: v.object({
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
  }),
  acts: () => true,
})

export const readPage = defineTool({
  name: 'read_page',
  description:
    'Reads the page as a tree: one line per element or text, with its role, name, state and value, indented by nesting; shadow DOM and frames are included. Everything that can be used carries a ref such as "e12" ("f2e17" in a frame) for form_input and computer. The cells of a table row are in one line, separated by |. Addresses of links are relative to that of the page: ?…id=…&tab=2 has its parameters up to id. Lines that are new since you last looked begin with *. Use filter "interactive" to see only what can be used; on a long page the answer begins with what is in view: page reads the rest, ref reads one part or section.',
  input: v.object({
    filter: optional(
      v.picklist(['interactive', 'all']),
      '"interactive": only what can be clicked or filled in. "all" (when left out): also headings, text and structure.',
    ),
    ref: optional(filled, `Read only this element and what is inside it. ${REF}`),
    page,
    max_chars: maxChars,
  }),
})

export const find = defineTool({
  name: 'find',
  description:
    'Finds elements on the page by visible text, label, placeholder, role or purpose. Returns up to 20 matches, best first, each with a ref. Cheaper than read_page when you know what you are looking for.',
  input: v.object({
    query: described(
      filled,
      `What to look for, in words: text of the element, its role, or both ("add to cart button", "search box"). At most ${FIND_RESULTS_MAX} matches come back, best first.`,
    ),
  }),
})

export const formInput = defineTool({
  name: 'form_input',
  description:
    'Sets the value of a form control by its ref: text field, text area, select, checkbox, radio button, switch, date, time, number, range, colour or an editable region; a video or audio takes play, pause, mute, unmute or a time such as 1:30. Replaces what was there and fires the events that pages listen for. Returns the value that the control has afterwards: compare it with the value you wanted. It does not submit the form.',
  input: v.object({
    ref: described(filled, REF),
    value: described(
      v.union([v.string(), v.number(), v.boolean()]),
      'What the control is to hold. Text fields: the whole text (it replaces what is there). Select, list box and combo box: the label or the value of the option. Checkbox and switch: true or false. Radio button: true. Slider and spin button: the number. Date: YYYY-MM-DD, time: HH:MM.',
    ),
    look,
  }),
  acts: () => true,
  hasIntent: true,
})

export const getPageText = defineTool({
  name: 'get_page_text',
  description:
    'Reads the title, the URL and the visible text of the page, main content first. Frames are included, and so is a PDF that the tab shows; a long text is read by page. Best for articles, tables, results and confirmations, where you need the text and not the controls.',
  input: v.object({ page, max_chars: maxChars }),
})

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

export const computer = defineTool({
  name: 'computer',
  description:
    'Uses mouse and keyboard in the tab, and looks at it. left_click, right_click, double_click, triple_click and hover take a ref (preferred: it is scrolled into view first) or a coordinate. left_click_drag goes from start_coordinate or ref to coordinate or to_ref; left_mouse_down, mouse_move and left_mouse_up make a drag of your own. type types text into the focused field (or the field of ref) and answers what it holds then; clear replaces what is there; key presses keys and shortcuts such as "Enter" or "ctrl+a". scroll scrolls the page, or what is at ref or coordinate, and says how far; scroll_to brings a ref into view. wait waits some seconds, or for a text to come (text) or to go (gone). screenshot shows the tab as it is now; zoom shows a region of it larger. Coordinates are pixels of the last screenshot. An action waits until its target is ready and until the page has come to rest; the answer shows what changed.',
  input: v.object({
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
  }),
  acts: ({ action }) => !['screenshot', 'zoom'].includes(action),
  waitMs({ action, duration, text, gone }) {
    if (action !== 'wait') return 0
    // The last moments of a wait for a text are for looking.
    return text === undefined && gone === undefined ? (duration ?? 1) * SECOND_MS : TEXT_WAIT_MS_MAX
  },
  hasIntent: true,
})

export const javascriptTool = defineTool({
  name: 'javascript_tool',
  description:
    'Runs JavaScript in the page and returns the value of the last expression as text (objects as JSON); errors are returned as text. Use it to read data that the other tools do not show, not to bypass what the page allows a user to do.',
  input: v.object({
    action: described(v.literal('javascript_exec'), 'Always "javascript_exec".'),
    text: described(
      filled,
      'JavaScript to run in the page. The value of the last expression is returned; promises and top-level await are awaited. Do not write "return".',
    ),
    look,
  }),
  acts: () => true,
  hasIntent: true,
})

export const tabs = defineTool({
  name: 'tabs',
  description:
    'Lists the tabs of this task, opens one, switches to another or closes one. All other tools work in the present tab. A window that a click opens becomes the present tab; others are listed.',
  input: v.object({
    action: described(v.picklist(['list', 'open', 'switch', 'close']), 'What to do.'),
    tab: optional(
      v.pipe(v.number(), v.integer('must be a whole number')),
      'For switch and close: the number of the tab, as list gives it. Close takes the present one when it is left out.',
    ),
    url: optional(filled, 'For open: the address to open in the new tab.'),
    look,
  }),
  acts: ({ action }) => action !== 'list',
})

export const dialog = defineTool({
  name: 'dialog',
  description:
    'Answers the open dialog of the page: a confirmation, a prompt, or the question whether to leave the page. A dialog that is not answered within 10 s is dismissed. Alerts need no answer.',
  input: v.object({
    accept: described(v.boolean(), 'true: OK, or leave the page. false: Cancel, or stay on it.'),
    text: optional(v.pipe(v.string(), v.maxLength(TYPED_CHARS_MAX)), 'For a prompt: what to enter.'),
    look,
  }),
  acts: () => true,
})

export const files = defineTool({
  name: 'files',
  description:
    'Files of this task: list them (given with the task, and downloaded), upload one by its name to a file field or upload area, read the text of one (PDF, xlsx, docx, pptx, csv, zip and eml, too; a picture is shown), write one (csv, json, txt, md, html) that can be uploaded and that the user can fetch. Clicking a file field opens no file window; upload to its ref instead.',
  input: v.object({
    action: described(v.picklist(['list', 'upload', 'read', 'write']), 'What to do.'),
    name: optional(
      filled,
      'For upload and read: the name of the file, as list gives it. For write: a new name that ends with .csv, .json, .txt, .md or .html.',
    ),
    text: optional(v.string(), 'For write: all that the file is to hold.'),
    ref: optional(filled, `For upload: the file field, or the button or area that takes the file. ${REF}`),
    max_chars: maxChars,
  }),
  acts: ({ action }) => action === 'upload',
})

/** [L41] It never reaches a browser: the service runs it, and what it asks for are calls of the task. */
export const script = defineTool({
  name: 'script',
  description: `Runs JavaScript that does many steps in one call: harvesting pages, repeating an act for each row, waiting. All of these return promises: click(target, {double, button, modifiers, irreversible}), type(target, text, {clear}), set(target, value), key("Enter"), hover(target), drag(from, to), scroll("down", {amount, target}), navigate(url), wait({text | gone | target, s}), find(words) → [{ref, role, name}], read({ref, filter, page}) → tree, text({page}), rows(target) → [[cell, …], …] of a table with all of its pages, tabs({action, tab, url}), dialog({accept, text}), note(words), write(name, text) → a file of the task. log(words) adds to the result. A target is a ref, or {role, name, within} as read_page shows them, which must mean one element. A call that fails throws. At most 200 calls. Example: const all = []; do { all.push(...(await rows({role: "table", name: "Orders"})).slice(1)); try { await click({role: "link", name: "Next"}) } catch { break } } while (true); return all`,
  input: v.object({
    code: described(
      filled,
      'JavaScript, run outside of the page in a world of its own: no DOM, no network, no clock. Await every call; return plain data.',
    ),
    timeout_s: optional(
      v.pipe(v.number(), v.minValue(1), v.maxValue(SCRIPT_MS_MAX / SECOND_MS)),
      `How long its calls may take together, in seconds (${SCRIPT_MS_DEFAULT / SECOND_MS} when left out, at most ${SCRIPT_MS_MAX / SECOND_MS}).`,
    ),
  }),
})

/** It never reaches a browser: the service carries it out. */
export const note = defineTool({
  name: 'note',
  description:
    'Keeps words for you: what you read is shortened later, a note stays whole. For figures and names that your answer needs.',
  input: v.object({
    text: described(
      v.pipe(filled, v.maxLength(NOTES_CHARS_MAX)),
      'Figures, names and addresses, as short as they can be.',
    ),
  }),
})

/** It never reaches a browser: the service carries it out. */
export const extract = defineTool({
  name: 'extract',
  description:
    'Has the text of the page, or of all its pages, read for you, and returns what you asked for: cheaper than reading a long text yourself. Says which values are not on the page as they stand.',
  input: v.object({
    what: described(v.pipe(filled, v.maxLength(EXTRACT_WORDS_MAX)), 'What to take from the text, precisely.'),
    schema: optional(v.record(v.string(), v.unknown()), 'JSON Schema of an object that the result is to fit.'),
    from: optional(
      v.picklist(['page', 'pages']),
      'The first page of a long text ("page", when left out), or all of its pages.',
    ),
  }),
})

/** [L23] Ends the task. It never reaches a browser: the service carries it out. */
export const finish = defineTool({
  name: 'finish',
  description:
    'Ends the task with your answer to the user. Call it alone, after the last action has shown its effect. Set success to false when the task was not achieved, for any reason.',
  input: v.object({
    success: described(v.boolean(), 'Whether all that the user asked for was achieved.'),
    answer: described(
      v.pipe(v.string(), v.nonEmpty('must not be empty')),
      'What the user reads: what was found or done, in plain words, with the figures, names and addresses as the pages show them; and what could not be done, and why.',
    ),
    impossible: optional(
      v.boolean(),
      'true when the task cannot be done at all (what it asks for does not exist), rather than not having worked this time.',
    ),
  }),
})

/** [I4] Asks the user. It never reaches a browser: the service waits for the answer. */
export const askUser = defineTool({
  name: 'ask_user',
  description:
    'Asks the user a question and waits for the answer, up to 10 minutes. Only for what neither the task nor the pages can tell you. With takeover, asks the user to do something in the browser that you cannot do, such as signing in.',
  input: v.object({
    question: described(
      v.pipe(v.string(), v.nonEmpty('must not be empty'), v.maxLength(QUESTION_CHARS_MAX)),
      'What the user reads: one question, or what to do in the browser.',
    ),
    options: optional(
      v.pipe(v.array(v.pipe(v.string(), v.maxLength(200))), v.maxLength(20)),
      'The answers to choose from. Leave it out for any text.',
    ),
    takeover: optional(v.boolean(), 'true when the user is to do something in the browser, such as signing in.'),
  }),
})

/** Every browser has these. */
export const SEVEN_TOOLS = [navigate, readPage, find, formInput, getPageText, computer, javascriptTool] as const
/** Browsers of protocol 2 announce which of these they have. */
export const ANNOUNCED_TOOLS = [tabs, dialog, files] as const
/** Carried out by the service itself, for tasks in browsers of protocol 2. */
export const OWN_TOOLS = [script, note, extract] as const
/** What a browser carries out. */
export const BROWSER_TOOLS = [...SEVEN_TOOLS, ...ANNOUNCED_TOOLS] as const

/** What a call of the tool has as its input, once it was checked. */
export type InputOf<T extends Tool> = v.InferOutput<T['input']>
export type ReadPageInput = InputOf<typeof readPage>
export type FindInput = InputOf<typeof find>
export type FilesInput = InputOf<typeof files>
export type GetPageTextInput = InputOf<typeof getPageText>
export type JavascriptToolInput = InputOf<typeof javascriptTool>
export type DialogInput = InputOf<typeof dialog>
export type TabsInput = InputOf<typeof tabs>
export type NavigateInput = InputOf<typeof navigate>
export type FormInputInput = InputOf<typeof formInput>
export type ComputerInput = InputOf<typeof computer>
