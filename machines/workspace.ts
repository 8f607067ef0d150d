import type { Address } from './addresses.ts'
import type { ChildEvent } from './effects.ts'
import { ALLOWANCE_WAIT_MS, QUEUE_RETRY_MS } from './limits.ts'
import { NO_POOLS } from './pools.ts'
import { NO_QUEUE } from './queue.ts'
import type { Ending } from './records.ts'
import { crashEnding } from './task-endings.ts'
import { admission } from './workspace-admission.ts'
import { nextQueued } from './workspace-checks.ts'
import { DEFAULT_LIMITS } from './workspace-limits.ts'
import {
  browserIsBack,
  check,
  closeTask,
  freeSlot,
  giveMoves,
  giveUpQueued,
  idOf,
  isA,
  learnLimits,
  leaveQueue,
  losesSession,
  mayRestart,
  ready,
  refuse,
  restarts,
  tellsLosses,
  workspace,
} from './workspace-parts.ts'

type ChildFailed = Extract<ChildEvent, { type: 'child.failed' }>

/** [T59] The turn of a queued start: its allowance and its browser are read, and the checks are made. */
const lookingUp = workspace.createStateConfig({
  description: 'looks whether the next start may begin',
  invoke: {
    src: 'lookUpQueued',
    input: ({ context }) => ({ taskId: nextQueued(context)?.taskId ?? '' }),
  },
  on: {
    'queue.found': [
      { guard: { type: 'isNotNext', params: ({ event }) => event }, target: 'waiting' },
      { guard: check('allowanceStale'), target: 'waitingForCharge' },
      { guard: check('noAllowance'), target: 'pausing' },
      {
        guard: check('rateExceeded'),
        target: 'waitingForRate',
        actions: { type: 'waitForRate', params: ({ event }) => event.at },
      },
      { guard: check('tooManyRunning'), target: 'waiting' },
      { guard: check('sessionMissing'), target: 'waiting', actions: giveUpQueued('session_not_found') },
      { guard: check('sessionForeign'), target: 'waiting', actions: giveUpQueued('session_not_found') },
      { guard: check('sessionExpired'), target: 'waiting', actions: giveUpQueued('session_expired') },
      {
        guard: check('sessionAway'),
        target: 'waiting',
        actions: {
          type: 'waitFor',
          params: ({ event: { taskId } }) => ({ for: 'browser' as const, of: { taskId } }),
        },
      },
      { target: 'waiting', actions: leaveQueue },
    ],
    'queue.gone': {
      target: 'waiting',
      actions: { type: 'dequeue', params: ({ event }) => ({ taskId: event.taskId, turn: 'lost' }) },
    },
    // The facts may have been read before it connected.
    'browser.connected': { target: 'lookingUp', reenter: true, actions: browserIsBack },
    'effect.crashed': 'pausing',
  },
})

/**
 * One workspace: it decides which starts are granted (10 in a sliding minute, 5 running, the allowance), reserves and frees
 * slots, keeps the queue of waiting starts, and supervises its sessions, tasks, closings and deliveries.
 */
