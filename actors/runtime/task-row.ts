import { type Address, parseAddress } from '../../machines/addresses.ts'
import type { TaskContext } from '../../machines/task-types.ts'
import type { ActorSystem } from './actor-system.ts'

/** A task's snapshot as far as its row needs it. */
interface TaskSnapshot {
  readonly context: TaskContext & { readonly callsInJournal?: number }
}

/**
 * The calls of a reply are in the journal; a row has only the one at hand, and how many are left with it. So a row stays
 * small, however much one reply asks for, and is not written with all of them after each.
 */
export function rowSnapshot(address: Address, snapshot: unknown): unknown {
  if (snapshot === undefined || parseAddress(address).actorKind !== 'task') return snapshot
  const { context } = snapshot as TaskSnapshot
  const [call] = context.calls
  if (!call || context.calls.length === 1) return snapshot
  return { ...(snapshot as object), context: { ...context, calls: [call], callsInJournal: context.calls.length } }
}

/** The snapshot of a row with all calls that are left of the step; `undefined` when the journal does not have them. */
export async function withCalls(system: ActorSystem, snapshot: unknown): Promise<unknown> {
  const { callsInJournal, ...context } = (snapshot as Partial<TaskSnapshot>).context ?? ({} as TaskSnapshot['context'])
  if (callsInJournal === undefined) return snapshot
  const conversation = await system.conversations.of(context.taskId)
  const calls = conversation.replyOf(context.step)?.calls ?? []
  const left = calls.slice(-callsInJournal)
  if (left[0]?.requestId !== context.calls[0]?.requestId) return undefined
  return { ...(snapshot as object), context: { ...context, calls: left } }
}
