import { leftOf, warningOf } from './budget.ts'
import { during } from './effects.ts'
import { MODEL_ATTEMPT_MS_MAX } from './limits.ts'
import {
  budgetEnd,
  completedEnd,
  journalFullEnd,
  lastCallEnd,
  modelFailure,
  noAnswerInTime,
  noFinishEnd,
  outputEnd,
} from './task-endings.ts'
import { isOutputOnly, task } from './task-parts.ts'
import { finishing } from './task-results.ts'
import type { ModelReply, TaskContext } from './task-types.ts'

/** [L3, L4] The states of a task in which its model is asked. */

/** What the model said counts, and goes into the journal: both or neither. */
const replied = [
  { type: 'takeReply', params: ({ event }: { event: ModelReply }) => event },
  {
    type: 'recordReply',
    params: ({ context, event }: { context: TaskContext; event: ModelReply }) => ({
      taskId: context.taskId,
      step: context.step,
      reply: event,
      warning: context.warnedAt === context.step ? warningOf(context) : null,
    }),
  },
] as const

/** One attempt at the reply of a step. */
export const thinking = task.createStateConfig({
  description: 'waits for the model',
  // It answers within its limit, with `model.timedOut` if need be.
  ...during({
    type: 'ask',
    params: ({ context }: { context: TaskContext }) => ({
      taskId: context.taskId,
      sessionId: context.sessionId,
      step: context.step + 1,
      attempt: context.attempt,
      outputOnly: isOutputOnly(context),
      left: leftOf(context),
      withinMs: MODEL_ATTEMPT_MS_MAX,
    }),
  } as const),
  on: {
    'model.requestedTools': [
      {
        guard: { type: 'isLastCall', params: ({ event }) => event },
        target: '#task.ended',
        actions: [...replied, ...finishing, { type: 'end', params: ({ context }) => lastCallEnd(context) }],
      },
      { target: 'dispatching', actions: replied },
    ],
    'model.answered': [
      // [I1] The user has said something meanwhile: the model reads it first.
      { guard: 'hasUnread', target: 'dispatching', actions: replied },
      // [L32] The JSON alone was asked for: it is the output, or the task has none.
      {
        guard: 'isOutputOnly',
        target: '#task.ended',
        actions: [...replied, { type: 'end', params: ({ context, event }) => outputEnd(context, event) }],
      },
      {
        guard: { type: 'isLastCall', params: ({ event }) => event },
        target: '#task.ended',
        actions: [...replied, { type: 'end', params: ({ context }) => lastCallEnd(context) }],
      },
      // [L1] Where there is `finish`, words end nothing: the model is reminded of it once.
      {
        guard: { type: 'mustBeReminded', params: ({ event }) => event },
        target: 'dispatching',
        actions: [...replied, 'remind'],
      },
      {
        guard: { type: 'hasFinish', params: ({ event }) => event },
        target: '#task.ended',
        actions: [...replied, { type: 'end', params: ({ event }) => noFinishEnd(event) }],
      },
      {
        target: '#task.ended',
        actions: [...replied, { type: 'end', params: ({ event }) => completedEnd(event) }],
      },
    ],
    'model.failedRetryably': [
      {
        guard: 'attemptsLeft',
        target: 'backingOff',
        actions: { type: 'countAttempt', params: ({ event }) => event.retryAt },
      },
      { target: '#task.ended', actions: { type: 'end', params: ({ event }) => modelFailure(event) } },
    ],
    'model.timedOut': [
      {
        guard: 'attemptsLeft',
        target: 'backingOff',
        actions: { type: 'countAttempt', params: ({ event }) => event.at },
      },
      {
        target: '#task.ended',
        actions: { type: 'end', params: ({ event }) => modelFailure(noAnswerInTime(event.at)) },
      },
    ],
    'model.failed': [
      // The provider cannot give JSON for this schema: the answer is what there is.
      {
        guard: 'isOutputOnly',
        target: '#task.ended',
        actions: { type: 'end', params: ({ context, event }) => outputEnd(context, { ...event, text: '' }) },
      },
      { target: '#task.ended', actions: { type: 'end', params: ({ event }) => modelFailure(event) } },
    ],
    'budget.spent': {
      target: '#task.ended',
      actions: { type: 'end', params: ({ context, event }) => budgetEnd(context, event.at) },
    },
    'journal.full': {
      target: '#task.ended',
      actions: { type: 'end', params: ({ event }) => journalFullEnd(event.at) },
    },
    'task.resumed': { target: 'thinking', reenter: true },
    'deadline.near': { guard: 'mayHurry', target: 'thinking', reenter: true, actions: 'hurry' },
    'message.received': [
      {
        guard: { type: 'isInterrupt', params: ({ event }) => event },
        target: 'thinking',
        reenter: true,
        actions: 'markRead',
      },
      { actions: { type: 'countMessage', params: ({ event }) => event } },
    ],
  },
})

/** The pause before the next attempt. A cancel and the deadline end it, as they end every state. */
export const backingOff = task.createStateConfig({
  description: 'waits until the model may be asked again',
  invoke: {
    src: 'alarm',
    id: 'retry',
    input: ({ context }) => ({ event: 'retry.due', at: context.retryAt }),
  },
  on: {
    'retry.due': [
      { guard: 'isPaused', target: 'paused' },
      { target: 'thinking', actions: 'markRead' },
    ],
    'deadline.near': { target: 'thinking', guard: 'mayHurry', actions: ['hurry', 'markRead'] },
    'message.received': { target: 'thinking', guard: { type: 'isInterrupt', params: ({ event }) => event } },
  },
})
