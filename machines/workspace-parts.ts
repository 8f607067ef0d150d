import { assign, setup } from 'xstate'
import { type Address, parseAddress, taskAddress } from './addresses.ts'
import { type AlarmInput, type ChildEvent, effect, type Post, post, postAll, provided } from './effects.ts'
import {
  moved,
  type PoolBrowser,
  withBrowser,
  withMove,
  withoutBrowser,
  withoutTask,
  withoutWriter,
  withPlace,
  withWriter,
} from './pools.ts'
import type { ProfileUse } from './profiles.ts'
import { type QueuedStart, waitingFor, withoutQueued, withQueued } from './queue.ts'
import type { Ending, Ms } from './records.ts'
import { mayRestartAgain, recentRestarts } from './restarts.ts'
import type { RefusalCode } from './texts.ts'
import {
  awayCode,
  checks,
  isIdle,
  mayCallNext,
  nextQueued,
  poolOf,
  profileOf,
  queueing,
  rateFreeAt,
  refusalOf,
  withStart,
} from './workspace-checks.ts'
import type { WorkspaceLimits } from './workspace-limits.ts'
import type { Candidate, Decision, Question, Slot, WorkspaceContext, WorkspaceEvent } from './workspace-types.ts'

const actorKind = (address: Address) => parseAddress(address).actorKind

/** The types, actions and guards of a workspace's machine. */
export const workspace = setup({
  types: {
    context: {} as WorkspaceContext,
    events: {} as WorkspaceEvent,
    /** Its earlier context, if it is restarted after a failure. */
    input: {} as { readonly workspaceId: string } & Partial<
      Pick<WorkspaceContext, 'limits' | 'startTimes' | 'running' | 'slotVersion' | 'queue' | 'pools' | 'gaveUp'>
    >,
  },
  actors: {
    alarm: effect<AlarmInput>(),
    /** Reads allowance and session of the next queued start. */
    lookUpQueued: effect<{ taskId: string }>(),
  },
  actions: {
    post,
    postAll,
    /** Answers a start. */
    decide: provided<{ taskId: string; decision: Decision }>('decide'),
    /** [T59] A queued start has its slot: its 30 minutes begin. */
    startQueued: provided<{ taskId: string; at: Ms; sessionId: string | undefined }>('startQueued'),
    /** [Z4] Starts browsers of a pool that is run by this service. */
    needPool: provided<{ pool: string }>('needPool'),
    /** [Z12] Waits for the browser of an ended task to save its profile. */
    awaitSave: provided<{ taskId: string }>('awaitSave'),
    startClosing: provided<{ ending: Ending; billed: boolean }>('startClosing'),
    restart: provided<{ address: Address; context: unknown }>('restart'),
    /** Closes the socket of a session whose actor failed, so that its browser reconnects. */
    closeBrowserSocket: provided<{ address: Address }>('closeBrowserSocket'),
    recordStart: assign(({ context }, at: Ms) => ({ startTimes: withStart(context, at) })),
    reserveSlot: assign(({ context }, { taskId, slot }: { taskId: string; slot: Slot }) => ({
      running: { ...context.running, [taskId]: slot },
    })),
    setSlotState: assign(({ context }, { taskId, slot }: { taskId: string; slot: Slot }) => {
      const was = context.running[taskId]
      if (was === undefined || was === 'free') return {}
      return {
        running: { ...context.running, [taskId]: slot },
        slotVersion: context.slotVersion + (slot === 'charged' ? 1 : 0),
      }
    }),
    freeSlot: assign(({ context }, { taskId }: { taskId: string }) => {
      if (!(taskId in context.running)) return {}
      const { [taskId]: _, ...running } = context.running
      return { running, slotVersion: context.slotVersion + 1, pools: withoutTask(context.pools, taskId) }
    }),
    reservePlace: assign(
      (
        { context },
        { taskId, pool, profile }: { taskId: string; pool: string | null; profile?: ProfileUse | undefined },
      ) => (pool === null ? {} : { pools: withWriter(withPlace(context.pools, taskId, pool), taskId, profile) }),
    ),
    releaseProfile: assign(({ context }, { taskId }: { taskId: string }) => ({
      pools: withoutWriter(context.pools, taskId),
    })),
    addBrowser: assign(({ context }, { sessionId, browser }: { sessionId: string; browser: PoolBrowser }) => ({
      pools: withBrowser(context.pools, sessionId, browser),
    })),
    dropBrowser: assign(({ context }, sessionId: string) => ({ pools: withoutBrowser(context.pools, sessionId) })),
    wantPlace: assign(({ context }, { taskId, pool }: { taskId: string; pool: string }) =>
      taskId in context.running ? { pools: withMove(context.pools, taskId, pool) } : {},
    ),
    keepMoves: assign(({ context }) => ({ pools: moved(context.pools).pools })),
    enqueue: assign(({ context }, { taskId, queueing: how }: Candidate) => {
      if (!how) return {}
      const { onLimit, onAway, ...start } = how
      return { queue: withQueued(context.queue, { taskId, ...start, waitsFor: 'record' }) }
    }),
    dequeue: assign(({ context }, { taskId, turn }: { taskId: string; turn: 'taken' | 'lost' }) => ({
      queue: withoutQueued(context.queue, taskId, turn),
    })),
    waitFor: assign(({ context }, params: { for: QueuedStart['waitsFor']; of: Partial<QueuedStart> }) => ({
      queue: waitingFor(context.queue, params.for, params.of),
    })),
    waitForRate: assign(({ context }, at: Ms) => ({ rateFreeAt: rateFreeAt(context, at) })),
    learnLimits: assign((_, limits: WorkspaceLimits) => ({ limits })),
    countRestart: assign(({ context }, { address, at }: { address: Address; at: Ms }) => ({
      restarts: {
        ...context.restarts,
        [address]: [...recentRestarts(context.restarts[address], at), at],
      },
    })),
    forgetRestarts: assign(({ context }, { address }: { address: Address }) => {
      if (!(address in context.restarts)) return {}
      const { [address]: _, ...restarts } = context.restarts
      return { restarts }
    }),
  },
  guards: {
    allowanceStale: ({ context }, question: Question) => checks.allowanceStale(context, question),
    noAllowance: ({ context }, question: Question) => checks.noAllowance(context, question),
    rateExceeded: ({ context }, question: Question) => checks.rateExceeded(context, question),
    tooManyRunning: ({ context }, _question: Question) => checks.tooManyRunning(context),
    sessionMissing: ({ context }, question: Question) => checks.sessionMissing(context, question),
    sessionForeign: ({ context }, question: Question) => checks.sessionForeign(context, question),
    sessionAway: ({ context }, question: Question) => checks.sessionAway(context, question),
    sessionExpired: ({ context }, question: Question) => checks.sessionExpired(context, question),
    /** It has failed too often. */
    hasGivenUp: ({ context }) => context.gaveUp,
    /** Nothing runs, waits or counts. */
    idle: ({ context }, { at }: { at: Ms }) => isIdle(context, at),
    rateRefuses: ({ context }, candidate: Candidate) => queueing.rateRefuses(context, candidate),
    slotsRefuse: ({ context }, candidate: Candidate) => queueing.slotsRefuse(context, candidate),
    profileSaving: ({ context }, candidate: Candidate) => queueing.profileSaving(context, candidate),
    awayRefuses: ({ context }, candidate: Candidate) => queueing.awayRefuses(context, candidate),
    queueFull: ({ context }, candidate: Candidate) => queueing.queueFull(context, candidate),
    waits: ({ context }, candidate: Candidate) => queueing.waits(context, candidate),
    /** A start waits for its turn, and there is room for it. */
    mayCallNext: ({ context }) => mayCallNext(context),
    /** Another start has come to be the next one. */
    isNotNext: ({ context }, { taskId }: { taskId: string }) => nextQueued(context)?.taskId !== taskId,
    /** It is about an actor of this kind. */
    isA: (_, params: { address: Address; a: 'task' | 'session' | 'closing' }) => actorKind(params.address) === params.a,
    /** The actor is of this kind, and has not failed too often. */
    mayRestart: ({ context }, params: { address: Address; at: Ms; a: 'session' | 'closing' | 'delivery' }) =>
      actorKind(params.address) === params.a &&
      mayRestartAgain(recentRestarts(context.restarts[params.address], params.at)),
  },
})

