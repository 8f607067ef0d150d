import { task } from './task-parts.ts'
import { answered, holding, missed, unknown } from './task-results.ts'
import { currentRequest, type TaskContext, type TaskEvent } from './task-types.ts'

type Settled = Extract<TaskEvent, { type: 'call.settled' }>
type With<Event> = { context: TaskContext; event: Event }

/** [T37, D8] The states of a task in which it waits for its browser. */

/** The browser has answered the current call: with a result, or [I5] with what it holds until the user approves it. */
export const settledCall = [
  {
    guard: { type: 'isHeld', params: ({ event }: With<Settled>) => event },
    target: 'waitingForInput',
    actions: holding,
  },
  {
    guard: { type: 'isCurrent', params: ({ event }: With<Settled>) => event },
    target: 'dispatching',
    actions: answered,
  },
] as const

/** A call is due, and the browser is away. */
export const waitingForBrowser = task.createStateConfig({
  description: 'waits for its browser to connect',
  invoke: {
    src: 'alarm',
    id: 'browserWait',
    input: ({ context }) => ({ event: 'browserWait.timedOut', inMs: context.browserWaitMs }),
  },
  on: {
    'session.connected': 'persistingIntent',
    // The session was restarted and does not know which tasks wait: it is asked again.
    'session.lost': { guard: { type: 'isItsSession', params: ({ event }) => event }, target: 'persistingIntent' },
    // The frame was not sent; that the wait timed out may be in the journal already.
    'task.resumed': { target: 'reconciling', actions: { type: 'setBrowserInstance', params: null } },
    'browserWait.timedOut': { target: 'dispatching', actions: missed },
  },
})

/** [D8] After a restart: the browser may have run the call. */
export const reconciling = task.createStateConfig({
  description: 'waits for its browser to say\nwhat came of the call',
  invoke: {
    src: 'reconcile',
    id: 'reconcile',
    input: ({ context }) => ({ taskId: context.taskId, requestId: currentRequest(context) ?? '' }),
  },
  on: {
    'call.settled': settledCall,
    // The intent names no browser yet: it is persisted again, for the one that is connected.
    'call.neverSent': { guard: { type: 'isCurrent', params: ({ event }) => event }, target: 'persistingIntent' },
    'call.recovered': {
      guard: { type: 'isCurrent', params: ({ event }) => event },
      target: 'dispatching',
      actions: { type: 'recoverCall', params: ({ event }) => event },
    },
    'session.lost': {
      guard: { type: 'isItsSession', params: ({ event }) => event },
      target: 'dispatching',
      actions: unknown,
    },
  },
})
