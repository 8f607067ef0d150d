import type { JournalCall } from './journal.ts'

/** What a call of a tool is to the page: it only looks, it only waits, or it acts on what was seen of it. */

type Asked = Pick<JournalCall, 'tool' | 'input'>

const LOOKING_TOOLS = new Set(['read_page', 'get_page_text', 'find'])
const LOOKING_ACTIONS = new Set(['screenshot', 'zoom', 'list', 'read'])

/** [L40] Waiting and looking change nothing, so doing it again is no failure. */
export const isWait = ({ tool, input }: Asked): boolean => tool === 'computer' && input.action === 'wait'
export const isLook = ({ tool, input }: Asked): boolean =>
  LOOKING_TOOLS.has(tool) || (['computer', 'tabs', 'files'].includes(tool) && LOOKING_ACTIONS.has(String(input.action)))

/** Fields that name a place on the page as it was seen. */
const PLACES = ['ref', 'to_ref', 'coordinate', 'start_coordinate', 'region']

/**
 * [L24] Whether the call counts on the page that the model has seen: it names a place there, presses keys, or runs a
 * script. `finish` counts on it, too: the model says what it has seen.
 */
export const dependsOnPage = (call: Asked): boolean =>
  PLACES.some((name) => call.input[name] !== undefined) ||
  !(isLook(call) || isWait(call) || call.tool === 'navigate' || call.tool === 'tabs')
