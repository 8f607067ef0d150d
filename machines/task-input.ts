import { task } from './task-parts.ts'
import { expired, expiredHold, releasing, replyTo, settledAs } from './task-replies.ts'

/** The states of a task in which it waits for its user. */

/** [I2] The task is paused: no call is sent and no reply is asked for. Its deadline still counts. */
export const paused = task.createStateConfig({
  description: 'waits until it is resumed:\nby a client, or by the user in the browser',
  always: { guard: 'notPaused', target: 'dispatching' },
})

/** [I4] The user is asked. The wait ends with an answer, at its time limit, or with the task. */
export const waitingForInput = task.createStateConfig({
  description: 'waits for its user,\n10 minutes at most',
  entry: { type: 'recordInput', params: ({ context }) => ({ context }) },
  invoke: {
    src: 'inputExpiry',
    id: 'inputExpiry',
    input: ({ context }) => ({ taskId: context.taskId, at: context.inputRequest?.expiresAt ?? 0 }),
  },
  on: {
    'input.answered': [
      // [I7] What is held is let go or dropped by a call of its own.
      {
        guard: { type: 'answersHold', params: ({ event }) => event },
        target: 'dispatching',
        actions: [replyTo, ...releasing],
      },
      {
        guard: { type: 'answersRequest', params: ({ event }) => event },
        target: 'dispatching',
        actions: [replyTo, ...settledAs],
      },
    ],
    'input.expired': [
      { guard: 'isHolding', target: 'dispatching', actions: expiredHold },
      { target: 'dispatching', actions: expired },
    ],
  },
})
