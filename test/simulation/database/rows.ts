import { UniqueConflict } from '../../../src/stores/errors.ts'
import { type AnyTable, indexKeys, keyOf, matchesAll, type Range, type Value } from '../../../src/stores/port.ts'

export type Row = Record<string, unknown>

/** A write of a transaction, or what it changes of a row that is there. */
export interface RowWrite {
  readonly spec: AnyTable
  readonly key: readonly Value[]
  readonly how: 'insert' | 'put' | 'patch' | 'remove'
  readonly row: Row | null
}

/** A row that a transaction has changed. */
export interface Changed {
  readonly table: string
  readonly key: string
  readonly before: Row | null
  readonly after: Row | null
}

/** Under which epoch of which fence a transaction writes. */
export interface Fenced {
  readonly ids: readonly string[]
  readonly epoch: number
}

/** What came of a transaction: how many of its rows were there, or why none of it is kept. */
export type Outcome = number | 'conflict' | 'fenced'

interface Version {
  readonly since: number
  readonly row: Row | null
}

/**
 * The rows of a database, as each transaction has left them. A transaction reads those of one moment, and is refused when
 * another has changed since what it writes, or has raised its fence. What it only reads is not compared: as on MongoDB.
 */
export class Rows {
  /** Counts transactions. */
  now = 0
  /** By table, by the first field of the key, by the key. */
  readonly #tables = new Map<string, Map<Value, Map<string, Version[]>>>()
  readonly #fences = new Map<string, number>()
  readonly #changed: (changes: readonly Changed[], by: Fenced | null) => void

  constructor(changed: (changes: readonly Changed[], by: Fenced | null) => void = () => {}) {
    this.#changed = changed
  }

  /** What was kept then, or now. Not a copy. */
  get(spec: AnyTable, key: readonly Value[], then = this.now): Row | null {
    return at(this.#versions(spec, key), then)
  }

  find(spec: AnyTable, index: string, values: readonly Value[], then = this.now): Row | null {
    const fields = spec.indexes?.[index]?.fields ?? []
    return this.all(spec, then).find((row) => fields.every((field, n) => row[field] === values[n])) ?? null
  }

  all(spec: AnyTable, then = this.now): Row[] {
    return [...this.#of(spec).values()].flatMap((some) => rowsOf(some, then))
  }

  range(spec: AnyTable, index: string | null, range: Range = {}): Row[] {
    const { of = [], from, to, after, down = false, limit = Number.POSITIVE_INFINITY, match = {} } = range
    const own = index === null ? { fields: spec.key } : spec.indexes?.[index]
    if (!own) throw new Error(`${spec.name} has no index ${index}`)
    const found: { readonly behind: readonly Value[]; readonly row: Row }[] = []
    const [first] = index === null ? of : []
    const rows = first === undefined ? this.all(spec) : rowsOf(this.#of(spec).get(first), this.now)
    for (const row of rows) {
      if (!matchesAll(row, match)) continue
      for (const values of indexKeys(own, row)) {
        if (of.some((value, n) => values[n] !== value)) continue
        const behind = [...values, ...(index === null ? [] : keyOf(spec, row))].slice(of.length)
        const [next = 0] = behind
        if (from !== undefined && compare([next], [from]) < 0) continue
        if (to !== undefined && compare([next], [to]) >= 0) continue
        if (after && compare(behind.slice(0, after.length), after) * (down ? -1 : 1) <= 0) continue
        found.push({ behind, row })
      }
    }
    found.sort((a, b) => compare(a.behind, b.behind) * (down ? -1 : 1))
    return found.slice(0, limit).map(({ row }) => row)
  }

  /**
   * Makes all of a transaction, or nothing.
   * @param began when it read first
   * @throws UniqueConflict
   */
  commit(writes: readonly RowWrite[], began: number, fence: Fenced | null): Outcome {
    if (fence?.ids.some((id) => this.#fences.get(id) !== fence.epoch)) return 'fenced'
    const isChanged = ({ spec, key }: RowWrite) => (this.#versions(spec, key)?.at(-1)?.since ?? 0) > began
    if (writes.some(isChanged)) return 'conflict'
    const changes = writes.map(({ spec, key, how, row }) => {
      const before = this.get(spec, key)
      if (how === 'insert' && before) throw new UniqueConflict(spec.name, 'key')
      const after = how === 'remove' || (how === 'patch' && !before) ? null : { ...(how === 'patch' && before), ...row }
      return { spec, table: spec.name, parts: key, key: key.join(':'), before, after }
    })
    for (const { spec, after, key } of changes) if (after) this.#checkUnique(spec, key, after, changes)
    this.now++
    for (const { spec, parts, key, after } of changes) {
      const [first = ''] = parts
      const some = this.#of(spec).get(first) ?? new Map<string, Version[]>()
      this.#of(spec).set(first, some)
      some.set(key, [...(some.get(key)?.slice(-VERSIONS_KEPT) ?? []), { since: this.now, row: after }])
    }
    this.#changed(changes, fence)
    return changes.filter(({ before }) => before !== null).length
  }

  /** Who has an older epoch commits nothing any more. */
  raise({ ids, epoch }: Fenced): void {
    for (const id of ids) this.#fences.set(id, Math.max(epoch, this.#fences.get(id) ?? 0))
  }

  #versions(spec: AnyTable, key: readonly Value[]): Version[] | undefined {
    return this.#of(spec)
      .get(key[0] ?? '')
      ?.get(key.join(':'))
  }

  #of({ name }: AnyTable): Map<Value, Map<string, Version[]>> {
    const table = this.#tables.get(name) ?? new Map<Value, Map<string, Version[]>>()
    this.#tables.set(name, table)
    return table
  }

  #checkUnique(spec: AnyTable, key: string, row: Row, changes: readonly Changed[]): void {
    for (const [name, index] of Object.entries(spec.indexes ?? {})) {
      if (!index.unique) continue
      const [values] = indexKeys(index, row)
      const isSame = (other: Row) => values && compare(indexKeys(index, other)[0] ?? [], values) === 0
      const others = this.all(spec).filter((other) => isSame(other) && keyOf(spec, other).join(':') !== key)
      const own = changes.filter((each) => each.table === spec.name)
      const left = others.filter((other) => !own.some((each) => each.key === keyOf(spec, other).join(':')))
      const twice = own.some(({ key: other, after }) => other !== key && after !== null && isSame(after))
      if (left.length > 0 || twice) throw new UniqueConflict(spec.name, name)
    }
  }
}

/** No transaction reads what more have replaced since it began. */
const VERSIONS_KEPT = 50

const at = (versions: readonly Version[] = [], then: number): Row | null =>
  versions.findLast(({ since }) => since <= then)?.row ?? null

const rowsOf = (some: ReadonlyMap<string, Version[]> = new Map(), then: number): Row[] =>
  [...some.values()].map((versions) => at(versions, then)).filter((row) => row !== null)

function compare(a: readonly Value[], b: readonly Value[]): number {
  for (const [n, value] of a.entries()) {
    const other = b[n]
    if (other === undefined) return 1
    if (value !== other) return value < other ? -1 : 1
  }
  return a.length - b.length
}

/** As `structuredClone`, of what rows and documents have, and several times faster. */
export function copied<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copied) as T
  if (value instanceof Date) return new Date(+value) as T
  if (value instanceof Uint8Array) return new Uint8Array(value) as T
  const copy: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(value)) copy[key] = copied(field)
  return copy as T
}
