import { NODE_LATE_MS } from '../limits.ts'
import type { NodeInfo } from './ports.ts'

/**
 * [M9] Which nodes are there: those whose lease has not ended, but for the ones that are late with their renewal and that
 * nobody listens for any more. A process that was killed is seen so within about a second; one that is slow, stopped or
 * cut off from the bus alone has its whole lease. Safety needs none of it: the epoch decides.
 */
export class Presence {
  readonly #isGone: (node: string) => Promise<boolean>
  readonly #onGone: () => void
  readonly #gone = new Set<string>()
  readonly #asked = new Set<string>()

  constructor(isGone: (node: string) => Promise<boolean>, onGone: () => void) {
    this.#isGone = isGone
    this.#onGone = onGone
  }

  /** Of the nodes whose lease has not ended those that are there. */
  present(nodes: readonly NodeInfo[], own: string): NodeInfo[] {
    const leased = new Set(nodes.map(({ id }) => id))
    for (const id of this.#gone) if (!leased.has(id)) this.#gone.delete(id)
    for (const { id, silentMs } of nodes) {
      if (silentMs < NODE_LATE_MS) this.#gone.delete(id)
      else if (id !== own && !this.#gone.has(id)) void this.#ask(id)
    }
    return nodes.filter(({ id }) => !this.#gone.has(id))
  }

  async #ask(node: string): Promise<void> {
    if (this.#asked.has(node)) return
    this.#asked.add(node)
    const isGone = await this.#isGone(node).catch(() => false)
    this.#asked.delete(node)
    if (!isGone) return
    this.#gone.add(node)
    this.#onGone()
  }
}
