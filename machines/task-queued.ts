import { browserLostEnd, cancelled, crashed, queueTimeoutEnd, swept } from './task-endings.ts'
import { task } from './task-parts.ts'

/**
 * [T59] The task waits for a slot, for the rate, or for its browser. Its workspace calls it when its turn comes; its 30
 * minutes begin then. A service that stops keeps it as it is.
 */
export const queued = task.createStateConfig({
  description: 'waits for a slot,\nor for its browser to connect',
  invoke: {
    src: 'alarm',
    id: 'queueExpiry',
    input: ({ context }) => ({ event: 'queue.expired', at: context.queuedUntil ?? 0 }),
  },
  on: {
    'task.start': { target: 'running', actions: { type: 'begin', params: ({ event }) => event.deadlineAt } },
    'queue.expired': { target: 'ended', actions: { type: 'end', params: ({ event }) => queueTimeoutEnd(event.at) } },
    'queue.closed': { target: 'ended', actions: { type: 'end', params: ({ event }) => browserLostEnd(event) } },
    'task.cancel': { target: 'ended', actions: cancelled },
    'task.sweep': { target: 'ended', actions: swept },
    'effect.crashed': { target: 'ended', actions: crashed },
  },
})
