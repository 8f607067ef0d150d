import { type Address, parseAddress, taskAddress } from './addresses.ts'
import type { Post } from './effects.ts'
import type { RefusalCode } from './failures.ts'
import type { Ms } from './records.ts'
import { type checks, refusalOf } from './workspace-checks.ts'
import type { Candidate, Slot, WorkspaceContext } from './workspace-types.ts'

/** What a workspace's machine is made of: how it decides on a start, and what it tells others. */

type Decision = { context: WorkspaceContext; event: Candidate }

export const refuse = (code: RefusalCode) =>
  ({
    type: 'post',
    params: ({ context, event }: Decision): Post => ({
      to: event.admission,
      event: { type: 'admission.refused', refusal: refusalOf(code, context, event) },
    }),
  }) as const

export const recordStart = { type: 'recordStart', params: ({ event }: Decision) => event.at } as const
export const reply = (type: 'admission.granted' | 'admission.stale') =>
  ({ type: 'post', params: ({ event }: Decision): Post => ({ to: event.admission, event: { type } }) }) as const
export const grant = (place: Slot) =>
  [
    { type: 'reserveSlot', params: ({ event }: Decision) => ({ taskId: event.taskId, place }) },
    reply('admission.granted'),
  ] as const
export const check = (type: keyof typeof checks) => ({ type, params: ({ event }: Decision) => event }) as const

export const idOf = (address: Address) => parseAddress(address).id

/** A session's actor broke: the tasks that may wait for one of its calls hear that its outcome is unknown. */
export const losses = ({ running }: WorkspaceContext, { address, at }: { address: Address; at: Ms }): Post[] =>
  Object.keys(running).map((taskId) => ({
    to: taskAddress(taskId),
    event: { type: 'session.lost', sessionId: idOf(address), at },
  }))
