import { TO_MODEL } from '../machines/failures.ts'
import {
  CHARS_PER_TOKEN,
  CONVERSATION_SCREENSHOTS_MAX,
  CONVERSATION_TOKENS_MAX,
  OUTPUT_CHARS_MAX,
  SCREENSHOT_TOKENS,
  SHORTENED_CHARS,
  STORE_RETRY_MS,
} from '../machines/limits.ts'
import type { CallOutcome, JournalEntry, TaskRecord } from '../machines/records.ts'
import type { Clock, Message, MessageResult, Ports, Store } from './ports.ts'
import { firstMessage, pageContent, shortened } from './prompt.ts'

type Reply = Extract<JournalEntry, { kind: 'reply' }>
type Result = Extract<JournalEntry, { kind: 'result' }>

/** Stands for a screenshot that is not read any more, until it becomes a note as it did when the task lived here. */
const MISSING = ''

/**
 * A task's conversation, as the journal keeps it and as the model reads it. It only grows at its end; within its
 * budget, older screenshots become notes and older outputs are shortened. A message that changes is a new object, so
 * that whoever translated the old one may have kept it by identity; a step does not pay for its predecessors.
 */
export class Conversation {
  readonly #entries: JournalEntry[] = []
  readonly #messages: Message[]
  /** Where the screenshots are that the model still sees: message and result, oldest first. */
  readonly #images: { message: number; result: number }[] = []
  #tokens: number
  /** Tool messages before this one are shortened already. */
  #shortened = 1
  #screenshots = 0

  constructor(record: Pick<TaskRecord, 'task' | 'url' | 'context'>) {
    const text = firstMessage(record)
    this.#messages = [{ role: 'user', text }]
    this.#tokens = text.length / CHARS_PER_TOKEN
  }

  /** The conversation of a kept journal, with the screenshots that the model still sees. */
  static async restore(record: TaskRecord, store: Pick<Store, 'journal' | 'steps'>): Promise<Conversation> {
    const conversation = new Conversation(record)
    const entries = await store.journal(record.id)
    const seen = entries
      .flatMap((entry) => (entry.kind === 'result' && entry.screenshot !== null ? [entry.screenshot] : []))
      .slice(-CONVERSATION_SCREENSHOTS_MAX)
    const images = new Map<number, string>()
    for (const number of seen) {
      const image = await store.steps.screenshotNumbered(record.id, number)
      if (image) images.set(number, Buffer.from(image).toString('base64'))
    }
    for (const entry of entries) {
      if (entry.kind === 'reply') conversation.addReply(entry)
      else conversation.addResult(entry, entry.screenshot === null ? null : (images.get(entry.screenshot) ?? MISSING))
    }
    conversation.#dropMissing()
    return conversation
  }

  get messages(): readonly Message[] {
    return this.#messages
  }

  /** The number that the next entry of the journal has. */
  get length(): number {
    return this.#entries.length
  }

  /** The number that the next screenshot has. */
  get screenshots(): number {
    return this.#screenshots
  }

  replyOf(step: number): Reply | undefined {
    return this.#entries.findLast((entry): entry is Reply => entry.kind === 'reply' && entry.step === step)
  }

  resultOf(requestId: string): Result | undefined {
    return this.#entries.findLast((entry): entry is Result => entry.kind === 'result' && entry.requestId === requestId)
  }

  addReply(entry: Reply): void {
    this.#entries.push(entry)
    const calls = entry.calls.map(({ requestId, tool, input }) => ({ id: requestId, tool, input }))
    this.#messages.push({ role: 'assistant', text: entry.text, calls })
    this.#tokens += (entry.text.length + JSON.stringify(calls).length) / CHARS_PER_TOKEN
  }

