import type { Answer } from './agent-loop.ts'
import type { Held, HeldField } from './held.ts'
import type { InputRequest } from './input-request.ts'
import type { JournalCall } from './journal.ts'
import { ALLOWED_SHAPES_MAX } from './limits.ts'
import type { Ms } from './records.ts'
import type { TaskContext } from './task-types.ts'

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
const QUOTE_CHARS_MAX = 60
const GOODS_NAMED_MAX = 2
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
  const parts = [`${sentenceOf({ ...call, held })}.`, held && sourceOf(held), changed && changeWords(changed)]
  return {
    id,
    kind: 'approval',
    message: [...parts, held && pageWords(held)].filter(Boolean).join(' '),
    schema: null,
    call: { tool: call.tool, input: call.input, held: held && shown(held), changed },
    expiresAt,
  }
}

const shown = ({ kind, method, site, path, shape, target, fields }: Held): ShownHold => ({
  ...{ kind, method, site, path, shape, target, fields },
})

const actionOf = ({ input }: Pick<JournalCall, 'input'>): string =>
  typeof input.action === 'string' ? ` ${input.action}` : ''

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

/** Where it goes, as the browser checked it. It stands before all that the page says, which could imitate it. */
function sourceOf({ kind, method, site, path }: Held): string {
  const address = `${hostOf(site)}${path}`
  return kind === 'request' ? `Request: ${method} ${address}.` : `Page: ${address}.`
}

/** What the page calls the element, and the values that it sends; `null`: nothing. */
function pageWords({ target, fields }: Held): string | null {
  const values = fields.slice(0, MESSAGE_FIELDS_MAX).map(({ name, value }) => `${name} ${brief(value)}`)
  const more = fields.length > values.length ? [`${fields.length - values.length} more`] : []
  const all = [...(target ? [`${target.role} ${JSON.stringify(target.name)}`] : []), ...values, ...more]
  return all.length === 0 ? null : `From the page: ${all.join(', ')}`
}

/** An action that is to be approved, as its user sees it. */
export interface ShownAction {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly held: ShownHold | null
}

/**
 * [I5] What will happen when an action is approved, in one sentence. The site is the browser's word; of the page it has
 * numbers and what it quotes.
 */
export function sentenceOf({ tool, input, held }: ShownAction): string {
  if (held === null) return `Let the task act in the browser: ${tool}${actionOf({ input })}`
  const host = hostOf(held.site)
  const button = held.target && quoted(held.target.name)
  if (held.kind === 'act') return actSentence({ tool, input }, host, button)
  const recipient = recipientOf(held.fields)
  const to = recipient === null ? '' : ` to ${quoted(recipient)}`
  const amount = amountOf(held.fields)
  if (amount !== null) return `Pay ${amount}${to} at ${host}${goodsOf(held.fields)}`
  if (recipient?.includes('@')) return `Send a message${to} at ${host}`
  if (button !== null) return `Press ${button} at ${host}`
  return held.method === 'DELETE' ? `Delete data at ${host}` : `Send data to ${host}`
}

function actSentence({ tool, input }: Omit<ShownAction, 'held'>, host: string, button: string | null): string {
  if (tool === 'javascript_tool') return `Run a script on ${host}`
  if (tool === 'dialog') return `Answer the dialog of ${host}`
  if (tool === 'files') return `Upload ${quoted(String(input.name ?? 'a file'))} to ${host}`
  if (tool === 'navigate' || tool === 'tabs') return `Open ${host}`
  if (tool === 'form_input') return `Set ${button ?? 'a field'} at ${host}`
  return button ? `Press ${button} at ${host}` : `Carry out ${tool}${actionOf({ input })} at ${host}`
}

/** Another scheme than https is named. */
const hostOf = (site: string): string => site.replace(/^https:\/\//, '')

const quoted = (text: string): string => {
  const short = text.length > QUOTE_CHARS_MAX ? `${text.slice(0, QUOTE_CHARS_MAX - 1)}…` : text
  return `“${short.replaceAll(/[“”"]/g, "'")}”`
}

/** The parts of `order[items][0].unit_name`, in lower case and without what separates words. */
const partsOf = (name: string): string[] =>
  name
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((part) => part.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''))

