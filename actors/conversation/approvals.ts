import type { Message } from './model-port.ts'

/** [I5, I6] Which calls need an approval. This service and the model both judge; neither can lower what the other says. */

interface Judged {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /** What the model says of it by the argument `intent`. */
  readonly intent: 'ordinary' | 'irreversible'
}
interface Page {
  readonly approvals: 'never' | 'irreversible' | 'always'
  readonly messages: readonly Message[]
}

/** Tools and actions that change nothing. With `always` all others need an approval. */
const READ_ONLY_TOOLS = new Set(['read_page', 'find', 'get_page_text', 'finish', 'ask_user'])
const READ_ONLY_ACTIONS = new Set(['screenshot', 'zoom', 'wait', 'hover', 'scroll', 'scroll_to', 'list', 'read'])
/** Actions of `computer` that may submit what is under the pointer or has the focus. */
const PRESSING = new Set(['left_click', 'double_click', 'triple_click', 'key', 'left_click_drag'])

/** Names of buttons and links whose action cannot be undone. */
const NAMES =
  /\b(pay|payment|buy|order|purchase|check ?out|place order|subscribe|book|reserve|bid|donate|transfer|withdraw|send|reply|submit|confirm|publish|post|share|tweet|delete|remove|erase|cancel|unsubscribe|deactivate|close account|sign contract|accept offer)\b|\b(kaufen|bezahlen|zahlen|bestellen|buchen|senden|absenden|löschen|veröffentlichen|überweisen|kündigen|acheter|payer|commander|envoyer|supprimer|publier|comprar|pagar|pedir|enviar|eliminar|publicar)\b/i
/** Fields of payment. */
const PAYMENT = /\b(card number|cardholder|cc-number|cvc|cvv|security code|iban|kartennummer|numéro de carte)\b/i
/** Scripts that act like a click or send something. */
const SCRIPT = /\.(?:click|submit|requestSubmit|dispatchEvent)\s*\(|\bfetch\s*\(|XMLHttpRequest|sendBeacon/

/** What the model says of the call. Only `irreversible` counts: nothing that it says can lower the judgement. */
export const intentOf = (input: unknown): Judged['intent'] =>
  (input as { intent?: unknown } | null)?.intent === 'irreversible' ? 'irreversible' : 'ordinary'

/** Why the call needs an approval, as its user reads it; `null`: it needs none. */
export function approvalReason(call: Judged, { approvals, messages }: Page): string | null {
  if (approvals === 'never' || isReadOnly(call)) return null
  const reason = irreversibleReason(call, messages)
  if (reason !== null) return reason
  return approvals === 'always' ? `${call.tool} acts on the page.` : null
}

const isReadOnly = ({ tool, input, intent }: Judged): boolean =>
  intent === 'ordinary' && (READ_ONLY_TOOLS.has(tool) || READ_ONLY_ACTIONS.has(String(input.action)))

function irreversibleReason({ tool, input, intent }: Judged, messages: readonly Message[]): string | null {
  if (intent === 'irreversible') return 'The model says that this cannot be undone.'
  if (tool === 'files' && input.action === 'upload') return 'This uploads a file.'
  if (tool === 'javascript_tool' && SCRIPT.test(String(input.text))) return 'This script may submit or send something.'
  if (tool === 'dialog') return 'This answers a question of the page.'
  if (tool !== 'computer' || !PRESSING.has(String(input.action))) return null
  if (input.action === 'key' && !/enter|return|space/i.test(String(input.text))) return null
  const page = lastTexts(messages)
  const name = typeof input.ref === 'string' ? lineOf(input.ref, messages) : null
  if (name !== null) {
    const [word] = NAMES.exec(name) ?? []
    if (word !== undefined) return `This presses ${name.slice(0, 200)}`
    return PAYMENT.test(page) && /\b(button|submit)\b/i.test(name) ? 'The page has fields of payment.' : null
  }
  if (typeof input.ref === 'string') return 'It is not known what this presses.'
  // What is at a coordinate, or has the focus, is unknown: the elements of the page decide.
  const line = page.split('\n').find((each) => /\b(button|link|submit)\b/i.test(each) && NAMES.test(each))
  if (line !== undefined) return `This may press ${line.trim().slice(0, 200)}`
  return PAYMENT.test(page) ? 'The page has fields of payment.' : null
}

/** The latest page texts that the model has, newest first: enough to know what it acts on. */
const TEXTS_MAX = 6
const lastTexts = (messages: readonly Message[]): string => textsOf(messages).slice(0, TEXTS_MAX).join('\n')

/** Newest first. */
const textsOf = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) => (message.role === 'tool' ? message.results.map(({ text }) => text) : [])).reverse()

/** The newest line that has the ref, however long ago it was read: role and name of an element. */
function lineOf(ref: string, messages: readonly Message[]): string | null {
  const id = ref.replace(/^\[?(?:ref=)?/, '').replace(/\]$/, '')
  const mark = new RegExp(`\\b${id.replace(/[^\w]/g, '')}\\b`)
  for (const text of textsOf(messages)) {
    const line = text.split('\n').find((each) => mark.test(each))
    if (line !== undefined) return line.trim()
  }
  return null
}
