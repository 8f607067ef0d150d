import { assign, setup } from 'xstate'
import type { Address } from './addresses.ts'
import { type ChildEvent, type EffectCrashed, effect, provided } from './effects.ts'
import { DRAIN_MS_MAX } from './limits.ts'
import type { Ms } from './records.ts'
import { mayRestartAgain, recentRestarts } from './restarts.ts'

/** Recovery, stop, and what its children report. */
export type ServiceEvent =
  /** All saved actors are restored. */
  | { type: 'service.recovered'; at: Ms }
  /** The process was asked to stop. */
  | { type: 'service.stop'; at: Ms }
  /** Every running task has ended. */
  | { type: 'service.drained'; at: Ms }
  | ChildEvent
  | EffectCrashed

/** A workspace threw. */
export type ChildFailed = Extract<ChildEvent, { type: 'child.failed' }>

/** Why the service failed, and how often its children did. */
export interface ServiceContext {
  readonly failure: string | null
  /** When its children were restarted, per address, within RESTART_WINDOW_MS. */
  readonly restarts: Readonly<Record<string, readonly Ms[]>>
  /** Children that exceeded the restart limit. They still count what runs, and start nothing new. */
  readonly gaveUp: readonly Address[]
}

const recent = ({ restarts }: ServiceContext, { address, at }: { address: Address; at: Ms }) =>
  recentRestarts(restarts[address], at).filter((then) => then <= at)

/**
 * The whole service: it restores what was saved, runs, and on a stop ends its running tasks before it exits.
 * Starts are granted only while it runs. Its children are the workspaces: one that breaks goes on with
 * what it knew.
 */
export const serviceMachine = setup({
  types: {
    context: {} as ServiceContext,
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
    restart: provided<ChildFailed & { gaveUp: boolean }>('restart'),
    giveUp: assign(({ context }, { address }: ChildFailed) => ({ gaveUp: [...context.gaveUp, address] })),
    countRestart: assign(({ context }, failed: ChildFailed) => ({
      restarts: { ...context.restarts, [failed.address]: [...recent(context, failed), failed.at] },
    })),
  },
  guards: {
    /** The workspace has not failed too often. */
    mayRestart: ({ context }, failed: ChildFailed) =>
      !context.gaveUp.includes(failed.address) && mayRestartAgain(recent(context, failed)),
    /** The workspace has failed too often, and has not been given up yet. */
    mayGiveUp: ({ context }, failed: ChildFailed) => !context.gaveUp.includes(failed.address),
  },
  delays: {
    /** A stop takes no longer than this. */
    drainLimit: DRAIN_MS_MAX,
  },
}).createMachine({
  id: 'service',
  context: { failure: null, restarts: {}, gaveUp: [] },
  initial: 'starting',
  states: {
    starting: {
      description: 'brings back what was saved',
      invoke: { src: 'recover' },
      on: {
        'service.recovered': 'running',
        'effect.crashed': { target: 'stopped', actions: { type: 'fail', params: ({ event }) => event.message } },
        'service.stop': 'stopped',
      },
    },
    running: { description: 'grants starts', tags: ['admitting'], on: { 'service.stop': 'draining' } },
    draining: {
      description: 'waits until its tasks have ended',
      invoke: { src: 'drain' },
      on: { 'service.drained': 'stopped', 'effect.crashed': 'stopped' },
      after: { drainLimit: 'stopped' },
    },
    stopped: { type: 'final', description: 'the process may end' },
  },
  on: {
    'child.failed': [
      {
        guard: { type: 'mayRestart', params: ({ event }) => event },
        actions: [
          { type: 'countRestart', params: ({ event }) => event },
          { type: 'restart', params: ({ event }) => ({ ...event, gaveUp: false }) },
        ],
      },
      // Restarted a last time with its context, for the actors that it still supervises; it refuses starts.
      {
        guard: { type: 'mayGiveUp', params: ({ event }) => event },
        actions: [
          { type: 'giveUp', params: ({ event }) => event },
          { type: 'restart', params: ({ event }) => ({ ...event, gaveUp: true }) },
        ],
      },
    ],
  },
  output: ({ context: { failure } }) => ({ failure }),
})
