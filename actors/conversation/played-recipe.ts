import type { JournalEntry } from '../../machines/records.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { pageContent, shortened } from './page-content.ts'

type Reply = Extract<JournalEntry, { kind: 'reply' }>
type Result = Extract<JournalEntry, { kind: 'result' }>
type Deviated = Extract<JournalEntry, { kind: 'deviation' }>

/** What is shown of the last page when the model goes on. */
const SHOWN_CHARS_MAX = 6_000
const READERS = new Set(['read_page', 'get_page_text'])

/**
 * [J9] The part of a task that a recipe has carried out, as its model reads it: in words, and not as if the model had asked
 * for it. A call of a recipe names its target in a way that no tool of the model takes.
 */
export class PlayedPart {
  /** By the id of each call what it does, in words. */
  readonly #words = new Map<string, string>()
  readonly #lines: string[] = []
  readonly #results: Result[] = []
  #deviation: Deviated | null = null
  #isTaken = false

  has(requestId: string): boolean {
    return this.#words.has(requestId)
  }

  asked({ text, calls }: Reply): void {
    const lines = text.split('\n')
    calls.forEach(({ requestId }, at) => {
      this.#words.set(requestId, lines[at] ?? '')
    })
  }

  done(result: Result): void {
    this.#results.push(result)
    if (!result.failed) this.#lines.push(this.#words.get(result.requestId) ?? '')
  }

  deviated(entry: Deviated): void {
    this.#deviation = entry
  }

  /** For the first request after it, once; `null` when there is nothing to say. */
  take(): string | null {
    if (this.#isTaken || (this.#words.size === 0 && this.#deviation === null)) return null
    this.#isTaken = true
    const { done, deviated, ended, shown } = TO_MODEL.recipe
    const last = this.#results.at(-1)
    const why = this.#deviation && deviated(pageContent(this.#deviation.expected), pageContent(this.#deviation.found))
    return [done(this.#shown()), why ?? ended, ...(last ? [shown(upTo(last.text, SHOWN_CHARS_MAX))] : [])].join('\n\n')
  }

  /** What was done, and what was read at the end. */
  forAnswer(charsMax: number): string {
    const readings: string[] = []
    let left = charsMax
    const last = this.#results.at(-1)
    for (const result of this.#results.toReversed()) {
      if (left <= 0 || (result !== last && !READERS.has(result.tool))) continue
      const text = upTo(result.text, left)
      left -= text.length
      readings.unshift(text)
    }
    return [TO_MODEL.recipe.answer, this.#shown(), ...readings].filter((part) => part !== null).join('\n\n')
  }

  /** Names in it are words of pages. */
  #shown(): string | null {
    return this.#lines.length === 0 ? null : pageContent(this.#lines.join('\n'))
  }
}

const upTo = (text: string, chars: number): string =>
  text.length <= chars ? text : shortened(text, chars, TO_MODEL.outputShortened)
