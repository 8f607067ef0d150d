import { assign, setup } from 'xstate'
import { callAddress, parseAddress, taskAddress } from './addresses.ts'
import { post, postAll } from './effects.ts'
import { SESSION_LINGER_MS } from './limits.ts'
import {
  disconnections,
  recollection,
  recollections,
  type SessionContext,
  type SessionEvent,
  type SessionInput,
  type SessionSocket,
  settlement,
  wakeUps,
} from './recollection.ts'
import type { CallOutcome, Ms, ToolCall } from './records.ts'

const session = setup({
  types: {
    context: {} as SessionContext,
    events: {} as SessionEvent,
    input: {} as SessionInput,
  },
  actions: {
    post,
    postAll,
    startCall: (_, _params: { call: ToolCall; at: Ms; reopened: boolean }) => {
      throw new Error('startCall is provided by actors/session.ts')
    },
    closeSocket: (_, _params: { why: 'replaced' | 'revoked' | 'expired'; socketId: string | undefined }) => {
      throw new Error('closeSocket is provided by actors/session.ts')
    },
    bind: assign((_, params: { socket: SessionSocket; expiresAt: Ms; at: Ms }) => ({
      socket: params.socket,
      expiresAt: params.expiresAt,
      lastInstance: params.socket.instance,
      boundAt: params.at,
    })),
    unbind: assign({ socket: null }),
    expect: assign(({ context }, call: ToolCall) => ({ calls: { ...context.calls, [call.requestId]: call.taskId } })),
    forget: assign(({ context }, requestId: string) => {
      const { [requestId]: _, ...calls } = context.calls
      return { calls }
    }),
    expectMemory: assign((_, instance: string | null) => ({ lastInstance: instance })),
    awaitBrowser: assign(({ context }, taskId: string) => ({
      waiting: context.waiting.includes(taskId) ? context.waiting : [...context.waiting, taskId],
    })),
    stopWaiting: assign({ waiting: [] }),
  },
  guards: {
    isBound: ({ context }, params: { socketId: string }) => context.socket?.socketId === params.socketId,
    isPending: ({ context }, params: { requestId: string }) => params.requestId in context.calls,
    reopened: (_, params: { reopened: boolean }) => params.reopened,
    settlesByMemory: (_, params: { socket: SessionSocket }) => params.socket.protocol === 2,
    idle: ({ context }) => Object.keys(context.calls).length === 0,
  },
  delays: {
    expiry: ({ context }) => Math.max(0, context.expiresAt - context.boundAt),
    linger: SESSION_LINGER_MS,
  },
})

/**
 * One paired browser: the socket *is* the session. It opens calls on it, keeps which task waits for which, and
 * settles them when the browser goes away, comes back, or is replaced by a newer socket of the same browser.
 */
