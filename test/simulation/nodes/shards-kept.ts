import { shardOf } from '../../../machines/placement.ts'
import type { ShardDoc } from '../../../src/stores/mongodb/collections.ts'
import { nodeFence } from '../../../src/stores/mongodb/fencing.ts'
import type { Changed, Fenced } from '../database/rows.ts'

/** What is of the owner of a shard alone. */
const OWNED = ['actors', 'tasks', 'log', 'images']
const NOBODY = { node: null, epoch: 0, fence: 0 } as const

/** Who has owned each shard, by the word of the database, and whether what is written of it is its owner's. */
export class ShardsKept {
  readonly #find: () => ShardDoc[]
  readonly #broken: (how: string) => void
  #docs = new Map<string, ShardDoc>()
  readonly #raised = new Map<number, { readonly epoch: number; readonly at: number }[]>()
  readonly #workspaces = new Map<string, string>()

  constructor(find: () => ShardDoc[], broken: (how: string) => void) {
    this.#find = find
    this.#broken = broken
  }

  of(shard: number): Pick<ShardDoc, 'node' | 'epoch' | 'fence'> {
    return this.#docs.get(String(shard)) ?? NOBODY
  }

  /** The collection was written. True: an epoch was raised. */
  written(now: number): boolean {
    let isRaised = false
    this.#docs = new Map(this.#find().map((doc) => [doc._id, doc]))
    for (const [id, { epoch }] of this.#docs) {
      const known = this.#raised.get(Number(id)) ?? []
      if ((known.at(-1)?.epoch ?? 0) >= epoch) continue
      this.#raised.set(Number(id), [...known, { epoch, at: now }])
      isRaised = true
    }
    return isRaised
  }

  /** Whether a newer epoch was taken before this moment. */
  wasTakenBefore(shard: number, epoch: number, at: number): boolean {
    return this.#raised.get(shard)?.some((raise) => raise.epoch > epoch && raise.at < at) ?? false
  }

  /** [M2] What is of a shard is changed by its owner alone, under the epoch of its fence with which it took the shard. */
  changed(changes: readonly Changed[], by: Fenced | null): void {
    for (const { table, key, before, after } of changes) {
      if (table === 'tasks') this.#workspaces.set(key, String((after ?? before)?.workspaceId))
      if (!OWNED.includes(table) || (!before && !after)) continue
      const shard = table === 'actors' ? Number((after ?? before)?.shard) : this.#shardOf(key.split(':')[0] ?? '')
      const { node, fence } = this.of(shard)
      if (!by || !node || by.ids[0] !== `${nodeFence(node)}/0` || by.epoch !== fence)
        this.#broken(
          `${table} ${key} of shard ${shard} is written under ${by ? `${by.ids[0]} ${by.epoch}` : 'no fence'}, and its owner is ${node} ${fence}`,
        )
    }
  }

  #shardOf(taskId: string): number {
    return shardOf(this.#workspaces.get(taskId) ?? '')
  }
}
