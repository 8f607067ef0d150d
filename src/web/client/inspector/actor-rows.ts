import type { ActorLine } from '../../../../actors/inspection/shown.ts'

/** A row of the list: the head of a kind, or one actor of it. */
export type Row =
  | { readonly kind: string; readonly count: number; readonly line: null }
  | { readonly kind: string; readonly count: null; readonly line: ActorLine }

export interface Shown {
  /** Words that an actor's address, state or title has. */
  readonly filter: string
  /** Kinds whose actors are not listed. */
  readonly closed: ReadonlySet<string>
  /** What an actor is, and its state, in words. */
  wordsOf(line: ActorLine): string
}

/** The kinds in the order in which a reader looks for them. */
export const KINDS = ['task', 'session', 'call', 'closing', 'delivery', 'workspace', 'shard', 'service']

export const kindOf = (address: string): string => address.slice(0, Math.max(0, address.indexOf(':'))) || address

/** Who lives, by kind, newest first. */
export class ActorRows {
  readonly #kinds = new Map<string, Map<string, ActorLine>>()
  size = 0

  /** Everybody anew; `lines` are oldest first. */
  reset(lines: readonly ActorLine[]): void {
    this.#kinds.clear()
    this.size = 0
    this.change(lines.toReversed(), [])
  }

  change(lines: readonly ActorLine[], gone: readonly string[]): void {
    for (const address of gone) if (this.#kinds.get(kindOf(address))?.delete(address)) this.size--
    const fresh = new Map<string, [string, ActorLine][]>()
    for (const line of lines) {
      const kind = kindOf(line.address)
      const known = this.#kinds.get(kind)
      if (known?.has(line.address)) known.set(line.address, line)
      else if (fresh.get(kind)?.push([line.address, line]) === undefined) fresh.set(kind, [[line.address, line]])
    }
    for (const [kind, entries] of fresh) {
      this.#kinds.set(kind, new Map([...entries, ...(this.#kinds.get(kind) ?? [])]))
      this.size += entries.length
    }
  }

  /** Another text whenever actors of a kind have come or gone. */
  changed(kind: string): string {
    const lines = this.#kinds.get(kind)
    return `${lines?.size ?? 0} ${lines?.keys().next().value ?? ''}`
  }

  countOf(kind: string): number {
    return this.#kinds.get(kind)?.size ?? 0
  }

  get(address: string): ActorLine | null {
    return this.#kinds.get(kindOf(address))?.get(address) ?? null
  }

  /** The rows that are shown, and how many actors fit the filter. */
  rows({ filter, closed, wordsOf }: Shown): { readonly rows: readonly Row[]; readonly fitting: number } {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
    const fits = (line: ActorLine) => {
      if (words.length === 0) return true
      const text = `${line.address} ${line.state} ${wordsOf(line)}`.toLowerCase()
      return words.every((word) => text.includes(word))
    }
    const rows: Row[] = []
    let fitting = 0
    for (const kind of [...this.#kinds.keys()].sort((a, b) => rank(a) - rank(b))) {
      const lines = [...(this.#kinds.get(kind)?.values() ?? [])].filter(fits)
      if (lines.length === 0) continue
      fitting += lines.length
      rows.push({ kind, count: lines.length, line: null })
      if (!closed.has(kind)) for (const line of lines) rows.push({ kind, count: null, line })
    }
    return { rows, fitting }
  }
}

const rank = (kind: string): number => (KINDS.includes(kind) ? KINDS.indexOf(kind) : KINDS.length)
