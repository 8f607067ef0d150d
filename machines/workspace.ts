import { assign, setup } from 'xstate'
import { type Address, parseAddress } from './addresses.ts'
import { post, postAll } from './effects.ts'
import { RESTART_WINDOW_MS, RESTARTS_MAX } from './limits.ts'
import type { Ending, Ms } from './records.ts'
import { crashEnding } from './task-endings.ts'
import { adopted, checks, withStart } from './workspace-checks.ts'
import { check, grant, idOf, losses, recordStart, refuse, reply } from './workspace-parts.ts'
import type { Candidate, Found, Slot, WorkspaceContext, WorkspaceEvent } from './workspace-types.ts'

const actorKind = (address: Address) => parseAddress(address).actorKind

/**
 * One workspace, for ever: it decides who may start (10 in a sliding minute, 5 running, the allowance), gives out and
 * takes back places, and supervises its admissions, sessions, tasks and closings.
 */
export const workspaceMachine = setup({
  types: {
    context: {} as WorkspaceContext,
    events: {} as WorkspaceEvent,
    /** What it knew before, when it goes on after a failure. */
    input: {} as { readonly workspaceId: string } & Partial<
      Pick<WorkspaceContext, 'startTimes' | 'running' | 'slotVersion' | 'gaveUp'>
    >,
  },
  actions: {
    post,
    postAll,
    startAdmission: (_, _params: { admissionId: string }) => {
      throw new Error('startAdmission is provided by actors/workspace.ts')
    },
    startTask: (_, _params: { taskId: string }) => {
      throw new Error('startTask is provided by actors/workspace.ts')
    },
    startClosing: (_, _params: { ending: Ending; billed: boolean }) => {
      throw new Error('startClosing is provided by actors/workspace.ts')
    },
    restart: (_, _params: { address: Address; context: unknown }) => {
      throw new Error('restart is provided by actors/workspace.ts')
    },
    /** The browser of a session whose actor broke is told to come again. */
    closeBrowserSocket: (_, _params: { address: Address }) => {
      throw new Error('closeBrowserSocket is provided by actors/workspace.ts')
    },
    recordStart: assign(({ context }, at: Ms) => ({ startTimes: withStart(context, at) })),
    reserveSlot: assign(({ context }, { taskId, place }: { taskId: string; place: Slot }) => ({
      running: { ...context.running, [taskId]: place },
    })),
    setSlotState: assign(({ context }, { taskId, place }: { taskId: string; place: Slot }) => {
      const was = context.running[taskId]
      if (was === undefined || was === 'free') return {}
      return {
        running: { ...context.running, [taskId]: place },
        slotVersion: context.slotVersion + (place === 'charged' ? 1 : 0),
      }
    }),
    freePlace: assign(({ context }, { taskId }: { taskId: string }) => {
      if (!(taskId in context.running)) return {}
      const { [taskId]: _, ...running } = context.running
      return { running, slotVersion: context.slotVersion + 1 }
    }),
    adopt: assign(({ context }, found: Found) => adopted(context, found)),
    countRestart: assign(({ context }, { address, at }: { address: Address; at: Ms }) => ({
      restarts: {
        ...context.restarts,
        [address]: [...(context.restarts[address] ?? []).filter((then) => at - then < RESTART_WINDOW_MS), at],
      },
    })),
    forgetRestarts: assign(({ context }, { address }: { address: Address }) => {
      if (!(address in context.restarts)) return {}
      const { [address]: _, ...restarts } = context.restarts
      return { restarts }
    }),
  },
  guards: {
    allowanceStale: ({ context }, candidate: Candidate) => checks.allowanceStale(context, candidate),
    noAllowance: ({ context }, candidate: Candidate) => checks.noAllowance(context, candidate),
    rateExceeded: ({ context }, candidate: Candidate) => checks.rateExceeded(context, candidate),
    tooManyRunning: ({ context }, _candidate: Candidate) => checks.tooManyRunning(context),
    sessionMissing: ({ context }, candidate: Candidate) => checks.sessionMissing(context, candidate),
    sessionForeign: ({ context }, candidate: Candidate) => checks.sessionForeign(context, candidate),
    sessionAway: ({ context }, candidate: Candidate) => checks.sessionAway(context, candidate),
    sessionExpired: ({ context }, candidate: Candidate) => checks.sessionExpired(context, candidate),
    hasGivenUp: ({ context }) => context.gaveUp,
    idle: ({ context }, { at }: { at: Ms }) => checks.idle(context, at),
    isA: (_, params: { address: Address; a: 'task' | 'session' | 'closing' }) => actorKind(params.address) === params.a,
    mayRestart: ({ context }, params: { address: Address; at: Ms; a: 'session' | 'closing' | 'delivery' }) =>
      actorKind(params.address) === params.a &&
      (context.restarts[params.address] ?? []).filter((then) => params.at - then < RESTART_WINDOW_MS).length <
        RESTARTS_MAX,
  },
}).createMachine({
  id: 'workspace',
  context: ({ input }) => ({ startTimes: [], running: {}, slotVersion: 0, gaveUp: false, ...input, restarts: {} }),
  initial: 'opening',
  states: {
    opening: { always: [{ guard: 'hasGivenUp', target: 'gaveUp' }, { target: 'open' }] },
    open: {
      on: {
        'start.requested': { actions: { type: 'startAdmission', params: ({ event }) => event } },
        'workspace.rest': { guard: { type: 'idle', params: ({ event }) => event }, target: 'resting' },
      },
    },
    /** It failed too often: it counts and ends what runs, and starts nothing until the service is started again. */
    gaveUp: {
      on: {
        'admission.http': { actions: refuse('workspace_failed') },
        'admission.relay': { actions: refuse('workspace_failed') },
        'admission.internal': { actions: refuse('workspace_failed') },
      },
    },
    /** Nothing runs or counts: its row goes, and the next start brings it back. */
    resting: { type: 'final' },
  },
  on: {
    'admission.http': [
      { guard: check('allowanceStale'), actions: reply('admission.stale') },
      { guard: check('noAllowance'), actions: refuse('no_allowance') },
      { guard: check('rateExceeded'), actions: refuse('rate_limited') },
      { guard: check('tooManyRunning'), actions: [recordStart, refuse('too_many_running')] },
      { guard: check('sessionMissing'), actions: [recordStart, refuse('session_not_found')] },
      { guard: check('sessionForeign'), actions: [recordStart, refuse('session_forbidden')] },
      { guard: check('sessionAway'), actions: [recordStart, refuse('session_not_connected')] },
      { guard: check('sessionExpired'), actions: [recordStart, refuse('session_expired')] },
      { actions: [recordStart, ...grant('held')] },
    ],
    // [R] The side panel's order; no expiry check.
    'admission.relay': [
      { guard: check('sessionMissing'), actions: refuse('session_not_found') },
      { guard: check('sessionForeign'), actions: refuse('session_not_found') },
      { guard: check('sessionAway'), actions: refuse('session_not_connected') },
      { guard: check('allowanceStale'), actions: reply('admission.stale') },
      { guard: check('noAllowance'), actions: refuse('no_allowance') },
      { guard: check('rateExceeded'), actions: refuse('rate_limited') },
      { guard: check('tooManyRunning'), actions: [recordStart, refuse('too_many_running')] },
      { actions: [recordStart, ...grant('held')] },
    ],
    // The scheduler's own: no billing, no rate.
    'admission.internal': [
      { guard: check('sessionMissing'), actions: refuse('session_not_found') },
      { guard: check('sessionForeign'), actions: refuse('session_forbidden') },
      { guard: check('sessionAway'), actions: refuse('session_not_connected') },
      { guard: check('sessionExpired'), actions: refuse('session_expired') },
      { guard: check('tooManyRunning'), actions: refuse('too_many_running') },
      { actions: grant('free') },
    ],
    'task.begin': { actions: { type: 'startTask', params: ({ event }) => event } },
    'start.failed': {
      actions: {
        type: 'startClosing',
        params: ({ event }) => ({
          ending: crashEnding(event.taskId, event.message, null, event.at),
          billed: false,
        }),
      },
    },
    'task.charged': {
      actions: { type: 'setSlotState', params: ({ event }) => ({ taskId: event.taskId, place: 'charged' }) },
    },
    'task.written': { actions: { type: 'freePlace', params: ({ event }) => event } },
    'task.orphaned': { actions: { type: 'startClosing', params: ({ event }) => event } },
    'workspace.recovered': { actions: { type: 'adopt', params: ({ event }) => event } },
    'child.done': [
      {
        guard: { type: 'isA', params: ({ event }) => ({ address: event.address, a: 'task' }) },
        actions: [
          {
            type: 'startClosing',
            params: ({ context, event }) => ({
              ending: event.output as Ending,
              billed: context.running[idOf(event.address)] !== 'free',
            }),
          },
          { type: 'setSlotState', params: ({ event }) => ({ taskId: idOf(event.address), place: 'charging' }) },
        ],
      },
      {
        guard: { type: 'isA', params: ({ event }) => ({ address: event.address, a: 'closing' }) },
        actions: [
          { type: 'freePlace', params: ({ event }) => ({ taskId: idOf(event.address) }) },
          { type: 'forgetRestarts', params: ({ event }) => event },
        ],
      },
      { actions: { type: 'forgetRestarts', params: ({ event }) => event } },
    ],
    'child.failed': [
      // A browser has been touched: a crash is recorded, never blindly retried.
      {
        guard: { type: 'isA', params: ({ event }) => ({ address: event.address, a: 'task' }) },
        actions: [
          {
            type: 'startClosing',
            params: ({ context, event }) => ({
              ending: crashEnding(idOf(event.address), event.message, event.context, event.at),
              billed: context.running[idOf(event.address)] !== 'free',
            }),
          },
          { type: 'setSlotState', params: ({ event }) => ({ taskId: idOf(event.address), place: 'charging' }) },
        ],
      },
      {
        guard: { type: 'mayRestart', params: ({ event }) => ({ address: event.address, at: event.at, a: 'closing' }) },
        actions: [
          { type: 'countRestart', params: ({ event }) => event },
          { type: 'restart', params: ({ event }) => event },
        ],
      },
      {
        guard: { type: 'mayRestart', params: ({ event }) => ({ address: event.address, at: event.at, a: 'delivery' }) },
        actions: [
          { type: 'countRestart', params: ({ event }) => event },
          { type: 'restart', params: ({ event }) => event },
        ],
      },
      // It gives up: the task is left to the sweep, its place is not.
      {
        guard: { type: 'isA', params: ({ event }) => ({ address: event.address, a: 'closing' }) },
        actions: { type: 'freePlace', params: ({ event }) => ({ taskId: idOf(event.address) }) },
      },
      {
        guard: { type: 'mayRestart', params: ({ event }) => ({ address: event.address, at: event.at, a: 'session' }) },
        actions: [
          { type: 'countRestart', params: ({ event }) => event },
          { type: 'closeBrowserSocket', params: ({ event }) => event },
          { type: 'restart', params: ({ event }) => event },
          { type: 'postAll', params: ({ context, event }) => losses(context, event) },
        ],
      },
      {
        guard: { type: 'isA', params: ({ event }) => ({ address: event.address, a: 'session' }) },
        actions: [
          { type: 'closeBrowserSocket', params: ({ event }) => event },
          { type: 'postAll', params: ({ context, event }) => losses(context, event) },
        ],
      },
    ],
  },
})
