import { assign, setup } from 'xstate'
import { provided } from './effects.ts'
import { RELEASE } from './held.ts'
import {
  BROWSER_WAIT_MS,
  CALL_STALE_MS,
  TOOL_TIMEOUT_MS_DEFAULT,
  TOOL_TIMEOUT_MS_GUARDED,
  TOOL_TIMEOUT_MS_NAVIGATE,
  TOOL_TIMEOUT_MS_RELEASE,
  TOOL_TIMEOUT_MS_WAIT,
} from './limits.ts'
import type { CallOutcome, Ms, ToolCall } from './records.ts'
import { disconnected, type Failure, timedOut } from './texts.ts'

/** [R18] How long a browser may take, by tool. */
export function toolTimeoutMs({ tool, input, guard }: Pick<ToolCall, 'tool' | 'input' | 'guard'>): number {
  if (tool === 'navigate') return TOOL_TIMEOUT_MS_NAVIGATE
  if (tool === RELEASE) return TOOL_TIMEOUT_MS_RELEASE
  // [J7] Its target is waited for, and what is expected after it.
  if (guard) return TOOL_TIMEOUT_MS_GUARDED
  if (tool === 'computer' && input.action === 'wait') return TOOL_TIMEOUT_MS_WAIT
  return TOOL_TIMEOUT_MS_DEFAULT
}

/** What a call is started with. */
export interface CallInput {
  readonly call: ToolCall
  readonly at: Ms
  /** After a restart the frame may have left already: the browser is asked before it is sent again. */
  readonly reopened: boolean
}
type CallContext = CallInput & { readonly outcome: CallOutcome }

/** What a reconnected browser reports of the call, its answer, and the ways it ends without one. */
export type CallEvent =
  /** The browser has answered. */
  | { type: 'call.answered'; outcome: CallOutcome }
  /** The browser never got it: it is sent again. */
  | { type: 'call.neverSeen' }
  /** The browser is at it. */
  | { type: 'call.running' }
  /** The browser has done it: it is asked for the answer. */
  | { type: 'call.finished' }
  /** The browser does not know it any more: the outcome is unknown. */
  | { type: 'call.forgotten' }
  /** Its task has ended. */
  | { type: 'call.abandoned' }
  /** The connection of the browser is lost. */
  | { type: 'session.disconnected' }
  /** Calls that have waited too long are ended. */
  | { type: 'calls.sweep'; at: Ms }

const sends = { type: 'sendFrame', params: ({ context }: { context: CallContext }) => context.call } as const
const timesOut = {
  type: 'fail',
  params: ({ context: { call } }: { context: CallContext }) => timedOut(call.tool, toolTimeoutMs(call)),
} as const

/**
 * One pending tool call: from the moment its intent is kept until its outcome is known, which it then reports to its task.
 * It settles exactly once; whatever arrives later is ignored. A call that the browser may or may not have run settles
 * as `unknown`.
 */
export const callMachine = setup({
  types: {
    context: {} as CallContext,
    events: {} as CallEvent,
    input: {} as CallInput,
    output: {} as CallOutcome,
  },
  actions: {
    sendFrame: provided<ToolCall>('sendFrame'),
    answerTask: provided<CallContext>('answerTask'),
    settle: assign((_, outcome: CallOutcome) => ({ outcome })),
    fail: assign((_, failure: Failure) => ({ outcome: { status: 'failed' as const, ...failure } })),
  },
  guards: {
    /** After a restart: it may have been sent before. */
    isReopened: ({ context }) => context.reopened,
    /** It has waited for longer than any call may. */
    isStale: ({ context }, params: { at: Ms }) => params.at - context.at > CALL_STALE_MS,
  },
  delays: {
    /** The browser took longer than the tool may. */
    toolTimeout: ({ context }) => toolTimeoutMs(context.call),
    /** The browser did not come back in time. */
    browserWait: BROWSER_WAIT_MS,
  },
}).createMachine({
  id: 'call',
  context: ({ input }) => ({ ...input, outcome: { status: 'unknown' } }),
  initial: 'opening',
  states: {
    opening: {
      description: 'is new, or was under way\nbefore a restart',
      always: [
        { guard: 'isReopened', target: 'reconciling' },
        { target: 'waiting', actions: sends },
      ],
    },
    /** The frame may have left before a crash: only the browser knows. */
    reconciling: {
      description: 'waits for the browser to say\nwhat became of it',
      on: {
        'call.neverSeen': {
          target: 'waiting',
          actions: sends,
        },
        'call.finished': {
          target: 'waiting',
          actions: sends,
        },
        'call.running': 'waiting',
        'call.forgotten': 'settled',
      },
      after: { browserWait: 'settled' },
    },
    waiting: {
      description: 'waits for the answer of the browser',
      on: {
        'session.disconnected': {
          target: 'settled',
          actions: { type: 'fail', params: ({ context }) => disconnected(context.call.sessionId) },
        },
        // A newer socket took over: what the browser reports settles the call. A repeated frame is answered, not run again.
        'call.neverSeen': { actions: sends },
        'call.finished': { actions: sends },
        'call.forgotten': 'settled',
      },
      after: {
        toolTimeout: {
          target: 'settled',
          actions: timesOut,
        },
      },
    },
    settled: {
      type: 'final',
      description: 'has its outcome',
      entry: { type: 'answerTask', params: ({ context }) => context },
    },
    /** Its task has ended. */
    abandoned: { type: 'final', description: 'nobody waits for it' },
  },
  on: {
    'call.answered': { target: '.settled', actions: { type: 'settle', params: ({ event }) => event.outcome } },
    'call.abandoned': '.abandoned',
    'calls.sweep': {
      guard: { type: 'isStale', params: ({ event }) => event },
      target: '.settled',
      actions: timesOut,
    },
  },
  output: ({ context }) => context.outcome,
})
