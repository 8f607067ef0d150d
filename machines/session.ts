import { assign, setup } from 'xstate'
import { callAddress, parseAddress, taskAddress, workspaceAddress } from './addresses.ts'
import type { CallEvent } from './call.ts'
import { type ChildEvent, type Post, postAll, provided } from './effects.ts'
import { SESSION_LINGER_MS } from './limits.ts'
import type { PoolBrowser } from './pools.ts'
import type { CallOutcome, Ms, ToolCall } from './records.ts'

/** A session: one paired browser of one workspace. */
export interface SessionInput {
  readonly sessionId: string
  readonly workspaceId: string
}

/** The state of a call that a browser reported when it registered. */
export type ReportedState = 'running' | 'done'

/** The open socket of a browser, with what it said when it registered. */
export interface SessionSocket {
  readonly socketId: string
  readonly protocol: 1 | 2
  /** Identifies the run of the browser that remembers its calls; another id means that it has forgotten them. */
  readonly browserInstanceId: string | null
  readonly reportedCalls: Readonly<Record<string, ReportedState>>
  /** [Z1] The pool that the browser belongs to. */
  readonly pool?: PoolBrowser
}

/** A call that has not settled yet. */
export interface PendingCall {
  /** The task that waits for it. */
  readonly taskId: string
  /** The browser instance that it was or may have been sent to; `null`: no browser was connected, it was never sent. */
  readonly browserInstanceId: string | null
}

export interface SessionContext extends SessionInput {
  /** When the token of the bound socket expires. */
  readonly expiresAt: Ms
  readonly socket: SessionSocket | null
  /** When the current socket was bound. */
  readonly boundAt: Ms
  /** Pending calls by request id. */
  readonly calls: Readonly<Record<string, PendingCall>>
  /** Tasks that wait for the browser to come back. */
  readonly waiting: readonly string[]
}

/** Its sockets, its calls, the end of its pairing. */
export type SessionEvent =
  /** The browser has connected and named its session. */
  | { type: 'socket.registered'; socket: SessionSocket; expiresAt: Ms; at: Ms }
  /** The connection of the browser is lost. */
  | { type: 'socket.closed'; socketId: string; at: Ms }
  /** A task has a call for the browser. */
  | { type: 'call.open'; call: ToolCall; at: Ms; reopened: boolean; browserInstanceId: string | null }
  /** The task that waited for the call has ended. */
  | { type: 'call.abandon'; requestId: string }
  /** The pairing was removed. */
  | { type: 'session.revoke' }
  | ChildEvent

const session = setup({
  types: { context: {} as SessionContext, events: {} as SessionEvent, input: {} as SessionInput },
  actions: {
    postAll,
    startCall: provided<{ call: ToolCall; at: Ms; reopened: boolean }>('startCall'),
    closeSocket: provided<{ why: 'replaced' | 'revoked' | 'expired'; socketId: string | undefined }>('closeSocket'),
    /** Forgets what the runtime keeps for the session outside of its actor. */
    release: provided('release'),
    bind: assign((_, { socket, expiresAt, at }: { socket: SessionSocket; expiresAt: Ms; at: Ms }) => ({
      socket,
      expiresAt,
      boundAt: at,
    })),
    unbind: assign({ socket: null }),
    expect: assign(
      ({ context }, { call, browserInstanceId }: { call: ToolCall; browserInstanceId: string | null }) => ({
        calls: { ...context.calls, [call.requestId]: { taskId: call.taskId, browserInstanceId } },
      }),
    ),
    forget: assign(({ context }, requestId: string) => {
      const { [requestId]: _, ...calls } = context.calls
      return { calls }
    }),
    awaitBrowser: assign(({ context }, taskId: string) => ({ waiting: [...new Set([...context.waiting, taskId])] })),
    stopWaiting: assign({ waiting: [] }),
  },
  guards: {
    /** It is about the socket that is used now. */
    isBound: ({ context }, params: { socketId: string }) => context.socket?.socketId === params.socketId,
    /** The call has not ended yet. */
    isPending: ({ context }, params: { requestId: string }) => params.requestId in context.calls,
    /** After a restart: the call may have been sent before. */
    isReopened: (_, params: { reopened: boolean }) => params.reopened,
    /** Another run of the browser is connected than the one that the intent names. */
    isOtherBrowser: ({ context }, params: { browserInstanceId: string | null }) =>
      browserInstanceOf(context.socket) !== params.browserInstanceId,
    /** No call is under way. */
    isIdle: ({ context }) => Object.keys(context.calls).length === 0,
  },
  delays: {
    /** The pairing of the browser ends. */
    expiry: ({ context }) => Math.max(0, context.expiresAt - context.boundAt),
    /** Nothing was asked of it for long. */
    linger: SESSION_LINGER_MS,
  },
})

