import { during } from './effects.ts'
import { LAST_REPLY_MS } from './limits.ts'
import { reconciling, settledCall, waitingForBrowser } from './task-browser.ts'
import {
  cancelled,
  crashed,
  endingOf,
  finishEnd,
  noProgressEnd,
  onlyFailsEnd,
  outOfTime,
  shutDown,
  stepLimitEnd,
  swept,
} from './task-endings.ts'
import { paused, waitingForInput } from './task-input.ts'
import { task, toolCall } from './task-parts.ts'
import { queued } from './task-queued.ts'
import { asking } from './task-replies.ts'
import { checking, finishing, misfitted, refused, skipped, unknown, unreadFinish } from './task-results.ts'
import { backingOff, thinking } from './task-thinking.ts'
import { newTask, type TaskContext } from './task-types.ts'

/**
 * One task run: thinking, acting, thinking … until the model answers. It ends exactly once, with an `Ending` as its
 * output; that the ending is charged, written and announced is `closing`'s business.
 *
 * Kept: a row per change, but for states tagged `transient`, whose predecessor restores to the same thing.
 */
export const taskMachine = task.createMachine({
  id: 'task',
  context: ({ input }) => newTask(input),
  initial: 'starting',
  states: {
    starting: { always: [{ guard: 'isQueued', target: 'queued' }, { target: 'running' }] },
    queued,
    running: {
      invoke: [
        {
          src: 'alarm',
          id: 'lastMinute',
          input: ({ context }) => ({ event: 'deadline.near', at: context.deadlineAt - LAST_REPLY_MS }),
        },
        {
          src: 'alarm',
          id: 'deadline',
          input: ({ context }) => ({ event: 'deadline.reached', at: context.deadlineAt }),
        },
      ],
      initial: 'thinking',
      states: {
        thinking,
        backingOff,
        /** Decides at once what comes next: a call of the reply, or the next step. */
        dispatching: {
          always: [
            {
              guard: 'noStepLeft',
              target: '#task.ended',
              actions: { type: 'end', params: ({ context }) => stepLimitEnd(context) },
            },
            {
              guard: 'onlyFails',
              target: '#task.ended',
              actions: { type: 'end', params: ({ context }) => onlyFailsEnd(context) },
            },
            { guard: 'isPaused', target: 'paused' },
            // [I7] The user's answer is carried out before anything else.
            { guard: 'releases', target: 'persistingIntent' },
            { guard: 'noCallLeft', target: 'thinking', actions: 'markRead' },
            // [L24] After a failed call, and after what the model could not know of, the rest of its step is not run.
            { guard: 'halted', target: 'dispatching', reenter: true, actions: skipped },
            {
              guard: 'noProgress',
              target: '#task.ended',
              actions: { type: 'end', params: ({ context }) => noProgressEnd(context) },
            },
            { guard: 'misfits', target: 'dispatching', reenter: true, actions: misfitted },
            // A call that is wrong in itself is not sent: the model reads why.
            { guard: 'refused', target: 'dispatching', reenter: true, actions: refused },
            // [L23, L25] The service's own tool: the answer is checked by the model once, then it ends the task.
            { guard: 'mustBeChecked', target: 'dispatching', reenter: true, actions: checking },
            { guard: 'finishesUnread', target: 'dispatching', reenter: true, actions: unreadFinish },
            {
              guard: 'finishes',
              target: '#task.ended',
              actions: [...finishing, { type: 'end', params: ({ context }) => finishEnd(context) }],
            },
            { guard: 'asksUser', target: 'waitingForInput', actions: asking },
            { target: 'persistingIntent', actions: { type: 'recordCall', params: ({ context }) => ({ context }) } },
          ],
        },
        /** [D5] The intent of the call is durable before its frame may be sent. */
        persistingIntent: {
          description: 'waits for the disk',
          ...during({
            type: 'keep',
            params: ({ context }: { context: TaskContext }) => ({
              taskId: context.taskId,
              sessionId: context.sessionId,
            }),
          } as const),
          on: {
            'intent.kept': [
              // The browser instance that is asked is part of the intent, and persisted with it.
              {
                guard: { type: 'isOtherBrowser', params: ({ event }) => event },
                target: 'persistingIntent',
                reenter: true,
                actions: { type: 'setBrowserInstance', params: ({ event }) => event.browserInstanceId },
              },
              { guard: 'isPaused', target: 'paused' },
              { target: 'acting', actions: { type: 'markTime', params: ({ event }) => event.at } },
            ],
            // The row says `persistingIntent`, but the frame may have left before the crash.
            'task.resumed': 'reconciling',
          },
        },
        acting: {
          description: 'waits for its browser\nto carry out the call',
          tags: ['transient'],
          entry: {
            type: 'openCall',
            params: ({ context }) => ({
              call: toolCall(context),
              at: context.at,
              browserInstanceId: context.browserInstanceId,
              workspaceId: context.workspaceId,
            }),
          },
          on: {
            'call.settled': settledCall,
            'task.resumed': 'reconciling',
            'session.away': { guard: { type: 'isCurrent', params: ({ event }) => event }, target: 'waitingForBrowser' },
            'session.lost': {
              guard: { type: 'isItsSession', params: ({ event }) => event },
              target: 'dispatching',
              actions: unknown,
            },
          },
        },
        waitingForBrowser,
        reconciling,
        paused,
        waitingForInput,
      },
      on: {
        'task.pause': { actions: { type: 'pause', params: ({ event }) => event.by } },
        'task.continue': { actions: { type: 'resume', params: ({ event }) => event.by } },
        'message.received': { actions: { type: 'countMessage', params: ({ event }) => event } },
        'task.cancel': { target: 'ended', actions: cancelled },
        'deadline.near': { actions: 'hurry' },
        'deadline.reached': { target: 'ended', actions: outOfTime },
        'task.sweep': { target: 'ended', actions: swept },
        'task.shutdown': { target: 'ended', actions: shutDown },
        'effect.crashed': { target: 'ended', actions: crashed },
      },
    },
    ended: { type: 'final' },
  },
  output: ({ context }) => {
    if (!context.end) throw new Error(`Task ${context.taskId} ended without an ending`)
    return endingOf(context, context.end)
  },
})
