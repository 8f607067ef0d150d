import { StoreUnwritable, UniqueConflict } from '../../../src/stores/errors.ts'
import type { MongoFence } from '../../../src/stores/mongodb/fencing.ts'
import {
  type AnyTable,
  type Driver,
  type KeyRange,
  keyOf,
  type Range,
  type TableSpec,
  type Transaction,
  type Value,
} from '../../../src/stores/port.ts'
import { copied, type Outcome, type Row, type Rows, type RowWrite } from './rows.ts'

/** How a driver reaches its database: what is asked there happens some time later, and its answer comes later still. */
export interface Wire {
  read<T>(label: string, table: string, look: () => T): Promise<T>
  /**
   * When it rejects with anything but what `change` throws, that happened, or happens later, or never.
   */
  write<T>(label: string, tables: readonly string[], change: () => T): Promise<T>
}

/** The port over simulated rows, for one process; with a fence, as MongoDB's driver under it. */
export class SimulatedDriver implements Driver {
  readonly #rows: Rows
  readonly #wire: Wire
  readonly #fence: MongoFence | null
  readonly #givenUp = new Set<Attempt>()

  constructor(rows: Rows, wire: Wire, fence: MongoFence | null = null) {
    this.#rows = rows
    this.#wire = wire
    this.#fence = fence
  }

  under(fence: MongoFence): SimulatedDriver {
    return new SimulatedDriver(this.#rows, this.#wire, fence)
  }

  get<R extends object>(spec: TableSpec<R>, ...key: Value[]): Promise<R | null> {
    return this.#read(spec, () => this.#rows.get(spec, key)) as Promise<R | null>
  }
  find<R extends object>(spec: TableSpec<R>, index: string, ...values: Value[]): Promise<R | null> {
    return this.#read(spec, () => this.#rows.find(spec, index, values)) as Promise<R | null>
  }
  async *range<R extends object>(spec: TableSpec<R>, index: string | null, range?: Range): AsyncGenerator<R> {
    yield* (await this.#read(spec, () => this.#rows.range(spec, index, range))) as R[]
  }

  async *keys<R extends object>(spec: TableSpec<R>, index: string | null, range?: KeyRange): AsyncGenerator<Value[]> {
    for await (const row of this.range(spec, index, range)) yield keyOf(spec, row)
  }

  async transact<T>(work: (tx: Transaction) => Promise<T> | T): Promise<T> {
    for (;;) {
      const attempt = new Attempt(this, this.#givenUp)
      const result = await work(attempt)
      if (attempt.writes.size === 0) return result
      if ((await this.#made(attempt)) !== 'conflict') return result
    }
  }

  async patch<R extends object>(spec: TableSpec<R>, key: readonly Value[], fields: Partial<NoInfer<R>>) {
    const attempt = new Attempt(this, this.#givenUp)
    attempt.write({ spec, key, how: 'patch', row: fields as Row })
    return Number(await this.#made(attempt)) > 0
  }

  missing<R extends object, Id extends Value>(spec: TableSpec<R>, ids: readonly Id[]): Promise<Id[]> {
    return this.#read(spec, () => ids.filter((id) => this.#rows.get(spec, [id]) === null))
  }

  /** What is read of the moment of an attempt; that begins with it. */
  readOf<T>(attempt: Attempt, spec: AnyTable, look: (rows: Rows, then: number) => T): Promise<T> {
    return this.#read(spec, () => look(this.#rows, this.#begun(attempt)))
  }

  #read<T>(spec: AnyTable, look: () => T): Promise<T> {
    return this.#wire.read(`read ${spec.name}`, spec.name, () => copied(look()))
  }

  async #made(attempt: Attempt): Promise<Outcome> {
    const fence = this.#fence
    if (fence?.isLost()) throw replaced()
    const writes = [...attempt.writes.values()]
    const change = () => {
      const then = this.#begun(attempt)
      return attempt.isEnded ? 'ended' : this.#rows.commit(writes, then, fence)
    }
    const about = writes.map(({ spec, key, how }) => `${how} ${spec.name} ${key.join(':').slice(-6)}`)
    const tables = writes.map(({ spec }) => spec.name)
    const outcome = await this.#wire.write(about.join(' '), tables, change).catch((error: unknown) => {
      if (!(error instanceof UniqueConflict)) this.#givenUp.add(attempt)
      throw error
    })
    if (outcome === 'ended') throw new StoreUnwritable('The store gave it up')
    if (outcome !== 'fenced') return outcome
    fence?.lost()
    throw replaced()
  }

  /** The moment that an attempt reads. Whoever has no fence has no place where others wait for what was given up. */
  #begun(attempt: Attempt): number {
    if (attempt.since === null) {
      attempt.since = this.#rows.now
      // What comes late was sent by a driver that had ended what it had given up before.
      const over = this.#givenUp.has(attempt) ? attempt.givenUpBefore : this.#givenUp
      if (this.#fence) for (const other of over) other.isEnded = true
    }
    return attempt.since
  }
}

const replaced = () => new StoreUnwritable('Another process owns the store')

/** One run of a transaction. What was given up is ended by what its driver begins next: it is not made any more. */
class Attempt implements Transaction {
  readonly writes = new Map<string, RowWrite>()
  since: number | null = null
  isEnded = false
  /** What its driver had given up when it began. */
  readonly givenUpBefore: ReadonlySet<Attempt>
  readonly #driver: SimulatedDriver

  constructor(driver: SimulatedDriver, givenUp: ReadonlySet<Attempt>) {
    this.#driver = driver
    this.givenUpBefore = new Set(givenUp)
  }

  get<R extends object>(spec: TableSpec<R>, ...key: Value[]): Promise<R | null> {
    return this.#driver.readOf(this, spec, (rows, then) => rows.get(spec, key, then)) as Promise<R | null>
  }
  find<R extends object>(spec: TableSpec<R>, index: string, ...values: Value[]): Promise<R | null> {
    return this.#driver.readOf(this, spec, (rows, then) => rows.find(spec, index, values, then)) as Promise<R | null>
  }
  range<R extends object>(spec: TableSpec<R>, index: string | null, range?: Range): AsyncIterable<R> {
    return this.#driver.range(spec, index, range)
  }
  keys<R extends object>(spec: TableSpec<R>, index: string | null, range?: KeyRange): AsyncIterable<Value[]> {
    return this.#driver.keys(spec, index, range)
  }
  insert<R extends object>(spec: TableSpec<R>, row: R): void {
    this.write({ spec, key: keyOf(spec, row), how: 'insert', row: row as Row })
  }
  put<R extends object>(spec: TableSpec<R>, row: R): void {
    this.write({ spec, key: keyOf(spec, row), how: 'put', row: row as Row })
  }
  add<R extends object>(spec: TableSpec<R>, row: R): void {
    this.put(spec, row)
  }
  remove<R extends object>(spec: TableSpec<R>, ...key: Value[]): void {
    this.write({ spec, key, how: 'remove', row: null })
  }
  /** Of several to one row the last counts; it is as it is now, whatever the caller makes of it later. */
  write(write: RowWrite): void {
    this.writes.set(`${write.spec.name} ${write.key.join(':')}`, { ...write, row: copied(write.row) })
  }
}
