import { assign, setup } from 'xstate'
import { type EffectCrashed, effect, provided } from './effects.ts'
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

/**
 * One shard of the workspaces, at one node of several. The node owns it under an epoch that its store knows; everything
 * under its workspaces runs here between `recovering` and `releasing`, and nowhere else. A refusal of the store is not a
 * failure: what runs is stopped where it is, ends nothing and sends nothing.
 */
export const shardMachine = setup({
  types: { context: {} as ShardContext, events: {} as ShardEvent, input: {} as ShardInput },
  actors: {
    /** Raises the epoch by one compare-and-set. */
    acquire: effect<ShardInput>(),
    /** Restores the saved actors. */
    recover: effect<ShardContext>(),
    /** Writes pending changes, stops the actors, and releases the shard to the next node. */
    release: effect<ShardContext>(),
  },
  actions: {
    own: assign((_, { epoch }: { epoch: number }) => ({ epoch })),
    disown: assign({ epoch: null }),
    /** Stops the actors where they are. */
    abandon: provided<ShardContext>('abandon'),
  },
  guards: {
    /** It is about the epoch under which this node owns it. */
    isOwn: ({ context }, { epoch }: { epoch: number }) => context.epoch === epoch,
  },
}).createMachine({
  id: 'shard',
  context: ({ input: { shard } }) => ({ shard, epoch: null }),
  initial: 'absent',
  states: {
    absent: { description: 'is another node’s, or nobody’s', entry: 'disown', on: { 'shard.assigned': 'acquiring' } },
    acquiring: {
      description: 'asks the store to own it',
      invoke: { src: 'acquire', input: ({ context }) => context },
      on: {
        'shard.acquired': { target: 'recovering', actions: { type: 'own', params: ({ event }) => event } },
        'shard.missed': 'absent',
        'effect.crashed': 'absent',
      },
    },
    recovering: {
      description: 'brings back what was saved',
      tags: ['held'],
      invoke: { src: 'recover', input: ({ context }) => context },
      on: {
        'shard.recovered': 'owned',
        'shard.unassigned': 'releasing',
        // The read may succeed later, or at another node.
        'effect.crashed': 'releasing',
      },
    },
    owned: { description: 'its workspaces run here', tags: ['held'], on: { 'shard.unassigned': 'releasing' } },
    releasing: {
      description: 'hands it on, once all is written',
      tags: ['held'],
      invoke: { src: 'release', input: ({ context }) => context },
      on: {
        'shard.released': 'absent',
        'effect.crashed': {
          target: 'absent',
          actions: { type: 'abandon', params: ({ context }) => context },
        },
      },
    },
  },
  on: {
    'shard.lost': {
      guard: { type: 'isOwn', params: ({ event }) => event },
      target: '.absent',
      actions: { type: 'abandon', params: ({ context }) => context },
    },
  },
})