type Open = Extract<SessionEvent, { type: 'call.open' }>
type With<Event> = { context: SessionContext; event: Event }

/** The id of the browser instance behind a socket; empty if the browser did not send one, `null` without a socket. */
export const browserInstanceOf = (socket: SessionSocket | null): string | null =>
  socket === null ? null : (socket.browserInstanceId ?? '')

/** [D8, D9, R41] The event with what the connected browser reported of a call. */
function reportOf(socket: SessionSocket, requestId: string, askedInstanceId: string | null): Post {
  const of = (type: CallEvent['type']): Post => ({ to: callAddress(requestId), event: { type } })
  if (askedInstanceId === null) return of('call.neverSeen')
  if (socket.protocol === 1) return of('call.forgotten')
  const state = socket.reportedCalls[requestId]
  if (state) return of(state === 'running' ? 'call.running' : 'call.finished')
  // Another browser instance than the one that was asked cannot know what that one did.
  return of(browserInstanceOf(socket) === askedInstanceId ? 'call.neverSeen' : 'call.forgotten')
}

/** Tells every pending call what the connected browser reported of it. */
const reports = ({ calls }: SessionContext, socket: SessionSocket): Post[] =>
  Object.entries(calls).map(([requestId, { browserInstanceId }]) => reportOf(socket, requestId, browserInstanceId))

const disconnections = ({ calls }: SessionContext): Post[] =>
  Object.keys(calls).map((requestId) => ({ to: callAddress(requestId), event: { type: 'session.disconnected' } }))

const tellTask = (taskId: string, event: Post['event']): Post => ({ to: taskAddress(taskId), event })

/** A call that broke does not answer its task: its session does. */
function failureOf({ calls }: SessionContext, event: Extract<SessionEvent, { type: 'child.failed' }>): Post[] {
  const { id: requestId } = parseAddress(event.address)
  const outcome: CallOutcome = { status: 'failed', category: 'internal', message: event.message }
  const call = calls[requestId]
  return call ? [tellTask(call.taskId, { type: 'call.settled', requestId, outcome, at: event.at })] : []
}

/** Starts a call: its frame is sent at once, or, if it is reopened, once the browser has reported its calls. */
const opens = [
  { type: 'expect', params: ({ event }: With<Open>) => event },
  { type: 'startCall', params: ({ event }: With<Open>) => event },
] as const

/** No browser is connected to run the call: its task waits for one. */
const waits = [
  { type: 'awaitBrowser', params: ({ event }: With<Open>) => event.call.taskId },
  {
    type: 'postAll',
    params: ({ event: { call } }: With<Open>) => [
      tellTask(call.taskId, { type: 'session.away', requestId: call.requestId }),
    ],
  },
] as const

const disconnects = { type: 'postAll', params: ({ context }: With<unknown>) => disconnections(context) } as const
/** [Z1] Its workspace gives out the places of a browser while that is connected. */
const joins = ({ workspaceId, sessionId, socket }: SessionContext): Post[] =>
  socket?.pool
    ? [{ to: workspaceAddress(workspaceId), event: { type: 'pool.joined', sessionId, browser: socket.pool } }]
    : []
const leaves = ({ workspaceId, sessionId, socket }: SessionContext): Post[] =>
  socket?.pool ? [{ to: workspaceAddress(workspaceId), event: { type: 'pool.left', sessionId } }] : []

const forgets = {
  type: 'forget',
  params: ({ event }: With<ChildEvent>) => parseAddress(event.address).id,
} as const
const closes = (why: 'replaced' | 'revoked' | 'expired') =>
  ({
    type: 'closeSocket',
    params: ({ context }: With<unknown>) => ({ why, socketId: context.socket?.socketId }),
  }) as const

/** Without a socket: the actor ends once it has been idle for long. */
const lingering = (state: 'waiting' | 'disconnected' | 'expired') =>
  session.createStateConfig({
    after: {
      linger: [
        { guard: 'isIdle', target: 'gone' },
        { target: state, reenter: true },
      ],
    },
  })

