import { taskAddress } from '../machines/addresses.ts'
import type { Fingerprints } from '../machines/fingerprints.ts'
import type { Held } from '../machines/held.ts'
import type { CallOutcome, Ms, ToolCall } from '../machines/records.ts'
import { type NamedValue, NOTHING_TO_REDACT, type Redactor, redactorOf, secretValues } from '../machines/redaction.ts'
import { type FrameSecret, secretsIn } from '../machines/secrets.ts'
import { secretsUnreadable } from '../machines/texts.ts'
import type { Conversation } from './conversation/conversation.ts'
import { TOTP_LEFT_MS_MIN } from './limits.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import type { ModelReply } from './runtime/ports.ts'

/** [X2] The decrypted secrets of a running task, for as long as its conversation is in memory. */
interface Opened {
  readonly values: Readonly<Record<string, string>>
  /** [X13] */
  readonly earlier: readonly Fingerprints[]
  /** When a one-time code was first asked for; what was made since then is taken out of every output. */
  codesSince: Ms | null
  redactor: { readonly codes: number; readonly redacts: Redactor } | null
}

const opened = new WeakMap<Conversation, Opened | 'unreadable'>()

/** Whether something has to be taken out of what its pages and its model say. */
export const hasSecrets = ({ secrets, fingerprints }: Conversation): boolean =>
  secrets.length > 0 || fingerprints !== null

/** `null`: the task has none, and continues none that has. */
function openedOf(system: ActorSystem, taskId: string, conversation: Conversation): Opened | 'unreadable' | null {
  if (!hasSecrets(conversation)) return null
  const known = opened.get(conversation)
  if (known) return known
  const made = open(system, taskId, conversation)
  opened.set(conversation, made)
  return made
}

function open(system: ActorSystem, taskId: string, conversation: Conversation): Opened | 'unreadable' {
  const { secrets, log } = system.ports
  try {
    const { sealedSecrets, fingerprints } = conversation
    if (!secrets || (conversation.secrets.length > 0 && sealedSecrets === null))
      throw new Error('SECRETS_KEY is not set')
    const values: Record<string, string> = sealedSecrets === null ? {} : JSON.parse(secrets.open(sealedSecrets, taskId))
    const earlier: Fingerprints[] = fingerprints === null ? [] : JSON.parse(secrets.open(fingerprints, taskId))
    return { values, earlier, codesSince: firstCodeAt(conversation), redactor: null }
  } catch {
    log.error({ taskId }, 'The secrets of a task cannot be read: SECRETS_KEY is not the one that it was started with')
    return 'unreadable'
  }
}

/** After a restart: the journal says when a placeholder of a one-time code was first written. */
function firstCodeAt({ entries, secrets }: Conversation): Ms | null {
  const codes = new Set(secrets.flatMap(({ kind, name }) => (kind === 'totp' ? [name] : [])))
  if (codes.size === 0) return null
  const first = entries.find(
    (entry) =>
      entry.kind === 'reply' && entry.calls.some(({ input }) => secretsIn(input).some((name) => codes.has(name))),
  )
  return first?.at ?? null
}

/** The secrets of a frame; a failure instead; or how long to wait before asking again. */
type ForFrame =
  | { readonly secrets: readonly FrameSecret[] }
  | { readonly failure: typeof secretsUnreadable }
  | { readonly waitMs: Ms }

/**
 * [X3, X5] The values that the input of a call names, at the moment when its frame is built. A one-time code with less
 * than TOTP_LEFT_MS_MIN left is waited out.
 */
export function secretsForFrame(system: ActorSystem, call: ToolCall, conversation: Conversation): ForFrame {
  const all = openedOf(system, call.taskId, conversation)
  // Without the values they cannot be redacted from what a page says: the browser is asked for nothing.
  if (all === 'unreadable') return { failure: secretsUnreadable }
  const named = all === null ? [] : secretsIn(call.input)
  const { secrets, clock } = system.ports
  if (all === null || !secrets || named.length === 0) return { secrets: [] }
  const now = clock.now()
  const frame: FrameSecret[] = []
  let waitMs = 0
  for (const { name, kind, domains } of conversation.secrets) {
    const value = all.values[name]
    if (value === undefined || !named.includes(name)) continue
    if (kind === 'value') frame.push({ name, value, domains })
    else {
      const { code, endsAt } = secrets.code(value, now)
      all.codesSince ??= now
      if (endsAt - now < TOTP_LEFT_MS_MIN) waitMs = Math.max(waitMs, endsAt - now)
      frame.push({ name, value: code, domains })
    }
  }
  return waitMs > 0 ? { waitMs } : { secrets: frame }
}

