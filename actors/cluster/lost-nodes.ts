import { NODE_LATE_MS } from '../limits.ts'
import type { NodeInfo } from './ports.ts'

export interface PresenceOptions {
  /** Whether nobody listens for that node any more: its process ended, or its connection to the bus. */
  readonly isGone: (node: string) => Promise<boolean>
  /** A node is gone, or may be: the view is to be refreshed. */
  readonly onGone: (node: string) => void
  readonly after: (ms: number, work: () => void) => void
}

/**
 * [M9] Which nodes are there: those whose lease has not ended, but for the ones that are late with their renewal and that
 * nobody listens for any more. A process that was killed is seen so within about a second; one that is slow, stopped or
 * cut off from the bus alone has its whole lease. Safety needs none of it: the epoch decides. Each node watches the next
 * one; the others are asked for when a refresh finds that they are late.
 */
export class Presence {
  readonly #options: PresenceOptions
  /** Nobody listened for them the last time. */
  readonly #gone = new Set<string>()
  readonly #asking = new Set<string>()
  #watched: string | null = null

  constructor(options: PresenceOptions) {
    this.#options = options
  }

  /** Of the nodes whose lease has not ended those that are there. */
  present(nodes: readonly NodeInfo[], own: string): NodeInfo[] {
    const leased = new Set(nodes.map(({ id }) => id))
    for (const id of this.#gone) if (!leased.has(id)) this.#gone.delete(id)
    for (const { id, silentMs } of nodes) {
      if (silentMs < NODE_LATE_MS) this.#gone.delete(id)
      else if (id !== own && !this.#gone.has(id)) void this.#ask(id)
    }
    const present = nodes.filter(({ id }) => !this.#gone.has(id))
    this.#watchNext(present, own)
    return present
  }

  /** Asks for the next node when it would be late. */
  #watchNext(nodes: readonly NodeInfo[], own: string): void {
    const others = nodes.filter(({ id }) => id !== own).sort((a, b) => (a.id < b.id ? -1 : 1))
    const next = others.find(({ id }) => id > own) ?? others[0]
    if (!next || next.silentMs >= NODE_LATE_MS || this.#watched === next.id) return
    this.#watched = next.id
    this.#options.after(NODE_LATE_MS - next.silentMs, () => {
      this.#watched = null
      void this.#ask(next.id)
    })
  }

  async #ask(node: string): Promise<void> {
    if (this.#asking.has(node)) return
    this.#asking.add(node)
    const isGone = await this.#options.isGone(node).catch(() => false)
    this.#asking.delete(node)
    if (!isGone) return
    this.#gone.add(node)
    this.#options.onGone(node)
  }
}
