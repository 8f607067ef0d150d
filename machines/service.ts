import { assign, setup } from 'xstate'
import { type EffectCrashed, effect } from './effects.ts'
import { DRAIN_MS_MAX } from './limits.ts'
import type { Ms } from './records.ts'

export type ServiceEvent =
  /** Everything that was kept is back. */
  | { type: 'service.recovered'; at: Ms }
  | { type: 'service.stop'; at: Ms }
  /** Every running task has its ending. */
  | { type: 'service.drained'; at: Ms }
  | EffectCrashed

/**
 * The whole service: it comes back from what was kept, runs, and on a stop ends its running tasks before it is gone.
 * Starts are granted only while it runs.
 */
export const serviceMachine = setup({
  types: {
    context: {} as { readonly failure: string | null },
    events: {} as ServiceEvent,
    output: {} as { readonly failure: string | null },
  },
  actors: {
    recover: effect<undefined>(),
    /** Ends every running task with the text of a shutdown and waits for their endings. */
    drain: effect<undefined>(),
  },
  actions: {
    fail: assign((_, failure: string) => ({ failure })),
  },
  delays: { drainLimit: DRAIN_MS_MAX },
}).createMachine({
  id: 'service',
  context: { failure: null },
  initial: 'starting',
  states: {
    starting: {
      invoke: { src: 'recover' },
      on: {
        'service.recovered': 'running',
        'effect.crashed': { target: 'stopped', actions: { type: 'fail', params: ({ event }) => event.message } },
        'service.stop': 'stopped',
      },
    },
    running: { tags: ['admitting'], on: { 'service.stop': 'draining' } },
    draining: {
      invoke: { src: 'drain' },
      on: { 'service.drained': 'stopped', 'effect.crashed': 'stopped' },
      after: { drainLimit: 'stopped' },
    },
    stopped: { type: 'final' },
  },
  output: ({ context }) => context,
})
