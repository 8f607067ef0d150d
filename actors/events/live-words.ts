import type { Ms } from '../../machines/records.ts'
import type { Clock } from '../runtime/ports.ts'
import { joined } from './joined.ts'
import { LIVE_WORDS_CHARS_MAX, LIVE_WORDS_EVERY_MS } from './limits.ts'

/** [V10] The text of a reply so far, from its beginning. It has no number and is never stored. */
export interface LiveWords {
  readonly type: 'model.words'
  readonly at: Ms
  readonly task_id: string
  readonly step: number
  readonly text: string
}
type Listener = (words: LiveWords) => void

/**
 * [V10] The text of replies while they are streamed, for the current listeners. The whole reply is an event of the log
 * (`model.replied`) once it is kept.
 */
export class LiveReplies {
  readonly #clock: Pick<Clock, 'now'>
  readonly #listeners = new Map<string, Set<Listener>>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Calls the listener with the words of a task's replies. Returns a function that unsubscribes it. */
  listen(taskId: string, listener: Listener): () => void {
    return joined(this.#listeners, taskId, listener)
  }

  /**
   * Returns a function for one reply, to be called with its text so far. The first words are sent at once, more every
   * LIVE_WORDS_EVERY_MS.
   */
  reply(taskId: string, step: number): (textSoFar: string) => void {
    let told = ''
    let toldAt = Number.NEGATIVE_INFINITY
    return (textSoFar) => {
      const listeners = this.#listeners.get(taskId)
      if (!listeners) return
      const text = textSoFar.slice(0, LIVE_WORDS_CHARS_MAX)
      const at = this.#clock.now()
      if (text === '' || text === told || at - toldAt < LIVE_WORDS_EVERY_MS) return
      told = text
      toldAt = at
      const words: LiveWords = { type: 'model.words', at, task_id: taskId, step, text }
      for (const listener of listeners) listener(words)
    }
  }
}
