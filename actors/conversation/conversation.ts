// longer than 250 lines because the journal's entries and what the model reads of them are one thing
import { TO_MODEL } from '../../machines/failures.ts'
import type { JournalEntry, TaskRecord } from '../../machines/records.ts'
import type { SecretRecord } from '../../machines/secrets.ts'
import {
  CONVERSATION_FULL_PERCENT,
  CONVERSATION_IMAGES_KEPT,
  CONVERSATION_IMAGES_MAX,
  CONVERSATION_REDUCED_PERCENT,
  CONVERSATION_TURNS_WHOLE,
  SCREENSHOT_TOKENS,
  SHORTENED_CHARS,
  TASK_SCREENSHOTS_BYTES_MAX,
} from '../limits.ts'
import type { Message, MessageResult, OutputSchema, Store } from '../runtime/ports.ts'
import { type Briefing, firstMessage, pageOf, shortened } from './prompt.ts'
import { estimatedTokens } from './tokens.ts'

type Reply = Extract<JournalEntry, { kind: 'reply' }>
type Result = Extract<JournalEntry, { kind: 'result' }>
type Said = Extract<JournalEntry, { kind: 'message' }>

/** The place of a screenshot whose image has not been read from the store yet. */
const NOT_READ = ''

/**
 * A task's conversation, as the journal keeps it and as the model reads it. It only grows at its end, so that the
 * provider's prompt cache holds from one step to the next; when it becomes too large it is reduced in a batch, by what
 * the journal says alone: a conversation that is restored has the same prefix as before. A message that changes is a new
 * object, so that an adapter may cache the translation of the old one by identity.
 */
export class Conversation {
  /** [L31, L36, F1] The schema of the output, the model that the task asked for, the domains that it is confined to. */
  readonly outputSchema: OutputSchema | null
  readonly model: string | null
  readonly allowedDomains: readonly string[] | null
  /** [I5] Which actions of the task need an approval, and [I4] whether its model may ask its user. */
  readonly approvals: NonNullable<TaskRecord['approvals']>
  readonly asksUser: boolean
  /** [X2] Its secrets without their values, and those sealed. */
  readonly secrets: readonly SecretRecord[]
  readonly sealedSecrets: string | null
  /** [I1] Messages of the user that no request to the model has had yet. */
  readonly #unread: string[] = []
  /** [L38] Sites whose notes the model has had, and notes that no request to it has had yet. */
  readonly #sites = new Set<string>()
  readonly #notes: string[] = []
  #read = 0
  readonly #entries: JournalEntry[] = []
  readonly #messages: Message[]
  readonly #contextTokens: number
  /** The screenshots that the model still sees, oldest first. */
  readonly #images: { message: number; result: number; screenshot: number }[] = []
  #tokens: number
  #screenshots = 0
  #imageChars = 0
  #chars = 0

  /** `contextTokens`: what the model can read and write together. `earlier`: of the tasks that this one continues. */
  constructor(record: Briefing, contextTokens: number, earlier: readonly Message[] = []) {
    this.outputSchema = record.outputSchema ? JSON.parse(record.outputSchema) : null
    this.model = record.model ?? null
    this.allowedDomains = record.allowedDomains ?? null
    this.approvals = record.approvals ?? 'never'
    this.asksUser = record.asksUser ?? this.approvals !== 'never'
    this.secrets = record.secrets ?? []
    this.sealedSecrets = record.sealedSecrets ?? null
    const continues = earlier.length > 0 ? `${TO_MODEL.continues}\n\n` : ''
    this.#messages = [...earlier, { role: 'user', text: continues + firstMessage(record) }]
    this.#contextTokens = contextTokens
    this.#tokens = this.#messages.reduce((sum, message) => sum + tokensOf(message), 0)
  }

  /** The conversation of a kept journal, with the screenshots that the model still sees. */
  static async restore(
    record: TaskRecord,
    contextTokens: number,
    store: Pick<Store, 'journal' | 'steps'>,
    earlier: readonly Message[] = [],
  ): Promise<Conversation> {
    const conversation = new Conversation(record, contextTokens, earlier)
    for (const entry of await store.journal(record.id)) {
      if (entry.kind === 'reply') conversation.addReply(entry)
      else if (entry.kind === 'message') conversation.addMessage(entry)
      else conversation.addResult(entry, entry.screenshot === null ? null : NOT_READ)
    }
    await conversation.#readImages(record.id, store)
    return conversation
  }

  /** How many tokens the next request has; the system prompt and the tools are in it once the provider has counted. */
  get tokens(): number {
    return this.#tokens
  }
  get lastReply(): Reply | undefined {
    return this.#entries.findLast((entry): entry is Reply => entry.kind === 'reply')
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries
  }
  get messages(): readonly Message[] {
    return this.#messages
  }
  /** The number that the next entry of the journal has. */
  get length(): number {
    return this.#entries.length
  }

