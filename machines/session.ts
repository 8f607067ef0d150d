import { callAddress, parseAddress } from './addresses.ts'
import {
  disconnections,
  otherBrowser,
  reconciliationEvents,
  reconciliationOf,
  settlement,
  wakeUps,
} from './call-reconciliation.ts'
import type { CallOutcome } from './records.ts'
import { opens, session, waits } from './session-parts.ts'

/** Without a socket: the actor ends once it has been idle for long. */
const lingering = (state: 'waiting' | 'disconnected' | 'expired') =>
  session.createStateConfig({
    after: {
      linger: [
        { guard: 'idle', target: 'gone' },
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
        { guard: { type: 'reopened', params: ({ event }) => event }, actions: opens },
        { target: state, reenter: true, actions: waits },
      ],
    },
  })

/**
 * [R6] One paired browser: the socket *is* the session. It opens calls on it, keeps which task waits for which, and
 * settles them when the browser goes away, comes back, or is replaced by a newer socket of the same browser.
 */
export const sessionMachine = session.createMachine({
  id: 'session',
  context: ({ input }) => ({
    ...input,
    expiresAt: 0,
    socket: null,
    boundAt: 0,
    calls: {},
    waiting: [],
  }),
  initial: 'waiting',
  states: {
    /** No socket has been bound since this actor started. */
    waiting: away('waiting'),
    connected: {
      on: {
        'socket.closed': {
          guard: { type: 'isBound', params: ({ event }) => event },
          target: 'disconnected',
          actions: [{ type: 'postAll', params: ({ context }) => disconnections(context) }, 'unbind'],
        },
        // The newer socket wins. A browser that reports its calls settles them; the calls of any other fail.
        'socket.registered': [
          {
            guard: { type: 'reportsCalls', params: ({ event }) => event },
            target: 'connected',
            reenter: true,
            actions: [
              {
                type: 'closeSocket',
                params: ({ context }) => ({ why: 'replaced', socketId: context.socket?.socketId }),
              },
              { type: 'postAll', params: ({ context, event }) => reconciliationEvents(context, event.socket) },
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
            actions: [...opens, { type: 'postAll', params: ({ context, event }) => reconciliationOf(context, event) }],
          },
          // A call is sent only to the browser instance that its persisted intent names.
          {
            guard: { type: 'isOtherBrowser', params: ({ event }) => event },
            actions: { type: 'postAll', params: ({ event }) => otherBrowser(event.call) },
          },
          { actions: opens },
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
    disconnected: away('disconnected'),
    expired: { tags: ['away'], ...lingering('expired') },
    /** Its record was removed. The actor stays until its last call has settled and the task has been notified. */
    revoked: {
      tags: ['away'],
      entry: [
        { type: 'postAll', params: ({ context }) => disconnections(context) },
        { type: 'closeSocket', params: ({ context }) => ({ why: 'revoked', socketId: context.socket?.socketId }) },
        'unbind',
      ],
      always: { guard: 'idle', target: 'removed' },
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
    removed: { type: 'final', entry: 'release' },
    /** Idle for long: only the record is kept. */
    gone: { type: 'final', entry: 'release' },
  },
  on: {
    'socket.registered': {
      target: '.connected',
      actions: [
        { type: 'postAll', params: ({ context, event }) => reconciliationEvents(context, event.socket) },
        { type: 'bind', params: ({ event }) => event },
        { type: 'postAll', params: ({ context }) => wakeUps(context) },
        'stopWaiting',
      ],
    },
    'call.open': [{ guard: { type: 'reopened', params: ({ event }) => event }, actions: opens }, { actions: waits }],
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