export const sessionMachine = session.createMachine({
  id: 'session',
  context: ({ input }) => ({
    ...input,
    expiresAt: 0,
    socket: null,
    lastInstance: null,
    boundAt: 0,
    calls: {},
    waiting: [],
  }),
  initial: 'waiting',
  states: {
    /** No socket was bound since this actor began. */
    waiting: {
      tags: ['away'],
      after: { linger: { guard: 'idle', target: 'gone' } },
    },
    connected: {
      on: {
        'socket.closed': {
          guard: { type: 'isBound', params: ({ event }) => event },
          target: 'disconnected',
          actions: [{ type: 'postAll', params: ({ context }) => disconnections(context) }, 'unbind'],
        },
        // The newer socket wins; a browser that remembers its calls settles them, another has lost them.
        'socket.registered': [
          {
            guard: { type: 'settlesByMemory', params: ({ event }) => event },
            target: 'connected',
            reenter: true,
            actions: [
              {
                type: 'closeSocket',
                params: ({ context }) => ({ why: 'replaced', socketId: context.socket?.socketId }),
              },
              { type: 'postAll', params: ({ context, event }) => recollections(context, event.socket) },
              { type: 'bind', params: ({ event }) => event },
            ],
          },
          {
            target: 'connected',
            reenter: true,
            actions: [
              {
                type: 'closeSocket',
                params: ({ context }) => ({ why: 'replaced', socketId: context.socket?.socketId }),
              },
              { type: 'postAll', params: ({ context }) => disconnections(context) },
              { type: 'bind', params: ({ event }) => event },
            ],
          },
        ],
        'call.open': [
          {
            guard: { type: 'reopened', params: ({ event }) => event },
            actions: [
              { type: 'expect', params: ({ event }) => event.call },
              { type: 'startCall', params: ({ event }) => event },
              {
                type: 'postAll',
                params: ({ context, event }) =>
                  context.socket
                    ? [
                        {
                          to: callAddress(event.call.requestId),
                          event: recollection(context.socket, event.call.requestId, event.instance),
                        },
                      ]
                    : [],
              },
            ],
          },
          {
            actions: [
              { type: 'expect', params: ({ event }) => event.call },
              { type: 'startCall', params: ({ event }) => event },
            ],
          },
        ],
      },
      after: {
        expiry: {
          target: 'expired',
          actions: [
            { type: 'postAll', params: ({ context }) => disconnections(context) },
            { type: 'closeSocket', params: ({ context }) => ({ why: 'expired', socketId: context.socket?.socketId }) },
            'unbind',
          ],
        },
      },
    },
    disconnected: {
      tags: ['away'],
      after: { linger: { guard: 'idle', target: 'gone' } },
    },
    expired: {
      tags: ['away'],
      after: { linger: 'gone' },
    },
    revoked: {
      type: 'final',
      entry: [
        { type: 'postAll', params: ({ context }) => disconnections(context) },
        { type: 'closeSocket', params: ({ context }) => ({ why: 'revoked', socketId: context.socket?.socketId }) },
      ],
    },
    /** Nothing happened for long: the record alone is kept. */
    gone: { type: 'final' },
  },
  on: {
    'socket.registered': {
      target: '.connected',
      actions: [
        { type: 'postAll', params: ({ context, event }) => recollections(context, event.socket) },
        { type: 'bind', params: ({ event }) => event },
        { type: 'postAll', params: ({ context }) => wakeUps(context) },
        'stopWaiting',
      ],
    },
    'call.open': [
      {
        guard: { type: 'reopened', params: ({ event }) => event },
        actions: [
          { type: 'expectMemory', params: ({ event }) => event.instance },
          { type: 'expect', params: ({ event }) => event.call },
          { type: 'startCall', params: ({ event }) => event },
        ],
      },
      {
        actions: [
          { type: 'awaitBrowser', params: ({ event }) => event.call.taskId },
          {
            type: 'post',
            params: ({ event }) => ({
              to: taskAddress(event.call.taskId),
              event: { type: 'session.away', requestId: event.call.requestId },
            }),
          },
        ],
      },
    ],
    'call.abandon': {
      guard: { type: 'isPending', params: ({ event }) => event },
      actions: [
        { type: 'forget', params: ({ event }) => event.requestId },
        {
          type: 'post',
          params: ({ event }) => ({ to: callAddress(event.requestId), event: { type: 'call.abandoned' } }),
        },
      ],
    },
    'relay.result': {
      guard: { type: 'isPending', params: ({ event }) => event },
      actions: {
        type: 'post',
        params: ({ event }) => ({
          to: callAddress(event.requestId),
          event: { type: 'call.answered', outcome: event.outcome },
        }),
      },
    },
    'child.done': {
      actions: [
        {
          type: 'postAll',
          params: ({ context, event }) =>
            settlement(context, parseAddress(event.address).id, event.output as CallOutcome, event.at),
        },
        { type: 'forget', params: ({ event }) => parseAddress(event.address).id },
      ],
    },
    'child.failed': {
      actions: [
        {
          type: 'postAll',
          params: ({ context, event }) =>
            settlement(
              context,
              parseAddress(event.address).id,
              { status: 'failed', category: 'internal', message: event.message },
              event.at,
            ),
        },
        { type: 'forget', params: ({ event }) => parseAddress(event.address).id },
      ],
    },
    'session.revoke': '.revoked',
  },
})
