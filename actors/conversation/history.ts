import { TO_MODEL } from '../../machines/texts.ts'
import {
  CHARS_PER_TOKEN,
  CONVERSATION_FULL_PERCENT,
  CONVERSATION_IMAGES_KEPT,
  CONVERSATION_IMAGES_MAX,
  CONVERSATION_REDUCED_PERCENT,
  CONVERSATION_TURNS_WHOLE,
  SCREENSHOT_TOKENS,
  SHORTENED_CHARS,
} from '../limits.ts'
import type { Message, MessageResult } from '../runtime/ports.ts'
import { shortened } from './page-content.ts'
import { pageOf } from './prompt.ts'

/**
 * [L11, L12] The messages that the model reads. They only grow at their end, so that the provider's prompt cache holds from
 * one step to the next; when they become too large they are reduced in a batch. A message that changes is a new object,
 * so that an adapter may cache the translation of the old one by identity.
 */
export class MessageHistory {
  readonly #messages: Message[]
  readonly #contextTokens: number
  /** The screenshots that the model still sees, oldest first. */
  readonly #images: { message: number; result: number; screenshot: number }[] = []
  #tokens: number

  /** `contextTokens`: what the model can read and write together. */
  constructor(messages: readonly Message[], contextTokens: number) {
    this.#messages = [...messages]
    this.#contextTokens = contextTokens
    this.#tokens = messages.reduce((sum, message) => sum + tokensOf(message), 0)
  }

  get messages(): readonly Message[] {
    return this.#messages
  }

  /** How many tokens the next request has; the system prompt and the tools are in it once the provider has counted. */
  get tokens(): number {
    return this.#tokens
  }

  /** `countedTokens`: what the provider counted up to and including this message; only what follows is an estimate. */
  add(message: Message, countedTokens = 0): void {
    this.#messages.push(message)
    this.#tokens = countedTokens > 0 ? countedTokens : this.#tokens + tokensOf(message)
  }

  /** The results of one step are one message. `screenshot`: the number of the image in it, or `null`. */
  addResult(result: MessageResult, screenshot: number | null): void {
    const last = this.#messages.at(-1)
    if (last?.role === 'tool') {
      this.#messages[this.#messages.length - 1] = { role: 'tool', results: [...last.results, result] }
    } else {
      this.#messages.push({ role: 'tool', results: [result] })
    }
    this.#tokens += estimatedTokens(result.text)
    if (result.image !== null && screenshot !== null) this.#addImage(screenshot)
    if (this.#tokens > this.#percent(CONVERSATION_FULL_PERCENT)) {
      this.#reduce(this.#percent(CONVERSATION_REDUCED_PERCENT), CONVERSATION_TURNS_WHOLE)
    }
  }

  /** The model's endpoint rejected the request as too long: halves it, including the newest turns if necessary. */
  shrink(): void {
    const target = Math.min(this.#tokens, this.#contextTokens) / 2
    this.#reduce(target, CONVERSATION_TURNS_WHOLE)
    this.#dropImages(0)
    if (this.#tokens > target) this.#reduce(target, 0)
    this.#tokens = Math.min(this.#tokens, target)
  }

  /** Reads the images that the model still sees. One that was lost (screenshots are best effort) becomes a note. */
  async readImages(read: (screenshot: number) => Promise<Uint8Array | null>): Promise<void> {
    for (const at of this.#images.splice(0)) {
      const image = await read(at.screenshot)
      if (!image) {
        this.#dropImage(at)
        continue
      }
      this.#images.push(at)
      const data = Buffer.from(image).toString('base64')
      this.#change(at.message, (result, index) => (index === at.result ? { ...result, image: data } : result))
    }
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
    // Everything after the oldest of them misses the prompt cache anyway: old outputs of actions are shortened with them.
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

  /**
   * Shortens outputs until the target holds, leaving the last turns whole: first page readings that a later one of the
   * same page has replaced, then the oldest outputs.
   */
  #reduce(target: number, turnsWhole: number): void {
    // Everything that follows misses the prompt cache anyway: older screenshots are dropped in the same batch.
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
    if (message?.role === 'user' && message.opened) {
      const opened = change(message.opened, 0)
      if (opened !== message.opened) this.#messages[at] = openedMessage(opened)
    }
    if (message?.role !== 'tool') return
    const results = message.results.map(change)
    if (results.some((result, index) => result !== message.results[index]))
      this.#messages[at] = { role: 'tool', results }
  }
}

/** [L47] What came of opening the address of a task, as its model reads it. */
export const openedMessage = (opened: MessageResult): Message => ({
  role: 'user',
  text: TO_MODEL.opened(opened.text),
  opened,
})

function tokensOf(message: Message): number {
  if (message.role === 'tool') return message.results.reduce((sum, { text }) => sum + estimatedTokens(text), 0)
  const calls = message.role === 'assistant' ? estimatedTokens(JSON.stringify(message.calls)) : 0
  return estimatedTokens(message.text) + calls
}

/** Whether the result says what changed on the page, which has changed again since. */
const isAction = ({ tool }: MessageResult): boolean => tool === 'computer' || tool === 'form_input'

const brief = ({ text }: MessageResult): string | null =>
  text.length > 2 * SHORTENED_CHARS ? shortened(text, SHORTENED_CHARS, TO_MODEL.outputShortened) : null

/** Scripts that take about a token for each character, and those that take about one for two. */
const DENSE = /[\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g
const MEDIUM = /[\u0370-\u2fff]/g

/** How many tokens a text has, by its script, for as long as no provider has counted it. */
export function estimatedTokens(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0
  const medium = text.match(MEDIUM)?.length ?? 0
  return Math.ceil(dense + medium / 2 + (text.length - dense - medium) / CHARS_PER_TOKEN)
}