/** The actions of a decision on a start, and the messages that follow from it. */

type Asked = { context: WorkspaceContext; event: Candidate }

const decide = (decision: (asked: Asked) => Decision) =>
  ({
    type: 'decide',
    params: (asked: Asked) => ({ taskId: asked.event.taskId, decision: decision(asked) }),
  }) as const

export const refuse = (code: RefusalCode) =>
  decide(({ context, event }) => ({ type: 'refused', refusal: refusalOf(code, context, event) }))
/** [T12, Z3] Its browser is away, or its pool has no free place. */
export const refuseAway = decide(({ context, event }) => ({
  type: 'refused',
  refusal: refusalOf(awayCode(context, event), context, event),
}))
export const askAgain = decide(() => ({ type: 'stale' }))

export const recordStart = { type: 'recordStart', params: ({ event }: Asked) => event.at } as const
/** [Z2] A start of a pool takes its place with its slot. */
const reservePlace = {
  type: 'reservePlace',
  params: ({ event }: { event: Question }) => ({
    taskId: event.taskId,
    pool: poolOf(event),
    profile: profileOf(event),
  }),
} as const
export const grant = (slot: Slot) =>
  [
    { type: 'reserveSlot', params: ({ event }: Asked) => ({ taskId: event.taskId, slot }) },
    reservePlace,
    decide(({ context, event }) => ({
      type: 'granted',
      waitsFor: null,
      sessionId: context.pools.places[event.taskId],
    })),
  ] as const
export const check = <Name extends keyof typeof checks | keyof typeof queueing>(type: Name) =>
  ({ type, params: <Event>({ event }: { event: Event }) => event }) as const

