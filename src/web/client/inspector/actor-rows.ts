import type { ActorLine } from '../../../../actors/inspection/shown.ts'

/** A row of the list: the head of a kind or of a group, which opens and closes, or one actor. */
export type Row =
  | { readonly type: 'kind' | 'group'; readonly key: string; readonly isOpen: boolean; readonly lines: Lines }
  | { readonly type: 'actor'; readonly key: string; readonly line: ActorLine }

/** Never empty. */
type Lines = readonly [ActorLine, ...ActorLine[]]

export interface Shown {
  /** Words that an actor's address, state or title has. */
  readonly filter: string
  /** Kinds that were closed, and groups that were opened. */
  readonly toggled: ReadonlySet<string>
  /** The chosen actor: its group is open. */
  readonly focus: string
  /** What an actor is, and its state, in words. */
  wordsOf(line: ActorLine): string
}

/** The kinds in the order in which a reader looks for them. */
export const KINDS = ['task', 'session', 'call', 'closing', 'delivery', 'workspace', 'shard', 'service']

/** The kind of an actor, by its address. */
export const kindOf = (address: string): string => address.slice(0, Math.max(0, address.indexOf(':'))) || address

/** Actors that do the same have the same group: deliveries to an endpoint, calls of a tool; `null`: it has none. */
function groupOf({ address, about }: ActorLine): string | null {
  const kind = kindOf(address)
  if (kind === 'delivery' && about?.endpointId !== undefined) return `delivery ${about.endpointId}`
  return kind === 'call' && about?.tool !== undefined ? `call ${about.tool}` : null
}

/** Fewer that do the same are listed one by one. */
const GROUP_MIN = 4
/** Of so many that have ended it is still known what they did. */
const ENDED_KEPT_MAX = 1_000

/** Who lives, by kind, newest first. */
export class ActorRows {
  readonly #kinds = new Map<string, Map<string, ActorLine>>()
  /** Those that have ended, oldest first: others still name them. */
  readonly #ended = new Map<string, ActorLine>()
  size = 0

  /** Everybody anew; `lines` are oldest first. */
  reset(lines: readonly ActorLine[]): void {
    this.#kinds.clear()
    this.size = 0
    this.change(lines.toReversed(), [])
  }

  change(lines: readonly ActorLine[], gone: readonly string[]): void {
    for (const address of gone) this.#remove(address)
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

  /** An actor that runs, or ended a while ago. */
  get(address: string): ActorLine | null {
    return this.#kinds.get(kindOf(address))?.get(address) ?? this.#ended.get(address) ?? null
  }

  /** The rows that are shown, and how many actors fit the filter. */
  rows({ filter, toggled, focus, wordsOf }: Shown): { readonly rows: readonly Row[]; readonly fitting: number } {
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
      if (!isSome(lines)) continue
      fitting += lines.length
      const isOpen = !toggled.has(kind)
      rows.push({ type: 'kind', key: kind, isOpen, lines })
      if (isOpen) rows.push(...groupedRows(lines, toggled, focus))
    }
    return { rows, fitting }
  }

  #remove(address: string): void {
    const known = this.#kinds.get(kindOf(address))
    const line = known?.get(address)
    if (!known || !line) return
    known.delete(address)
    this.size--
    this.#ended.set(address, line)
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > ENDED_KEPT_MAX && oldest !== undefined) this.#ended.delete(oldest)
  }
}

const isSome = (lines: readonly ActorLine[]): lines is Lines => lines.length > 0

/** Actors one by one; in the place of the first of many that do the same, one row for them all. */
function* groupedRows(lines: Lines, toggled: ReadonlySet<string>, focus: string): Iterable<Row> {
  const groups = new Map<string, [ActorLine, ...ActorLine[]]>()
  for (const line of lines) {
    const key = groupOf(line) ?? line.address
    const members = groups.get(key)
    if (members) members.push(line)
    else groups.set(key, [line])
  }
  for (const [key, members] of groups) {
    const isGroup = members.length >= GROUP_MIN
    const isOpen = !isGroup || toggled.has(key) || members.some(({ address }) => address === focus)
    if (isGroup) yield { type: 'group', key, isOpen, lines: members }
    if (isOpen) for (const line of members) yield { type: 'actor', key: line.address, line }
  }
}

const rank = (kind: string): number => (KINDS.includes(kind) ? KINDS.indexOf(kind) : KINDS.length)
