import { ALLOWANCE_WAIT_MS, QUEUE_RETRY_MS } from './limits.ts'
import { NO_QUEUE } from './queue.ts'
import type { Ending } from './records.ts'
import { crashEnding } from './task-endings.ts'
import { DEFAULT_LIMITS } from './workspace-limits.ts'
import {
  browserIsBack,
  check,
  enqueue,
  grant,
  idOf,
  learnLimits,
  losses,
  ready,
  recordStart,
  refuse,
  reply,
  workspace,
} from './workspace-parts.ts'
import { lookingUp } from './workspace-turn.ts'

/**
 * One workspace, for ever: it decides who may start (10 in a sliding minute, 5 running, the allowance), gives out and
 * takes back slots, keeps the queue of those that wait, and supervises its admissions, sessions, tasks and closings.
 */
export const workspaceMachine = workspace.createMachine({
  id: 'workspace',
  context: ({ input }) => ({
    limits: DEFAULT_LIMITS,
    startTimes: [],
    running: {},
    slotVersion: 0,
    queue: NO_QUEUE,
    gaveUp: false,
    ...input,
    rateFreeAt: 0,
    restarts: {},
  }),
  initial: 'opening',
  states: {
    opening: { always: [{ guard: 'hasGivenUp', target: 'gaveUp' }, { target: 'open' }] },
    open: {
      on: {
        'start.requested': { actions: { type: 'startAdmission', params: ({ event }) => event } },
        'workspace.rest': { guard: { type: 'idle', params: ({ event }) => event }, target: 'resting' },
        'workspace.stop': 'stopping',
      },
      initial: 'waiting',
      states: {
        /** The queue is empty, none of its starts is allowed now, or there is no free slot. */
        waiting: { always: { guard: 'mayCallNext', target: 'lookingUp' } },
        lookingUp,
        waitingForRate: {
          invoke: { src: 'alarm', input: ({ context }) => ({ event: 'queue.due', at: context.rateFreeAt }) },
          on: {
            'queue.due': 'waiting',
            'limits.changed': { target: 'waiting', actions: learnLimits },
          },
        },
        /** A task is just being charged: what is left is known in a moment. */
        waitingForCharge: {
          invoke: { src: 'alarm', input: { event: 'queue.due', inMs: ALLOWANCE_WAIT_MS } },
          on: { 'queue.due': 'waiting' },
        },
        pausing: {
          invoke: { src: 'alarm', input: { event: 'queue.due', inMs: QUEUE_RETRY_MS } },
          on: { 'queue.due': 'waiting' },
        },
      },
    },
    /** The service stops: what is queued stays queued, and is kept. */
    stopping: {},
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
      { guard: check('rateRefuses'), actions: refuse('rate_limited') },
      { guard: check('slotsRefuse'), actions: [recordStart, refuse('too_many_running')] },
      { guard: check('sessionMissing'), actions: [recordStart, refuse('session_not_found')] },
      { guard: check('sessionForeign'), actions: [recordStart, refuse('session_forbidden')] },
      { guard: check('awayRefuses'), actions: [recordStart, refuse('session_not_connected')] },
      { guard: check('sessionExpired'), actions: [recordStart, refuse('session_expired')] },
      { guard: check('queueFull'), actions: refuse('queue_full') },
      { guard: check('waits'), actions: enqueue },
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
    'task.begin': {
      actions: [{ type: 'startTask', params: ({ event }) => event }, ready],
    },
    'queue.ready': { actions: ready },
    'browser.connected': { actions: browserIsBack },
    'start.failed': {
      actions: [
        {
          type: 'startClosing',
          params: ({ event }) => ({
            ending: crashEnding(event.taskId, event.message, null, event.at),
            billed: false,
          }),
        },
        { type: 'dequeue', params: ({ event }) => ({ taskId: event.taskId, turn: 'lost' }) },
      ],
    },
    'limits.changed': { actions: learnLimits },
    'task.charged': {
      actions: { type: 'setSlotState', params: ({ event }) => ({ taskId: event.taskId, place: 'charged' }) },
    },
    'task.written': { actions: { type: 'freePlace', params: ({ event }) => event } },
    'task.orphaned': {
      actions: [
        { type: 'startClosing', params: ({ event }) => event },
        { type: 'dequeue', params: ({ event }) => ({ taskId: event.ending.taskId, turn: 'lost' }) },
      ],
    },
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
          { type: 'dequeue', params: ({ event }) => ({ taskId: idOf(event.address), turn: 'lost' }) },
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
          { type: 'dequeue', params: ({ event }) => ({ taskId: idOf(event.address), turn: 'lost' }) },
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
