import { assign, setup } from 'xstate'
import { taskAddress } from './addresses.ts'
import { browserInstanceOf } from './call-reconciliation.ts'
import { type Post, post, postAll } from './effects.ts'
import { SESSION_LINGER_MS } from './limits.ts'
import type { Ms, ToolCall } from './records.ts'
import type { SessionContext, SessionEvent, SessionInput, SessionSocket } from './session-types.ts'

/** The types, effects, actions and guards of a session's machine. */
export const session = setup({
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
    /** Forgets what the runtime keeps for the session outside of its actor. */
    release: ({ context }) => {
      throw new Error(`release of ${context.sessionId} is provided by actors/session.ts`)
    },
    bind: assign((_, params: { socket: SessionSocket; expiresAt: Ms; at: Ms }) => ({
      socket: params.socket,
      expiresAt: params.expiresAt,
      boundAt: params.at,
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
    awaitBrowser: assign(({ context }, taskId: string) => ({
      waiting: context.waiting.includes(taskId) ? context.waiting : [...context.waiting, taskId],
    })),
    stopWaiting: assign({ waiting: [] }),
  },
  guards: {
    isBound: ({ context }, params: { socketId: string }) => context.socket?.socketId === params.socketId,
    isPending: ({ context }, params: { requestId: string }) => params.requestId in context.calls,
    reopened: (_, params: { reopened: boolean }) => params.reopened,
    isOtherBrowser: ({ context }, params: { browserInstanceId: string | null }) =>
      browserInstanceOf(context.socket) !== params.browserInstanceId,
    reportsCalls: (_, params: { socket: SessionSocket }) => params.socket.protocol === 2,
    idle: ({ context }) => Object.keys(context.calls).length === 0,
  },
  delays: {
    expiry: ({ context }) => Math.max(0, context.expiresAt - context.boundAt),
    linger: SESSION_LINGER_MS,
  },
})

type Open = { event: Extract<SessionEvent, { type: 'call.open' }> }

/** Starts a call: its frame is sent at once, or, if it is reopened, once the browser has reported its calls. */
export const opens = [
  { type: 'expect', params: ({ event }: Open) => ({ call: event.call, browserInstanceId: event.browserInstanceId }) },
  { type: 'startCall', params: ({ event }: Open) => event },
] as const

/** No browser is connected to run the call: its task waits for one. */
export const waits = [
  { type: 'awaitBrowser', params: ({ event }: Open) => event.call.taskId },
  {
    type: 'post',
    params: ({ event: { call } }: Open): Post => ({
      to: taskAddress(call.taskId),
      event: { type: 'session.away', requestId: call.requestId },
    }),
  },
] as const
