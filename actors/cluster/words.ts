import { joined } from '../events/joined.ts'
import type { LiveWords } from '../events/live-words.ts'
import { WORDS_WANTED_MS } from '../limits.ts'
import type { Clock } from '../runtime/ports.ts'
import type { Messages } from './messages.ts'
import type { ShardService } from './shard-service.ts'

type Listener = (words: LiveWords) => void

/** [M6] The words of a reply while they come, for listeners at any node: they ask its owner for them again and again. */
export class Words {
  readonly #clock: Clock
  readonly #messages: Messages
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #told = new Map<string, { readonly timer: unknown; readonly end: () => void }>()

  constructor(clock: Clock, messages: Messages) {
    this.#clock = clock
    this.#messages = messages
  }

  serve(): void {
    this.#messages.serve('words', (words: LiveWords) => {
      for (const listener of this.#listeners.get(words.task_id) ?? []) listener(words)
    })
  }

  /** `ask` asks the owner to tell them for a while. Gives what ends it. */
  hear(taskId: string, listener: Listener, ask: () => Promise<unknown>): () => void {
    const end = joined(this.#listeners, taskId, listener)
    let timer: unknown
    const again = () => {
      ask().catch(() => {})
      timer = this.#clock.setTimeout(again, WORDS_WANTED_MS / 2)
    }
    again()
    return () => {
      this.#clock.clearTimeout(timer)
      end()
    }
  }

  /** As the owner of a task: tells every node its words for WORDS_WANTED_MS. */
  tell({ running }: ShardService, taskId: string): void {
    const before = this.#told.get(taskId)
    if (before) this.#clock.clearTimeout(before.timer)
    const end = before?.end ?? running.system.events.live.listen(taskId, (words) => this.#messages.tell('words', words))
    const timer = this.#clock.setTimeout(() => {
      this.#told.delete(taskId)
      end()
    }, WORDS_WANTED_MS)
    this.#told.set(taskId, { timer, end })
  }
}