  /** About how long its journal is. */
  get chars(): number {
    return this.#chars
  }

  /** The number that the next screenshot has. */
  get screenshots(): number {
    return this.#screenshots
  }

  /** [T54] Whether a screenshot in base64 is within what those of a task may take; what was taken before a restart is not counted. */
  hasRoomFor(image: string): boolean {
    return ((this.#imageChars + image.length) / 4) * 3 <= TASK_SCREENSHOTS_BYTES_MAX
  }

  /** The tools that the model was last offered beside the seven; `undefined` before its first reply. */
  get announced(): readonly string[] | null | undefined {
    return this.lastReply?.announced
  }

  replyOf(step: number): Reply | undefined {
    return this.#entries.findLast((entry): entry is Reply => entry.kind === 'reply' && entry.step === step)
  }

  resultOf(requestId: string): Result | undefined {
    return this.#entries.findLast((entry): entry is Result => entry.kind === 'result' && entry.requestId === requestId)
  }

  /** [I1] The user has said something: the next request to the model has it. */
  addMessage(entry: Said): void {
    this.#entries.push(entry)
    this.#chars += entry.text.length
    this.#unread.push(entry.text)
  }

  /** Adds the notes on new sites and the user's messages for the next request. Returns how many messages have been read so far. */
  readMessages(count = Number.POSITIVE_INFINITY): number {
    const messages = this.#unread.splice(0, Math.max(0, count - this.#read)).map(TO_MODEL.message)
    this.#read += messages.length
    for (const text of [...this.#notes.splice(0), ...messages]) {
      this.#messages.push({ role: 'user', text })
      this.#tokens += estimatedTokens(text)
    }
    return this.#read
  }

  hasNotesOn(domain: string): boolean {
    return this.#sites.has(domain)
  }

  addReply(entry: Reply): void {
    // After a restart: the messages that it had read come before it, the others behind it.
    this.readMessages(entry.read ?? 0)
    this.#entries.push(entry)
    const calls = entry.calls.map(({ requestId, tool, input }) => ({ id: requestId, tool, input }))
    const asked = JSON.stringify(calls)
    this.#chars += entry.text.length + asked.length
    const replay = entry.replay === undefined ? {} : { replay: entry.replay }
    this.#messages.push({ role: 'assistant', text: entry.text, calls, ...replay })
    // The provider has counted all that it read until here; only what follows is an estimate.
    const { inputTokens, outputTokens } = entry.usage
    if (inputTokens > 0) this.#tokens = inputTokens + outputTokens
    else this.#tokens += estimatedTokens(entry.text) + estimatedTokens(asked)
    if (this.outputSchema && calls.length === 0) this.#messages.push({ role: 'user', text: TO_MODEL.useFinish })
  }

  addResult(entry: Result, image: string | null): void {
    this.#entries.push(entry)
    if (entry.screenshot !== null) this.#screenshots = entry.screenshot + 1
    if (image !== null) this.#imageChars += image.length
    const { requestId: id, tool, text, failed, site } = entry
    this.#chars += text.length
    if (site) {
      this.#chars += site.text.length
      this.#sites.add(site.domain)
      this.#notes.push(TO_MODEL.siteNotes(site.domain, site.text))
    }
    const result: MessageResult = { id, tool, text, failed, image }
    const last = this.#messages.at(-1)
    if (last?.role === 'tool') {
      this.#messages[this.#messages.length - 1] = { role: 'tool', results: [...last.results, result] }
    } else {
      this.#messages.push({ role: 'tool', results: [result] })
    }
    this.#tokens += estimatedTokens(text)
    if (image !== null && entry.screenshot !== null) this.#addImage(entry.screenshot)
    if (this.#tokens > this.#percent(CONVERSATION_FULL_PERCENT)) {
      this.#reduce(this.#percent(CONVERSATION_REDUCED_PERCENT), CONVERSATION_TURNS_WHOLE)
    }
  }

  /** The model's endpoint found the request too long: half of it goes, of the newest turns, too, if need be. */
  shrink(): void {
    const target = Math.min(this.#tokens, this.#contextTokens) / 2
    this.#reduce(target, CONVERSATION_TURNS_WHOLE)
    this.#dropImages(0)
    if (this.#tokens > target) this.#reduce(target, 0)
    this.#tokens = Math.min(this.#tokens, target)
  }

  /** [I10] What the model of a task that continues this one reads of it. */
  reducedWithoutImages(): readonly Message[] {
    this.#dropImages(0)
    const target = this.#percent(CONVERSATION_REDUCED_PERCENT)
    if (this.#tokens > target) this.#reduce(target, CONVERSATION_TURNS_WHOLE)
    return this.#messages
  }

  #percent(percent: number): number {
    return (this.#contextTokens * percent) / 100
  }

  /** A new screenshot is the last of the last message. Beyond the limit, all but the newest ones become a note. */
  #addImage(screenshot: number): void {
    const message = this.#messages.length - 1
    const last = this.#messages[message]
    if (last?.role !== 'tool') return
    this.#images.push({ message, result: last.results.length - 1, screenshot })
    this.#tokens += SCREENSHOT_TOKENS
    if (this.#images.length <= CONVERSATION_IMAGES_MAX) return
    // All behind the oldest of them is sent anew in any case: what actions changed long ago need not be.
    this.#shortenActions(this.#images[0]?.message ?? message)
    this.#dropImages(CONVERSATION_IMAGES_KEPT)
  }

  /** All but the newest `kept` screenshots become notes. */
  #dropImages(kept: number): void {
    for (const at of this.#images.splice(0, Math.max(0, this.#images.length - kept))) this.#dropImage(at)
  }

  #dropImage(at: { message: number; result: number }): void {
    this.#tokens -= SCREENSHOT_TOKENS
    this.#change(at.message, (result, index) =>
      index === at.result ? { ...result, image: null, text: `${result.text}\n${TO_MODEL.screenshotDropped}` } : result,
    )
  }

  /** Reads the images that are still seen; one whose record was lost, which is best effort, becomes a note. */
  async #readImages(taskId: string, store: Pick<Store, 'steps'>): Promise<void> {
    for (const at of this.#images.splice(0)) {
      const image = await store.steps.screenshotNumbered(taskId, at.screenshot)
      if (!image) {
        this.#dropImage(at)
        continue
      }
      this.#images.push(at)
      const data = Buffer.from(image).toString('base64')
      this.#change(at.message, (result, index) => (index === at.result ? { ...result, image: data } : result))
    }
  }

  /**
   * Shortens outputs until the target holds, leaving the last turns whole: first page readings that a later one of the
   * same page has replaced, then the oldest outputs.
   */
  #reduce(target: number, turnsWhole: number): void {
    // What follows is sent anew in any case: older screenshots go with it, so that they need no batch of their own.
    this.#dropImages(CONVERSATION_IMAGES_KEPT)
    const end = this.#startOfLast(turnsWhole)
    const read = new Set<string>()
    for (let at = this.#messages.length - 1; at > 0; at--) {
      this.#shortenMessage(at, target, (result) => {
        const page = pageOf(result)
        if (page === null) return null
        const superseded = read.has(page)
        read.add(page)
        return superseded && at < end ? TO_MODEL.outputSuperseded : null
      })
    }
    for (let at = 1; at < end; at++) {
      this.#shortenMessage(at, target, brief)
    }
  }

