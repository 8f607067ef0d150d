import { task } from './task-parts.ts'
import { approving, declined, replyTo, settledAs, termsUnread } from './task-replies.ts'

/** The states of a task in which it waits for its user, or reads what its user is asked to approve. */

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
      {
        guard: { type: 'approves', params: ({ event }) => event },
        target: 'readingTerms',
        actions: [replyTo, { type: 'approve', params: ({ event }) => event.at }],
      },
      {
        guard: { type: 'answersRequest', params: ({ event }) => event },
        target: 'dispatching',
        actions: [replyTo, ...settledAs],
      },
    ],
    'input.expired': { target: 'dispatching', actions: declined },
  },
})

/**
 * [I7] What the page says of an action that needs an approval is read: before the user is asked, and again before the
 * action runs. It runs only under the terms that were approved.
 */
export const readingTerms = task.createStateConfig({
  description: 'waits for its browser to read\nwhat the user approves',
  entry: 'countRead',
  invoke: {
    src: 'readTerms',
    id: 'readTerms',
    input: ({ context }) => ({ taskId: context.taskId, reads: context.reads }),
  },
  on: {
    'call.settled': [
      {
        guard: { type: 'isFailedRead', params: ({ event }) => event },
        target: 'dispatching',
        actions: termsUnread,
      },
      { guard: { type: 'isApproved', params: ({ event }) => event }, target: 'persistingIntent' },
      { guard: { type: 'isRead', params: ({ event }) => event }, target: 'waitingForInput', actions: approving },
    ],
    'session.away': { guard: { type: 'isReadOf', params: ({ event }) => event }, target: 'waitingForBrowser' },
    'session.lost': {
      guard: { type: 'isItsSession', params: ({ event }) => event },
      target: 'readingTerms',
      reenter: true,
    },
    // For an id that it knows a browser repeats its old result: the page is read under a new id.
    'task.resumed': { target: 'readingTerms', reenter: true },
  },
})
