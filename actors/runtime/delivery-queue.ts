import type { Address } from '../../machines/addresses.ts'

interface Delivery {
  readonly work: () => void
  readonly to: Address | null
  readonly from: Address | null
}

/**
 * Deliveries to actors, in order and never nested: what an actor posts while it works is delivered when it is done.
 * Therefore the sender is known: it is the actor that is handling an event.
 */
export class DeliveryQueue {
  readonly #queue: Delivery[] = []
  readonly #onError: (error: unknown) => void
  #current: Delivery | undefined

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** The actor that is handling an event now; `null` if there is none, or it is not known. */
  get receiver(): Address | null {
    return this.#current?.to ?? null
  }

  /** The actor that posted what is being delivered; `null` if that was the receiver itself. */
  get sender(): Address | null {
    const { to = null, from = null } = this.#current ?? {}
    return from === to ? null : from
  }

  /** Runs `work` after all that waits already, at once if nothing does. */
  add(work: () => void, to: Address | null = null, from: Address | null = to === null ? null : this.receiver): void {
    this.#queue.push({ work, to, from })
    if (this.#current) return
    try {
      for (this.#current = this.#queue.shift(); this.#current; this.#current = this.#queue.shift()) {
        this.attempt(this.#current.work)
      }
    } finally {
      this.#current = undefined
    }
  }

  /**
   * An exception in a machine ends that machine. An exception here is a bug in the service: it is reported and does not
   * end the process.
   */
  attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#onError(error)
    }
  }
}
