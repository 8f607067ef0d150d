import { assign, setup } from 'xstate'
import type { CallEvent, CallInput } from './call-types.ts'
import { disconnected, type Failure, timedOut } from './failures.ts'
import { RELEASE } from './held.ts'
import {
  BROWSER_WAIT_MS,
  CALL_STALE_MS,
  TOOL_TIMEOUT_MS_DEFAULT,
  TOOL_TIMEOUT_MS_NAVIGATE,
  TOOL_TIMEOUT_MS_RELEASE,
  TOOL_TIMEOUT_MS_WAIT,
} from './limits.ts'
import type { CallOutcome, Ms, ToolCall } from './records.ts'

/** [R18] How long a browser may take, by tool. */
export function toolTimeoutMs({ tool, input }: Pick<ToolCall, 'tool' | 'input'>): number {
  if (tool === 'navigate') return TOOL_TIMEOUT_MS_NAVIGATE
  if (tool === RELEASE) return TOOL_TIMEOUT_MS_RELEASE
  if (tool === 'computer' && input.action === 'wait') return TOOL_TIMEOUT_MS_WAIT
  return TOOL_TIMEOUT_MS_DEFAULT
}

/**
 * One pending tool call: from the moment its intent is kept until its outcome is known.
 * It settles exactly once; whatever arrives later is ignored. A call that the browser may or may not have run settles
 * as `unknown`.
 */
export const callMachine = setup({
  types: {
    context: {} as CallInput & { outcome: CallOutcome },
    events: {} as CallEvent,
    input: {} as CallInput,
    output: {} as CallOutcome,
  },
  actions: {
    sendFrame: (_, _call: ToolCall) => {
      throw new Error('sendFrame is provided by actors/call.ts')
    },
    settle: assign((_, outcome: CallOutcome) => ({ outcome })),
    fail: assign((_, failure: Failure) => ({ outcome: { status: 'failed' as const, ...failure } })),
  },
  guards: {
    reopened: ({ context }) => context.reopened,
    stale: ({ context }, params: { at: Ms }) => params.at - context.at > CALL_STALE_MS,
  },
  delays: {
    toolTimeout: ({ context }) => toolTimeoutMs(context.call),
    browserWait: BROWSER_WAIT_MS,
  },
}).createMachine({
  id: 'call',
  context: ({ input }) => ({ ...input, outcome: { status: 'unknown' } }),
  initial: 'opening',
  states: {
    opening: {
      always: [
        { guard: 'reopened', target: 'reconciling' },
        { target: 'waiting', actions: { type: 'sendFrame', params: ({ context }) => context.call } },
      ],
    },
    /** The frame may have left before a crash: only the browser knows. */
    reconciling: {
      on: {
        'call.neverSeen': {
          target: 'waiting',
          actions: { type: 'sendFrame', params: ({ context }) => context.call },
        },
        'call.finished': {
          target: 'waiting',
          actions: { type: 'sendFrame', params: ({ context }) => context.call },
        },
        'call.running': 'waiting',
        'call.forgotten': 'settled',
      },
      after: { browserWait: 'settled' },
    },
    waiting: {
      on: {
        'session.disconnected': {
          target: 'settled',
          actions: { type: 'fail', params: ({ context }) => disconnected(context.call.sessionId) },
        },
        // A newer socket took over: what the browser reports settles the call. A repeated frame is answered, not run again.
        'call.neverSeen': { actions: { type: 'sendFrame', params: ({ context }) => context.call } },
        'call.finished': { actions: { type: 'sendFrame', params: ({ context }) => context.call } },
        'call.forgotten': 'settled',
      },
      after: {
        toolTimeout: {
          target: 'settled',
          actions: { type: 'fail', params: ({ context }) => timedOut(context.call.tool, toolTimeoutMs(context.call)) },
        },
      },
    },
    settled: { type: 'final' },
  },
  on: {
    'call.answered': { target: '.settled', actions: { type: 'settle', params: ({ event }) => event.outcome } },
    'call.abandoned': '.settled',
    'calls.sweep': {
      guard: { type: 'stale', params: ({ event }) => event },
      target: '.settled',
      actions: { type: 'fail', params: ({ context }) => timedOut(context.call.tool, toolTimeoutMs(context.call)) },
    },
  },
  output: ({ context }) => context.outcome,
})
