import { setup } from 'xstate'
import { effect } from './effects.ts'
import type { JanitorEvent } from './janitor-types.ts'
import { CALL_SWEEP_EVERY_MS, RETIRE_EVERY_MS, TASK_SWEEP_EVERY_MS, WORKSPACE_REST_EVERY_MS } from './limits.ts'

/**
 * Sweeps what its own time-outs missed: stuck tasks every 5 minutes, stale calls every 30 seconds, idle workspaces every minute, and what is older
 * than it is to be kept. A sweep that fails is only logged: the next one comes.
 */
export const janitorMachine = setup({
  types: { events: {} as JanitorEvent },
  actors: {
    sweepTasks: effect<undefined>(),
    sweepCalls: effect<undefined>(),
    /** Lets workspaces go that have nothing left to know. */
    sweepWorkspaces: effect<undefined>(),
    /** Removes finished tasks whose retention is over, in batches. */
    retire: effect<undefined>(),
  },
  delays: {
    taskSweepEvery: TASK_SWEEP_EVERY_MS,
    callSweepEvery: CALL_SWEEP_EVERY_MS,
    workspaceSweepEvery: WORKSPACE_REST_EVERY_MS,
    retireEvery: RETIRE_EVERY_MS,
  },
}).createMachine({
  id: 'janitor',
  type: 'parallel',
  states: {
    tasks: {
      initial: 'resting',
      states: {
        resting: { after: { taskSweepEvery: 'sweeping' } },
        sweeping: { invoke: { src: 'sweepTasks' }, on: { 'tasks.swept': 'resting' } },
      },
    },
    calls: {
      initial: 'resting',
      states: {
        resting: { after: { callSweepEvery: 'sweeping' } },
        sweeping: { invoke: { src: 'sweepCalls' }, on: { 'calls.swept': 'resting' } },
      },
    },
    workspaces: {
      initial: 'resting',
      states: {
        resting: { after: { workspaceSweepEvery: 'sweeping' } },
        sweeping: { invoke: { src: 'sweepWorkspaces' }, on: { 'workspaces.swept': 'resting' } },
      },
    },
    retention: {
      initial: 'resting',
      states: {
        resting: { after: { retireEvery: 'sweeping' } },
        sweeping: { invoke: { src: 'retire' }, on: { 'retention.swept': 'resting' } },
      },
    },
  },
})