/** [T59, T60] The start is queued instead of being refused. */
export const enqueue = [
  { type: 'enqueue', params: ({ event }: Asked) => event },
  decide(({ context, event }) => ({
    type: 'granted',
    waitsFor: checks.sessionAway(context, event) ? 'browser' : 'limit',
  })),
] as const

type AboutTask = { event: { taskId: string } }

/** The actor of a queued task has started: the task may be next. */
export const ready = {
  type: 'waitFor',
  params: ({ event: { taskId } }: AboutTask) => ({ for: 'turn' as const, of: { taskId, waitsFor: 'record' as const } }),
} as const

/** Starts that waited for this browser wait for their turn again. */
export const browserIsBack = {
  type: 'waitFor',
  params: ({ event: { sessionId } }: { event: { sessionId: string } }) => ({
    for: 'turn' as const,
    of: { sessionId, waitsFor: 'browser' as const },
  }),
} as const

/** A queued start has passed all checks: it gets its slot and its start time now. */
export const leaveQueue = [
  { type: 'recordStart', params: ({ event }: { event: Question }) => event.at },
  {
    type: 'reserveSlot',
    params: ({ event }: { event: Question }) => ({ taskId: event.taskId, slot: 'held' as const }),
  },
  reservePlace,
  { type: 'dequeue', params: ({ event }: { event: Question }) => ({ taskId: event.taskId, turn: 'taken' as const }) },
  {
    type: 'startQueued',
    params: ({ context, event }: { context: WorkspaceContext; event: Question }) => ({
      taskId: event.taskId,
      at: event.at,
      sessionId: context.pools.places[event.taskId],
    }),
  },
] as const

/** The browser of a queued start will never connect: the start is given up. */
export const giveUpQueued = (code: 'session_not_found' | 'session_expired') =>
  [
    { type: 'dequeue', params: ({ event }: { event: Question }) => ({ taskId: event.taskId, turn: 'lost' as const }) },
    {
      type: 'post',
      params: ({ event }: { event: Question }): Post => ({
        to: taskAddress(event.taskId),
        event: { type: 'queue.closed', code, at: event.at },
      }),
    },
  ] as const

/** [O9] */
export const learnLimits = {
  type: 'learnLimits',
  params: ({ event }: { event: { limits: WorkspaceLimits } }) => event.limits,
} as const

/** [Z5] Places that are free go to the tasks that have left their browsers, before any new task. */
export const giveMoves = [
  {
    type: 'postAll',
    params: ({ context }: { context: WorkspaceContext }): Post[] =>
      moved(context.pools).moves.map(({ taskId, sessionId }) => ({
        to: taskAddress(taskId),
        event: { type: 'place.given', sessionId },
      })),
  },
  { type: 'keepMoves' },
] as const

/** The slot of a task is free, and its place; its profile is free once it is saved. */
export const freeSlot = (taskIdOf: (event: never) => string) => {
  const params = ({ event }: { event: unknown }) => ({ taskId: taskIdOf(event as never) })
  return [{ type: 'awaitSave', params }, { type: 'freeSlot', params }, ...giveMoves] as const
}

export const idOf = (address: Address) => parseAddress(address).id

type OfChild = { context: WorkspaceContext; event: { address: Address } }
type Failed = { context: WorkspaceContext; event: Extract<ChildEvent, { type: 'child.failed' }> }

/** It is about an actor of this kind. */
export const isA = (a: 'task' | 'session' | 'closing') =>
  ({ type: 'isA', params: ({ event: { address } }: OfChild) => ({ address, a }) }) as const
export const mayRestart = (a: 'session' | 'closing' | 'delivery') =>
  ({ type: 'mayRestart', params: ({ event: { address, at } }: Failed) => ({ address, at, a }) }) as const

/** The actor begins again. */
export const restarts = [
  { type: 'countRestart', params: ({ event }: Failed) => event },
  { type: 'restart', params: ({ event }: Failed) => event },
] as const

/** The actor of a task is gone: its ending is closed, and its slot is held until it is charged. */
export const closeTask = (endingOf: (event: never) => Ending) =>
  [
    {
      type: 'startClosing',
      params: ({ context, event }: OfChild) => ({
        ending: endingOf(event as never),
        billed: context.running[idOf(event.address)] !== 'free',
      }),
    },
    {
      type: 'setSlotState',
      params: ({ event }: OfChild) => ({ taskId: idOf(event.address), slot: 'charging' as const }),
    },
    { type: 'dequeue', params: ({ event }: OfChild) => ({ taskId: idOf(event.address), turn: 'lost' as const }) },
  ] as const

/** The actor of a session failed: its socket is closed, and its browser has no places. */
export const losesSession = [
  { type: 'dropBrowser', params: ({ event }: Failed) => idOf(event.address) },
  { type: 'closeBrowserSocket', params: ({ event }: Failed) => event },
] as const

/** The tasks that may wait for one of its calls get an unknown outcome. */
export const tellsLosses = {
  type: 'postAll',
  params: ({ context: { running }, event: { address, at } }: Failed): Post[] =>
    Object.keys(running).map((taskId) => ({
      to: taskAddress(taskId),
      event: { type: 'session.lost', sessionId: idOf(address), at },
    })),
} as const
