import { TO_MODEL } from './failures.ts'
import { expiryOf, type InputAction, questionOf } from './input-request.ts'
import type { CallResult, Ms } from './records.ts'
import { settled } from './task-results.ts'
import type { TaskContext, TaskEvent } from './task-types.ts'

/** The results of calls that the user was asked about. */

type Answer = Extract<TaskEvent, { type: 'input.answered' }>
type With<Event> = { context: TaskContext; event: Event }

/** A result in the service's own words, none of them from a page. */
const said = (words: string): CallResult => ({ status: 'done', output: words, said: words, screenshot: null })

/** What the model reads when the user has answered, or has not. */
function outcomeOf({ inputRequest }: TaskContext, action: InputAction, content: string | null): CallResult {
  if (inputRequest?.kind === 'approval') {
    return {
      status: 'failed',
      category: 'aborted',
      message: TO_MODEL.notApproved[action === 'decline' ? action : 'cancel'],
    }
  }
  if (action !== 'accept') return said(TO_MODEL.notAnswered[action])
  return said(inputRequest?.kind === 'takeover' ? TO_MODEL.tookOver : TO_MODEL.answered(content ?? ''))
}

/** Every answer is logged. */
export const replyTo = {
  type: 'recordAnswer',
  params: ({ context, event }: With<Answer>) => ({
    context,
    action: event.action,
    by: 'user' as const,
    forTask: event.forTask,
    at: event.at,
  }),
} as const

export const settledAs = [
  ...settled((event: Answer, context) => outcomeOf(context, event.action, event.content)),
  'forgetRequest',
] as const

/** No answer arrived in time. */
const timedOut = {
  type: 'recordAnswer',
  params: ({ context, event }: With<{ at: Ms }>) => ({
    context,
    action: 'cancel' as const,
    by: 'timeout' as const,
    forTask: false,
    at: event.at,
  }),
} as const
export const expired = [
  timedOut,
  ...settled((_: { at: Ms }, context) => outcomeOf(context, 'cancel', null)),
  'forgetRequest',
] as const

/** [I7] The call that carries the answer out, and [I13] what it allows for the rest of the task. */
export const releasing = [{ type: 'release', params: ({ event }: With<Answer>) => event }, 'forgetRequest'] as const
export const expiredHold = [
  timedOut,
  {
    type: 'release',
    params: ({ event }: With<{ releaseId: string; at: Ms }>) => ({
      ...event,
      action: 'cancel' as const,
      forTask: false,
    }),
  },
  'forgetRequest',
] as const

/** [I4] The model asks its user. */
export const asking = [
  { type: 'recordCall', params: ({ context }: { context: TaskContext }) => ({ context }) },
  {
    type: 'request',
    params: ({ context: { calls, at, deadlineAt } }: { context: TaskContext }) =>
      calls[0] ? questionOf(calls[0], expiryOf(at, deadlineAt)) : null,
  },
] as const