/** The browser is away: tasks wait for it. */
const away = (state: 'waiting' | 'disconnected') =>
  session.createStateConfig({
    ...lingering(state),
    tags: ['away'],
    on: {
      // The linger time starts again: the task that waits must be notified when the browser connects.
      'call.open': [
        { guard: { type: 'isReopened', params: ({ event }) => event }, actions: opens },
        { target: state, reenter: true, actions: waits },
      ],
    },
  })

/**
 * [R6] One paired browser: the socket *is* the session. It opens calls on it, knows which are pending, and tells them
 * when the browser goes away, comes back, or is replaced by a newer socket of the same browser. A call answers its task
 * itself.
 */
export const sessionMachine = session.createMachine({
  id: 'session',
  context: ({ input }) => ({ ...input, expiresAt: 0, socket: null, boundAt: 0, calls: {}, waiting: [] }),
  initial: 'waiting',
  states: {
    /** No socket has been bound since this actor started. */
    waiting: { description: 'waits for the browser\nto connect', ...away('waiting') },
    connected: {
      description: 'has the browser’s socket',
      entry: { type: 'postAll', params: ({ context }) => joins(context) },
      exit: { type: 'postAll', params: ({ context }) => leaves(context) },
      on: {
        'socket.closed': {
          guard: { type: 'isBound', params: ({ event }) => event },
          target: 'disconnected',
          actions: [disconnects, 'unbind'],
        },
        // The newer socket wins. A browser that reports its calls settles them; the calls of any other fail.
        'socket.registered': {
          target: 'connected',
          reenter: true,
          actions: [
            closes('replaced'),
            {
              type: 'postAll',
              params: ({ context, event: { socket } }) =>
                socket.protocol === 2 ? reports(context, socket) : disconnections(context),
            },
            { type: 'bind', params: ({ event }) => event },
          ],
        },
        'call.open': [
          {
            guard: { type: 'isReopened', params: ({ event }) => event },
            actions: [
              ...opens,
              {
                type: 'postAll',
                params: ({ context: { socket }, event }) =>
                  socket ? [reportOf(socket, event.call.requestId, event.browserInstanceId)] : [],
              },
            ],
          },
          // A call is sent only to the browser instance that its persisted intent names: its task persists it again.
          {
            guard: { type: 'isOtherBrowser', params: ({ event }) => event },
            actions: {
              type: 'postAll',
              params: ({ event: { call } }) => [
                tellTask(call.taskId, { type: 'session.away', requestId: call.requestId }),
                tellTask(call.taskId, { type: 'session.connected' }),
              ],
            },
          },
          { actions: opens },
        ],
      },
      after: { expiry: { target: 'expired', actions: [disconnects, closes('expired'), 'unbind'] } },
    },
    disconnected: { description: 'waits for the browser\nto connect again', ...away('disconnected') },
    expired: { description: 'its pairing is over', tags: ['away'], ...lingering('expired') },
    /** Its record was removed. The actor stays until its last call has answered its task. */
    revoked: {
      description: 'was removed: waits until\nits calls have ended',
      tags: ['away'],
      entry: [disconnects, closes('revoked'), 'unbind'],
      always: { guard: 'isIdle', target: 'removed' },
      on: {
        // The browser authenticated before the record was removed.
        'socket.registered': {
          actions: {
            type: 'closeSocket',
            params: ({ event }) => ({ why: 'revoked', socketId: event.socket.socketId }),
          },
        },
      },
    },
    removed: { type: 'final', description: 'is no longer paired', entry: 'release' },
    /** Idle for long: only the record is kept. */
    gone: { type: 'final', description: 'rests until it is needed', entry: 'release' },
  },
  on: {
    'socket.registered': {
      target: '.connected',
      actions: [
        { type: 'postAll', params: ({ context, event }) => reports(context, event.socket) },
        { type: 'bind', params: ({ event }) => event },
        {
          type: 'postAll',
          params: ({ context }) => context.waiting.map((taskId) => tellTask(taskId, { type: 'session.connected' })),
        },
        'stopWaiting',
      ],
    },
    'call.open': [{ guard: { type: 'isReopened', params: ({ event }) => event }, actions: opens }, { actions: waits }],
    'call.abandon': {
      guard: { type: 'isPending', params: ({ event }) => event },
      actions: {
        type: 'postAll',
        params: ({ event }) => [{ to: callAddress(event.requestId), event: { type: 'call.abandoned' } }],
      },
    },
    'child.done': { actions: forgets },
    'child.failed': {
      actions: [{ type: 'postAll', params: ({ context, event }) => failureOf(context, event) }, forgets],
    },
    'session.revoke': '.revoked',
  },
})
