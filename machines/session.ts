import { callAddress, parseAddress } from './addresses.ts'
import {
  disconnections,
  otherBrowser,
  reconciliationEvents,
  remembered,
  settlement,
  wakeUps,
} from './call-reconciliation.ts'
import type { CallOutcome } from './records.ts'
import { opens, session, waits } from './session-parts.ts'

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
    /** No socket was bound since this actor began. */
    waiting: {
      tags: ['away'],
      on: {
        // It lingers from the last task that began to wait: that one is to hear of the browser.
        'call.open': [
          { guard: { type: 'reopened', params: ({ event }) => event }, actions: opens },
          { target: 'waiting', reenter: true, actions: waits },
        ],
      },
      after: {
        linger: [
          { guard: 'idle', target: 'gone' },
          { target: 'waiting', reenter: true },
        ],
      },
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
            actions: [...opens, { type: 'postAll', params: ({ context, event }) => remembered(context, event) }],
          },
          // A call leaves only to the memory that its kept intent names.
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
    disconnected: {
      tags: ['away'],
      on: {
        // It lingers from the last task that began to wait: that one is to hear of the browser.
        'call.open': [
          { guard: { type: 'reopened', params: ({ event }) => event }, actions: opens },
          { target: 'disconnected', reenter: true, actions: waits },
        ],
      },
      after: {
        linger: [
          { guard: 'idle', target: 'gone' },
          { target: 'disconnected', reenter: true },
        ],
      },
    },
    expired: {
      tags: ['away'],
      after: {
        linger: [
          { guard: 'idle', target: 'gone' },
          { target: 'expired', reenter: true },
        ],
      },
    },
    /** Its record is gone. It stays until its last call has been told and its task has heard. */
    revoked: {
      tags: ['away'],
      entry: [
        { type: 'postAll', params: ({ context }) => disconnections(context) },
        { type: 'closeSocket', params: ({ context }) => ({ why: 'revoked', socketId: context.socket?.socketId }) },
        'unbind',
      ],
      always: { guard: 'idle', target: 'removed' },
      on: {
        // It proved itself before the record was gone.
        'socket.registered': {
          actions: {
            type: 'closeSocket',
            params: ({ event }) => ({ why: 'revoked', socketId: event.socket.socketId }),
          },
        },
      },
    },
    removed: { type: 'final', entry: 'release' },
    /** Nothing happened for long: the record alone is kept. */
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