  addResult(entry: Result, image: string | null): void {
    this.#entries.push(entry)
    if (entry.screenshot !== null) this.#screenshots = entry.screenshot + 1
    const result: MessageResult = {
      id: entry.requestId,
      tool: entry.tool,
      text: entry.text,
      failed: entry.failed,
      image,
    }
    const last = this.#messages.at(-1)
    if (last?.role === 'tool') {
      this.#messages[this.#messages.length - 1] = { role: 'tool', results: [...last.results, result] }
    } else {
      this.#messages.push({ role: 'tool', results: [result] })
    }
    this.#tokens += entry.text.length / CHARS_PER_TOKEN
    if (image !== null) this.#showImage()
    if (this.#tokens > CONVERSATION_TOKENS_MAX) this.#shorten()
  }

  /** A new screenshot is the last of the last message: the oldest beyond the limit becomes a note. */
  #showImage(): void {
    const message = this.#messages.length - 1
    const last = this.#messages[message]
    if (last?.role !== 'tool') return
    this.#images.push({ message, result: last.results.length - 1 })
    this.#tokens += SCREENSHOT_TOKENS
    if (this.#images.length <= CONVERSATION_SCREENSHOTS_MAX) return
    const oldest = this.#images.shift()
    if (oldest) this.#dropImage(oldest)
  }

  #dropImage(at: { message: number; result: number }): void {
    this.#tokens -= SCREENSHOT_TOKENS
    this.#change(at.message, (result, index) =>
      index === at.result ? { ...result, image: null, text: `${result.text}\n${TO_MODEL.screenshotDropped}` } : result,
    )
  }

  /** Screenshots that were lost: their records are best effort. */
  #dropMissing(): void {
    for (const at of this.#images.splice(0)) {
      const message = this.#messages[at.message]
      if (message?.role === 'tool' && message.results[at.result]?.image === MISSING) this.#dropImage(at)
      else this.#images.push(at)
    }
  }

  /** Shortens outputs, the oldest first, until the budget holds. The last message is left whole. */
  #shorten(): void {
    while (this.#tokens > CONVERSATION_TOKENS_MAX && this.#shortened < this.#messages.length - 1) {
      this.#change(this.#shortened, (result) => {
        if (result.text.length <= 2 * SHORTENED_CHARS) return result
        const text = shortened(result.text, SHORTENED_CHARS, TO_MODEL.outputShortened)
        this.#tokens -= (result.text.length - text.length) / CHARS_PER_TOKEN
        return { ...result, text }
      })
      this.#shortened++
    }
  }

  #change(at: number, change: (result: MessageResult, at: number) => MessageResult): void {
    const message = this.#messages[at]
    if (message?.role === 'tool') this.#messages[at] = { role: 'tool', results: message.results.map(change) }
  }
}

/** [T] Output as text: a string as it is, nothing as nothing, all else as JSON; at most OUTPUT_CHARS_MAX. */
export function outputText(output: unknown): string {
  if (output === null || output === undefined) return ''
  const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
  return text.slice(0, OUTPUT_CHARS_MAX)
}

/** What the model reads of an outcome. */
export function textForModel(outcome: CallOutcome, note: string | null): string {
  const said =
    outcome.status === 'unknown'
      ? TO_MODEL.unknown
      : outcome.status === 'failed'
        ? TO_MODEL.error(outcome.message)
        : outputText(outcome.output) === ''
          ? TO_MODEL.emptyOutput
          : pageContent(outputText(outcome.output))
  return note === null ? said : `${said}\n\n${note}`
}

/** The conversations of the tasks that run here. They are rebuilt from the journal when they are asked for. */
export class Conversations {
  readonly #kept = new Map<string, Conversation | Promise<Conversation>>()
  readonly #store: Store
  readonly #clock: Clock

  constructor({ store, clock }: Pick<Ports, 'store' | 'clock'>) {
    this.#store = store
    this.#clock = clock
  }

  /** A task that begins: there is no journal to read. */
  begin(record: TaskRecord): void {
    this.#kept.set(record.id, new Conversation(record))
  }

  /**
   * At once for a task that began or was asked for here; else from its journal, as soon as the store gives it.
   * Rejects when there is no such task.
   */
  of(taskId: string): Conversation | Promise<Conversation> {
    const kept = this.#kept.get(taskId)
    if (kept) return kept
    const restoring = this.#restore(taskId)
    this.#kept.set(taskId, restoring)
    restoring.then(
      (conversation) => {
        if (this.#kept.get(taskId) === restoring) this.#kept.set(taskId, conversation)
      },
      () => this.#kept.delete(taskId),
    )
    return restoring
  }

  forget(taskId: string): void {
    this.#kept.delete(taskId)
  }

  async #restore(taskId: string): Promise<Conversation> {
    for (;;) {
      try {
        const record = await this.#store.tasks.get(taskId)
        if (record) return await Conversation.restore(record, this.#store)
        break
      } catch (error) {
        if (!this.#kept.has(taskId)) throw error
        await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, STORE_RETRY_MS))
      }
    }
    throw new Error(`Task ${taskId} has no record`)
  }
}
