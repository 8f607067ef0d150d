import { UniqueConflict } from '../errors.ts'
import type { Driver, TableSpec, Transaction, Value } from '../port.ts'
import { POSITIONS } from '../tables.ts'
import { fenceOf, type MongoFence, nodeFence, replaced } from './fencing.ts'

export interface NodeFenceOptions {
  readonly node: string
  readonly driverUnder: (fence: MongoFence) => Driver
  readonly raise: (fence: Pick<MongoFence, 'collection' | 'ids' | 'epoch'>) => Promise<void>
}

/** What a node may write under one epoch of its fence. */
export interface Term {
  readonly epoch: number
  readonly driver: Driver
  isOver: boolean
}

/**
 * The fence of a node, for all its shards. Another node that takes over one of them has raised it: then all of them are
 * lost, and the node begins a new term with the next shard that it takes.
 */
export class NodeFence {
  readonly #options: NodeFenceOptions
  readonly #shards = new Map<number, ShardDriver>()
  #epoch = 0
  #term: Promise<Term> | null = null

  constructor(options: NodeFenceOptions) {
    this.#options = options
  }

  /** The term of this moment: a new one if there is none. */
  term(): Promise<Term> {
    this.#term ??= this.#begin().catch((error: unknown) => {
      this.#term = null
      throw error
    })
    return this.#term
  }

  /** The driver of a shard that this node has taken. It may be lost already. */
  open(shard: number, epoch: number, term: Term): ShardDriver {
    const driver = new ShardDriver(term, epoch)
    const newest = this.#shards.get(shard)
    if (term.isOver || (newest && newest.epoch > epoch)) driver.lose()
    else this.#shards.set(shard, driver)
    return driver
  }

  isOpen(shard: number, driver: ShardDriver): boolean {
    return this.#shards.get(shard) === driver
  }

  /** Who owns what now: another node may have a shard that is open here. */
  viewRefreshed(owners: readonly { readonly epoch: number }[]): void {
    const lost = [...this.#shards].find(([shard, driver]) => (owners[shard]?.epoch ?? 0) > driver.epoch)
    if (lost) this.lose(lost[1].term)
  }

  /** Resolves when what this node had begun of a shard is over, and nothing is written of it any more. */
  async close(shard: number, driver = this.#shards.get(shard)): Promise<void> {
    if (!driver) return
    await driver.close()
    if (driver.term.isOver) await this.term()
    else if (this.isOpen(shard, driver)) this.#shards.delete(shard)
  }

  lose(term: Term): void {
    if (term.isOver) return
    term.isOver = true
    this.#term = null
    const lost = [...this.#shards.values()]
    this.#shards.clear()
    for (const driver of lost) driver.lose()
  }

  /** What an earlier term has begun is over once the fence is raised above it. */
  async #begin(): Promise<Term> {
    const { node, driverUnder, raise } = this.#options
    const fence = { ...fenceOf(nodeFence(node)), epoch: ++this.#epoch }
    await raise(fence)
    const term: Term = {
      epoch: fence.epoch,
      driver: driverUnder({ ...fence, lost: () => this.lose(term), isLost: () => term.isOver }),
      isOver: false,
    }
    return term
  }
}

/** Writes of one shard: none begins once it was lost, or given back. */
export class ShardDriver implements Driver {
  readonly get: Driver['get']
  readonly find: Driver['find']
  readonly range: Driver['range']
  readonly keys: Driver['keys']
  readonly missing: Driver['missing']
  readonly term: Term
  readonly epoch: number
  /** A write has failed, and may be made still. */
  #inDoubt = false
  #closed = false
  readonly #underWay = new Set<Promise<unknown>>()
  #tell: (() => void) | null = null
  #lost = false

  constructor(term: Term, epoch: number) {
    this.term = term
    this.epoch = epoch
    const { driver } = term
    this.get = driver.get.bind(driver)
    this.find = driver.find.bind(driver)
    this.range = driver.range.bind(driver)
    this.keys = driver.keys.bind(driver)
    this.missing = driver.missing.bind(driver)
  }

  transact<T>(work: (tx: Transaction) => Promise<T> | T): Promise<T> {
    return this.#written(() => this.term.driver.transact(work))
  }
  patch<Row extends object>(
    spec: TableSpec<Row>,
    key: readonly Value[],
    fields: Partial<NoInfer<Row>>,
  ): Promise<boolean> {
    return this.#written(() => this.term.driver.patch(spec, key, fields))
  }
  /** No write begins; resolves when none is under way. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#underWay)
    // What has failed is over when another transaction has begun.
    if (this.#inDoubt && !this.term.isOver) await this.term.driver.transact((tx) => tx.get(POSITIONS, 'store'))
  }

  /** Calls the listener when the shard was lost, at once if it is. */
  onLost(listener: () => void): void {
    if (this.#lost) listener()
    else this.#tell = listener
  }

  lose(): void {
    this.#closed = true
    this.#lost = true
    this.#tell?.()
  }

  async #written<T>(write: () => Promise<T>): Promise<T> {
    if (this.#closed || this.term.isOver) throw replaced()
    const written = write()
    this.#underWay.add(written)
    try {
      return await written
    } catch (error) {
      this.#inDoubt ||= !(error instanceof UniqueConflict)
      throw error
    } finally {
      this.#underWay.delete(written)
    }
  }
}
