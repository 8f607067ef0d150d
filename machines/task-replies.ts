import { TO_MODEL } from './failures.ts'
import { approvalOf, type InputAction, questionOf, readIdOf, termsOf } from './input-request.ts'
import type { CallOutcome, Ms } from './records.ts'
import { settled } from './task-results.ts'
import type { TaskContext, TaskEvent } from './task-types.ts'

/** The results of calls that the user was asked about. */

type Answer = Extract<TaskEvent, { type: 'input.answered' }>
type Settled = Extract<TaskEvent, { type: 'call.settled' }>
type With<Event> = { context: TaskContext; event: Event }

/** A result in the service's own words, none of them from a page. */
const said = (words: string): CallOutcome => ({ status: 'done', output: words, said: words, screenshot: null })

/** What the model reads when the user has answered, or has not. */
function outcomeOf({ inputRequest }: TaskContext, action: InputAction, content: string | null): CallOutcome {
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
  params: ({ context, event }: With<Answer>) => ({ context, action: event.action, by: 'user' as const, at: event.at }),
} as const

export const settledAs = [
  ...settled((event: Answer, context) => outcomeOf(context, event.action, event.content)),
  'forgetRequest',
] as const

/** No answer arrived in time. */
export const declined = [
  {
    type: 'recordAnswer',
    params: ({ context, event }: With<{ at: Ms }>) => ({
      context,
      action: 'cancel' as const,
      by: 'timeout' as const,
      at: event.at,
    }),
  },
  ...settled((_: { at: Ms }, context) => outcomeOf(context, 'cancel', null)),
  'forgetRequest',
] as const

/** [I7] The page was read: the user is asked to approve the terms that it shows. */
export const approving = {
  type: 'request',
  params: ({ context: { calls, reads }, event }: With<Settled>) => {
    const [call] = calls
    return call ? approvalOf(readIdOf(call, reads), call, termsOf(event.outcome), event.at) : null
  },
} as const

/** The page could not be read: nothing is approved. */
export const termsUnread = settled((event: Settled) => ({
  status: 'failed',
  category: 'internal',
  message: TO_MODEL.termsUnread(event.outcome.status === 'failed' ? event.outcome.message : ''),
}))

/** [I4] The model asks its user. */
export const asking = [
  { type: 'recordCall', params: ({ context }: { context: TaskContext }) => ({ context }) },
  {
    type: 'request',
    params: ({ context: { calls, at } }: { context: TaskContext }) => (calls[0] ? questionOf(calls[0], at) : null),
  },
] as const
