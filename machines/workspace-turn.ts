import { nextStart } from './queue.ts'
import { browserIsBack, check, giveUpQueued, leaveQueue, workspace } from './workspace-parts.ts'

/** [T59] The turn of a queued start: its allowance and its browser are read, and the checks are made. */
export const lookingUp = workspace.createStateConfig({
  invoke: {
    src: 'lookUpQueued',
    input: ({ context }) => ({ taskId: nextStart(context.queue)?.taskId ?? '' }),
  },
  on: {
    'queue.found': [
      { guard: { type: 'isNotNext', params: ({ event }) => event }, target: 'waiting' },
      { guard: check('allowanceStale'), target: 'waitingForCharge' },
      { guard: check('noAllowance'), target: 'pausing' },
      {
        guard: check('rateExceeded'),
        target: 'waitingForRate',
        actions: { type: 'waitForRate', params: ({ event }) => event.at },
      },
      { guard: check('tooManyRunning'), target: 'waiting' },
      { guard: check('sessionMissing'), target: 'waiting', actions: giveUpQueued('session_not_found') },
      { guard: check('sessionForeign'), target: 'waiting', actions: giveUpQueued('session_not_found') },
      { guard: check('sessionExpired'), target: 'waiting', actions: giveUpQueued('session_expired') },
      {
        guard: check('sessionAway'),
        target: 'waiting',
        actions: {
          type: 'waitFor',
          params: ({ event: { taskId } }) => ({ for: 'browser' as const, of: { taskId } }),
        },
      },
      { target: 'waiting', actions: leaveQueue },
    ],
    'queue.gone': {
      target: 'waiting',
      actions: { type: 'dequeue', params: ({ event }) => ({ taskId: event.taskId, turn: 'lost' }) },
    },
    // The facts may have been read before it connected.
    'browser.connected': { target: 'lookingUp', reenter: true, actions: browserIsBack },
    'effect.crashed': 'pausing',
  },
})