/** [X6] Takes the secrets of a task out of what a page, a browser, a model or a user says. */
function redactorFor(system: ActorSystem, all: Opened, conversation: Conversation): Redactor {
  const { secrets, allowedDomains } = conversation
  const codes = secrets.flatMap(({ name, kind }) => {
    const totp = kind === 'totp' ? all.values[name] : undefined
    return totp === undefined ? [] : codesOf(system, name, totp, all.codesSince)
  })
  if (all.redactor?.codes === codes.length) return all.redactor.redacts
  const redacts = redactorOf([...secretValues(secrets, all.values, allowedDomains), ...codes], all.earlier)
  all.redactor = { codes: codes.length, redacts }
  return redacts
}

/** Every code from the first use until the one after the present one. */
function codesOf({ ports }: ActorSystem, name: string, totp: string, since: Ms | null): NamedValue[] {
  const found: NamedValue[] = []
  if (since === null || !ports.secrets) return found
  const now = ports.clock.now()
  for (let at = since; ; ) {
    const { code, endsAt } = ports.secrets.code(totp, at)
    found.push({ name, value: code })
    if (at > now) return found
    at = endsAt
  }
}

/** [X6] Before anything keeps or shows it. */
export function redactedOutcome(
  system: ActorSystem,
  taskId: string,
  conversation: Conversation,
  outcome: CallOutcome,
): CallOutcome {
  const all = openedOf(system, taskId, conversation)
  if (all === null) return outcome
  if (all === 'unreadable') return { status: 'failed', ...secretsUnreadable }
  const { text, value } = redactorFor(system, all, conversation)
  if (outcome.status === 'held') return { ...outcome, held: outcome.held && redactedHold(outcome.held, text) }
  // Images are not searched: base64 contains any short text by chance.
  return outcome.status === 'done'
    ? { ...value({ ...outcome, screenshot: null }), screenshot: outcome.screenshot }
    : value(outcome)
}

/** [X6] Its id and its terms stay: a hash contains any short text by chance, and the browser is to know them again. */
const redactedHold = ({ target, fields, ...held }: Held, text: Redactor['text']): Held => ({
  ...held,
  site: text(held.site),
  path: text(held.path),
  shape: text(held.shape),
  target: target && { role: text(target.role), name: text(target.name) },
  fields: fields.map(({ name, value }) => ({ name: text(name), value: text(value) })),
  numbers: held.numbers.map(text),
})

/** [X6] What a model wrote: it may have worked out a value from what a page shows in a form of its own. */
export function redactedReply(
  system: ActorSystem,
  taskId: string,
  conversation: Conversation,
  reply: ModelReply,
): ModelReply {
  const all = openedOf(system, taskId, conversation)
  if (all === null) return reply
  const { text, value } = all === 'unreadable' ? NOTHING_TO_REDACT : redactorFor(system, all, conversation)
  if (reply.kind !== 'reply') return { ...reply, message: text(reply.message) }
  const { replay, ...said } = reply
  // What the provider needs back unchanged is left out rather than changed.
  const isClean = replay === undefined || JSON.stringify(value(replay)) === JSON.stringify(replay)
  const replied = { ...said, text: text(said.text), calls: value(said.calls) }
  return isClean && replay !== undefined ? { ...replied, replay } : replied
}

/** [X6] What a user writes to a running task: text, or the content of an answer. */
export function redactedWords<T>(system: ActorSystem, taskId: string, conversation: Conversation, words: T): T {
  const all = openedOf(system, taskId, conversation)
  return all === null || all === 'unreadable' ? words : redactorFor(system, all, conversation).value(words)
}

/** [X6] What a page says beside the results of calls, while its task runs. */
export async function redactedText(system: ActorSystem, taskId: string, text: string): Promise<string> {
  if (!system.registry.has(taskAddress(taskId))) return text
  return redactedWords(system, taskId, await system.conversations.of(taskId), text)
}