  /** Shortens what actions answered, from a message on and up to the last turns. What was read stays. */
  #shortenActions(from: number): void {
    const end = this.#startOfLast(CONVERSATION_TURNS_WHOLE)
    for (let at = from; at < end; at++)
      this.#shortenMessage(at, 0, (result) => (isAction(result) ? brief(result) : null))
  }

  /** The index of the message that the last `turns` replies begin with; the end when there are to be none. */
  #startOfLast(turns: number): number {
    if (turns === 0) return this.#messages.length
    const replies = this.#messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []))
    return replies.at(-turns) ?? 0
  }

  /** Shortens the results of a message while the conversation is above the target. */
  #shortenMessage(at: number, target: number, shorter: (result: MessageResult) => string | null): void {
    this.#change(at, (result) => {
      const text = shorter(result)
      if (text === null || this.#tokens <= target) return result
      this.#tokens -= estimatedTokens(result.text) - estimatedTokens(text)
      return { ...result, text }
    })
  }

  /** Replaces the message when one of its results changed. */
  #change(at: number, change: (result: MessageResult, at: number) => MessageResult): void {
    const message = this.#messages[at]
    if (message?.role !== 'tool') return
    const results = message.results.map(change)
    if (results.some((result, index) => result !== message.results[index]))
      this.#messages[at] = { role: 'tool', results }
  }
}

function tokensOf(message: Message): number {
  if (message.role === 'tool') return message.results.reduce((sum, { text }) => sum + estimatedTokens(text), 0)
  const calls = message.role === 'assistant' ? estimatedTokens(JSON.stringify(message.calls)) : 0
  return estimatedTokens(message.text) + calls
}

/** Its answer says what changed on the page, which has changed since. */
const isAction = ({ tool }: MessageResult): boolean => tool === 'computer' || tool === 'form_input'

const brief = ({ text }: MessageResult): string | null =>
  text.length > 2 * SHORTENED_CHARS ? shortened(text, SHORTENED_CHARS, TO_MODEL.outputShortened) : null