/** Fields of one object have all parts of their name but the last in common. */
const objectOf = (name: string): string => partsOf(name).slice(0, -1).join('.')

/** The value of a field that has one of the names; one of the same object counts before any other. */
function firstOf(fields: readonly HeldField[], names: RegExp, beside = ''): string | null {
  const found = fields.filter(({ name, value }) => value !== '' && names.test(partsOf(name).at(-1) ?? ''))
  return (found.find(({ name }) => objectOf(name) === beside) ?? found[0])?.value ?? null
}

const TOTAL = /^(?:grand|order|cart|invoice)?total(?:amount|price|due|topay)?$/
const AMOUNT = /^(?:amount|sum)(?:due|topay)?$/
const CURRENCY = /^(?:currency|currencycode)$/
const MONEY = /^(?:[A-Z]{3} ?|[$€£¥₹])?\d[\d.,' ]{0,14}(?: ?[A-Z]{3}| ?[€£¥₹])?$/

/** What is paid, with its currency; `null`: no field says it. An amount may also be a number of pieces. */
function amountOf(fields: readonly HeldField[]): string | null {
  const all = fields.flatMap(({ name, value }) => {
    const [last = '', parent = ''] = partsOf(name).reverse()
    const term = last === 'value' ? parent : last
    if (!MONEY.test(value.trim()) || !/[1-9]/.test(value)) return []
    const currency = firstOf(fields, CURRENCY, objectOf(name))
    const known = currency !== null && /^[a-z]{3}$/i.test(currency) ? `${currency.toUpperCase()} ` : ''
    const isMoney = known !== '' || /[^\d.,' ]|[.,]\d\d$/.test(value)
    const rank = TOTAL.test(term) ? 0 : AMOUNT.test(term) && isMoney ? 1 : null
    const text = `${/^[\d.,' ]+$/.test(value) ? known : ''}${value.trim()}`
    return rank === null ? [] : [{ rank, text }]
  })
  return all.sort((one, other) => one.rank - other.rank)[0]?.text ?? null
}

const RECIPIENT = /^(?:to|recipients?|payee|beneficiary|iban)$/

/** To whom it goes: an address or an account. */
function recipientOf(fields: readonly HeldField[]): string | null {
  const value = firstOf(fields, RECIPIENT)
  return value !== null && /@|(?:\d ?){6}/.test(value) ? value : null
}

const GOODS = /^(?:product|item|article)(?:name|title)?$/
const QUANTITY = /^(?:quantity|qty|pieces)$/

/** ` for 2 × “Kyoto teapot”`; empty when no field names goods. */
function goodsOf(fields: readonly HeldField[]): string {
  const goods = fields.flatMap(({ name, value }) => {
    const [last = '', ...above] = partsOf(name).reverse()
    const isNamed =
      GOODS.test(last) || (/^(?:name|title)$/.test(last) && above.some((part) => /^items?$|^products?$/.test(part)))
    if (!isNamed || !/\p{L}{2}/u.test(value)) return []
    const pieces = firstOf(
      fields.filter((field) => objectOf(field.name) === objectOf(name)),
      QUANTITY,
    )
    return [`${pieces !== null && /^\d{1,4}$/.test(pieces) ? `${pieces} × ` : ''}${quoted(value)}`]
  })
  if (goods.length === 0) return ''
  const more = goods.length > GOODS_NAMED_MAX ? ` and ${goods.length - GOODS_NAMED_MAX} more` : ''
  return ` for ${goods.slice(0, GOODS_NAMED_MAX).join(', ')}${more}`
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

/** The call that carries the answer out, and [I13] what it allows for the rest of the task. */
export function releaseOf(
  { held, notApproved, allowedShapes }: TaskContext,
  { action, forTask, releaseId, at }: Answer,
) {
  const isAccepted = action === 'accept'
  const shape = forTask && isAccepted && held && !allowedShapes.includes(held.shape) ? [held.shape] : []
  return {
    release: { requestId: releaseId, action: isAccepted ? ('accept' as const) : ('decline' as const) },
    notApproved: isAccepted ? notApproved : action,
    allowedShapes: [...allowedShapes, ...shape].slice(-ALLOWED_SHAPES_MAX),
    // The frame has not left: its intent names no browser yet.
    browserInstanceId: null,
    at,
  }
}