export const workspaceMachine = workspace.createMachine({
  id: 'workspace',
  context: ({ input }) => ({
    limits: DEFAULT_LIMITS,
    startTimes: [],
    running: {},
    slotVersion: 0,
    queue: NO_QUEUE,
    pools: NO_POOLS,
    gaveUp: false,
    ...input,
    rateFreeAt: 0,
    restarts: {},
  }),
  initial: 'opening',
  states: {
    opening: {
      description: 'opens, or stays closed\nafter too many failures',
      always: [{ guard: 'hasGivenUp', target: 'gaveUp' }, { target: 'open' }],
    },
    open: {
      description: 'decides on starts, and works through the queue',
      on: {
        'workspace.rest': { guard: { type: 'idle', params: ({ event }) => event }, target: 'resting' },
        'workspace.stop': 'stopping',
      },
      initial: 'waiting',
      states: {
        /** The queue is empty, none of its starts is allowed now, or there is no free slot. */
        waiting: {
          description: 'has no queued start,\nor no free slot for one',
          always: { guard: 'mayCallNext', target: 'lookingUp' },
        },
        lookingUp,
        waitingForRate: {
          description: 'waits until the rate\nallows the next start',
          invoke: { src: 'alarm', input: ({ context }) => ({ event: 'queue.due', at: context.rateFreeAt }) },
          on: {
            'queue.due': 'waiting',
            'limits.changed': { target: 'waiting', actions: learnLimits },
          },
        },
        /** A task is being charged: the remaining allowance is known shortly. */
        waitingForCharge: {
          description: 'waits until it is known\nwhat is left of the credits',
          invoke: { src: 'alarm', input: { event: 'queue.due', inMs: ALLOWANCE_WAIT_MS } },
          on: { 'queue.due': 'waiting' },
        },
        pausing: {
          description: 'waits before it looks again',
          invoke: { src: 'alarm', input: { event: 'queue.due', inMs: QUEUE_RETRY_MS } },
          on: { 'queue.due': 'waiting' },
        },
      },
    },
    /** The service is stopping: queued tasks stay queued, and are saved. */
    stopping: { description: 'keeps its queue\nfor the next start of the service' },
    /**
     * It failed too often: it still counts and ends its running tasks, and refuses every start until the service is
     * restarted.
     */
    gaveUp: {
      description: 'refuses every start\nuntil the service is restarted',
      on: {
        'admission.http': { actions: refuse('workspace_failed') },
        'admission.relay': { actions: refuse('workspace_failed') },
        'admission.internal': { actions: refuse('workspace_failed') },
      },
    },
    /** Nothing runs, waits or counts: the row is removed, and the next start creates the workspace actor again. */
    resting: { type: 'final', description: 'has nothing to do' },
  },
  on: {
    ...admission.on,
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
      actions: { type: 'setSlotState', params: ({ event }) => ({ taskId: event.taskId, slot: 'charged' }) },
    },
    'task.written': { actions: freeSlot((event: { taskId: string }) => event.taskId) },
    'profile.released': { actions: { type: 'releaseProfile', params: ({ event }) => event } },
    'pool.joined': { actions: [{ type: 'addBrowser', params: ({ event }) => event }, ...giveMoves] },
    'pool.left': { actions: { type: 'dropBrowser', params: ({ event }) => event.sessionId } },
    'place.wanted': {
      actions: [
        { type: 'wantPlace', params: ({ event }) => event },
        ...giveMoves,
        { type: 'needPool', params: ({ event }) => event },
      ],
    },
    'task.orphaned': {
      actions: [
        { type: 'startClosing', params: ({ event }) => event },
        { type: 'dequeue', params: ({ event }) => ({ taskId: event.ending.taskId, turn: 'lost' }) },
      ],
    },
    'child.done': [
      {
        guard: isA('task'),
        actions: closeTask(({ output }: { output: unknown }) => output as Ending),
      },
      {
        guard: isA('closing'),
        actions: [
          ...freeSlot((event: { address: Address }) => idOf(event.address)),
          { type: 'forgetRestarts', params: ({ event }) => event },
        ],
      },
      { actions: { type: 'forgetRestarts', params: ({ event }) => event } },
    ],
    'child.failed': [
      // A browser has been touched: a crash is recorded, never blindly retried.
      {
        guard: isA('task'),
        actions: closeTask((failed: ChildFailed) =>
          crashEnding(idOf(failed.address), failed.message, failed.context, failed.at),
        ),
      },
      { guard: mayRestart('closing'), actions: restarts },
      { guard: mayRestart('delivery'), actions: restarts },
      // It gives up: the sweep ends the task, but its slot is freed now.
      { guard: isA('closing'), actions: freeSlot((event: { address: Address }) => idOf(event.address)) },
      {
        guard: mayRestart('session'),
        actions: [...losesSession, ...restarts, tellsLosses],
      },
      { guard: isA('session'), actions: [...losesSession, tellsLosses] },
    ],
  },
})
