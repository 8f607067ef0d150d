import type { EffectCrashed } from './effects.ts'
import type { Ms } from './records.ts'

export interface ShardInput {
  readonly shard: number
}

/** Whether the shard is assigned to its node, and the results of its effects. */
export type ShardEvent =
  /** This node should own it, and nobody else does. */
  | { type: 'shard.assigned' }
  /** Another node should own it. */
  | { type: 'shard.unassigned' }
  /** The store has given it to this node. */
  | { type: 'shard.acquired'; epoch: number; at: Ms }
  /** Another node was faster. */
  | { type: 'shard.missed' }
  /** All saved actors are restored. */
  | { type: 'shard.recovered'; at: Ms }
  /** Everything is written, and the next node may take it. */
  | { type: 'shard.released' }
  /** Its store refuses this node's writes: another node has raised the epoch. */
  | { type: 'shard.lost'; epoch: number }
  | EffectCrashed

export interface ShardContext extends ShardInput {
  /** Under which this node owns it; `null` while it does not. */
  readonly epoch: number | null
}
