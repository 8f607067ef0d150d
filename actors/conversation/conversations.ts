import { CONTEXT_TOKENS_DEFAULT, STORE_RETRY_MS } from '../../machines/limits.ts'
import type { TaskRecord } from '../../machines/records.ts'
import type { Clock, Model, Ports, Store } from '../runtime/ports.ts'
import { chosenModel } from './budget.ts'
import { Conversation } from './conversation.ts'
import { readEarlier } from './earlier.ts'

/** The conversations of the tasks that run in this process. They are rebuilt from the journal on demand. */
export class Conversations {
  readonly #kept = new Map<string, Conversation | Promise<Conversation>>()
  readonly #store: Store
  readonly #clock: Clock
  readonly #model: Model

  constructor({ store, clock, model }: Pick<Ports, 'store' | 'clock' | 'model'>) {
    this.#store = store
    this.#clock = clock
    this.#model = model
  }

  /** Begins the conversation of a new task, which has no journal yet. */
  begin(record: TaskRecord): void {
    this.#kept.set(record.id, new Conversation(record, this.#contextTokens(record)))
  }

  /**
   * Returns the conversation itself if it is in memory, else a promise of it, read from the journal. Rejects if there is no
   * such task.
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

  #contextTokens({ model }: Pick<TaskRecord, 'model'>): number {
    return chosenModel(this.#model, model).contextTokens ?? CONTEXT_TOKENS_DEFAULT
  }

  async #restore(taskId: string): Promise<Conversation> {
    for (;;) {
      try {
        const record = await this.#store.tasks.get(taskId)
        if (record) {
          const contextTokens = this.#contextTokens(record)
          const earlier = await readEarlier(record, this.#store)
          return await Conversation.restore(record, contextTokens, this.#store, earlier)
        }
        break
      } catch (error) {
        if (!this.#kept.has(taskId)) throw error
        await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, STORE_RETRY_MS))
      }
    }
    throw new Error(`Task ${taskId} has no record`)
  }
}
