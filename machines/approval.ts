import type { Held, HeldField } from './held.ts'
import type { InputRequest } from './input-request.ts'
import type { JournalCall } from './journal.ts'
import type { Ms } from './records.ts'

/** What a user is asked to approve, in words. */

/** A hold as its user sees it: what the browser compares stays between it and the service. */
export type ShownHold = Pick<Held, 'kind' | 'method' | 'site' | 'path' | 'shape' | 'target' | 'fields'>

/** [I7] What is different from what the user had approved. */
export interface Changes {
  readonly fields: readonly { readonly name: string; readonly before: string | null; readonly after: string | null }[]
  readonly numbers: { readonly before: readonly string[]; readonly after: readonly string[] }
}

/** How much of a request its message has; `call.held` has all of it. */
const MESSAGE_FIELDS_MAX = 12
const MESSAGE_VALUE_CHARS_MAX = 80
const NUMBERS_SHOWN_MAX = 20

/**
 * [I5] Asks for the approval of what is held; `null`: of the call itself, for a browser that cannot hold.
 * `approved`: what the user had approved, if it is held again. The id of the call that was answered names the request.
 */
export function approvalOf(
  id: string,
  call: JournalCall,
  held: Held | null,
  approved: Held | null,
  expiresAt: Ms,
): InputRequest {
  const changed = held && approved ? changesOf(approved, held) : null
  const asked = held ? words(held, call) : `Carry out ${call.tool}${actionOf(call)}`
  return {
    id,
    kind: 'approval',
    message: changed ? `${changeWords(changed)} ${asked}` : asked,
    schema: null,
    call: { tool: call.tool, input: call.input, held: held && shown(held), changed },
    expiresAt,
  }
}

const shown = ({ kind, method, site, path, shape, target, fields }: Held): ShownHold => ({
  ...{ kind, method, site, path, shape, target, fields },
})

const actionOf = ({ input }: JournalCall): string => (typeof input.action === 'string' ? ` ${input.action}` : '')

/** `null`: another request than the one that was approved. */
function changesOf(before: Held, after: Held): Changes | null {
  if (before.kind !== after.kind || before.shape !== after.shape) return null
  const names = [...new Set([...before.fields, ...after.fields].map(({ name }) => name))]
  const fields = names.flatMap((name) => {
    const [old, now] = [valueIn(before.fields, name), valueIn(after.fields, name)]
    return old === now ? [] : [{ name, before: old, after: now }]
  })
  return { fields, numbers: { before: without(before, after), after: without(after, before) } }
}

/** Fields of one name are one value. */
function valueIn(fields: readonly HeldField[], name: string): string | null {
  const values = fields.filter((field) => field.name === name).map(({ value }) => value)
  return values.length === 0 ? null : values.join(', ')
}

/** The numbers that one hold has more often than the other. */
function without({ numbers }: Held, other: Held): string[] {
  const rest = [...other.numbers]
  return numbers
    .filter((number) => {
      const at = rest.indexOf(number)
      if (at >= 0) rest.splice(at, 1)
      return at < 0
    })
    .slice(0, NUMBERS_SHOWN_MAX)
}

function changeWords({ fields, numbers }: Changes): string {
  const ofFields = fields.map(({ name, before, after }) => `${name} ${before ?? '(none)'} → ${after ?? '(none)'}`)
  const ofNumbers =
    numbers.before.length + numbers.after.length === 0
      ? []
      : [`numbers ${numbers.before.join(', ') || '(none)'} → ${numbers.after.join(', ') || '(none)'}`]
  const all = [...ofFields, ...ofNumbers].slice(0, MESSAGE_FIELDS_MAX).join('; ')
  return all === '' ? 'The page has changed since your approval.' : `Changed since your approval: ${all}.`
}

function words({ kind, method, site, path, target, fields }: Held, call: JournalCall): string {
  const place = `${site.replace(/^https:\/\//, '')}${path}`
  const what = target ? `${target.role} ${JSON.stringify(target.name)}` : null
  const act =
    kind === 'request' ? `Send ${method} to ${place}${what ? `, by ${what}` : ''}` : actWords(call, place, what)
  const said = fields.slice(0, MESSAGE_FIELDS_MAX).map(({ name, value }) => `${name} ${brief(value)}`)
  const rest = fields.length > said.length ? `, and ${fields.length - said.length} more` : ''
  return said.length === 0 ? act : `${act}: ${said.join(', ')}${rest}`
}

function actWords(call: JournalCall, place: string, what: string | null): string {
  const { tool, input } = call
  if (tool === 'javascript_tool') return `Run a script on ${place}`
  if (tool === 'dialog') return `Answer the dialog of ${place}`
  if (tool === 'files') return `Upload ${JSON.stringify(input.name ?? 'a file')} to ${place}`
  if (tool === 'navigate' || tool === 'tabs') return `Open ${place}`
  if (tool === 'form_input') return `Set ${what ?? 'a field'} on ${place}`
  return what ? `Press ${what} on ${place}` : `Carry out ${tool}${actionOf(call)} on ${place}`
}

const brief = (value: string): string =>
  value === ''
    ? '(empty)'
    : value.length > MESSAGE_VALUE_CHARS_MAX
      ? `${value.slice(0, MESSAGE_VALUE_CHARS_MAX)}…`
      : value

/** [I6] Tools and actions that change nothing on a page. Of a browser that cannot hold, all others need an approval. */
const HARMLESS_TOOLS = new Set(['read_page', 'find', 'get_page_text'])
const HARMLESS_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  computer: ['screenshot', 'zoom', 'wait', 'hover', 'scroll', 'scroll_to'],
  tabs: ['list'],
  files: ['list', 'read'],
}

/** Whether a call changes nothing on a page. */
export const isHarmless = ({ tool, input }: Pick<JournalCall, 'tool' | 'input'>): boolean =>
  HARMLESS_TOOLS.has(tool) || (HARMLESS_ACTIONS[tool]?.includes(String(input.action)) ?? false)
