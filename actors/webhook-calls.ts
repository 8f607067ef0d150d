import type { AnyMachineSnapshot } from 'xstate'
import type { Address } from '../machines/addresses.ts'
import { leafOf } from './events/task-events.ts'
import { WEBHOOKS_ANSWERED_MS_MAX } from './limits.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { within } from './runtime/effects.ts'

/** [W9] The webhooks that are being called, by the actor that waits for the answer. */
export class WebhookCalls {
  readonly #underWay = new Map<Address, Promise<unknown>>()
  #isClosed = false

  /** Makes a call, unless they are closed: then it is never answered, and left to the next process. */
  make<Answer>(by: Address, call: () => Promise<Answer>): Promise<Answer> {
    if (this.#isClosed) return new Promise(() => {})
    const answer = call()
    this.#underWay.set(by, answer)
    const over = () => void this.#underWay.delete(by)
    answer.then(over, over)
    return answer
  }

  /** Lets no more begin. Returns the actors whose calls are not answered yet. */
  close(): Address[] {
    this.#isClosed = true
    return [...this.#underWay.keys()]
  }
}

/**
 * [W9] Lets no more webhooks be called. Resolves when those that are being called are answered, and the answer is noted, or after
 * WEBHOOKS_ANSWERED_MS_MAX.
 */
export async function webhooksAnswered({ registry, webhookCalls, ports }: ActorSystem): Promise<void> {
  const isNoted = ({ value }: AnyMachineSnapshot) => !CALLING.has(leafOf(value))
  const noted = webhookCalls.close().map((address) => registry.until(address, isNoted))
  await within(ports.clock, WEBHOOKS_ANSWERED_MS_MAX, new AbortController().signal, () => Promise.all(noted))
}

/** The states of deliveries and closings from the call of a webhook until its answer is kept. */
const CALLING: ReadonlySet<string> = new Set(['attempting', 'recording', 'announcing'])
