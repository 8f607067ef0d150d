import { type Address, parseAddress } from '../../machines/addresses.ts'
import type { ActorRow } from '../../machines/records.ts'
import type { TaskContext } from '../../machines/task-types.ts'
import { replyIn } from '../conversation/conversation.ts'
import type { EventLog, LogEnd } from '../events/event-log.ts'
import type { ActorSystem } from './actor-system.ts'
import { StoreDamaged } from './ports.ts'

/** A task's snapshot as far as its row needs it. */
interface TaskSnapshot {
  readonly context: TaskContext & { readonly callsInJournal?: number }
  /** Where the task's event log ended. */
  readonly log?: LogEnd
}

/**
 * The calls of a reply are in the journal; a row has only the one at hand, and how many are left with it. So a row stays
 * small, however much one reply asks for, and is not written with all of them after each.
 */
export function rowSnapshot(address: Address, snapshot: unknown, events: EventLog): unknown {
  const { actorKind, id } = parseAddress(address)
  if (snapshot === undefined || actorKind !== 'task') return snapshot
  const { context } = snapshot as TaskSnapshot
  const [call] = context.calls
  // [L41] One that another call asked for is in no reply.
  const callsInJournal = context.calls.filter(({ parent }) => parent === undefined).length
  const kept = call && context.calls.length > 1 ? { ...context, calls: [call], callsInJournal } : context
  return { ...(snapshot as object), context: kept, log: events.end(id) }
}

/** Where the log of a task ended when its row was written; `undefined`: the row does not say. */
export const logEndOf = (row: ActorRow | undefined): LogEnd | undefined =>
  (row?.snapshot as TaskSnapshot | null | undefined)?.log

/**
 * The snapshot of a row with all calls that are left of the step; `undefined` when the log cannot be read.
 * @throws StoreDamaged when the log does not have them
 */
export async function withCalls(system: ActorSystem, snapshot: unknown): Promise<unknown> {
  const kept = (snapshot as Partial<TaskSnapshot>).context
  if (kept?.callsInJournal === undefined) return snapshot
  const { callsInJournal, ...context } = kept
  const entries = await system.conversations.entriesOf(context)
  if (entries === null) return undefined
  const left = replyIn(entries, context.step)?.calls.slice(-callsInJournal) ?? []
  const [current] = context.calls
  const first = left[0]?.requestId
  if (first === undefined || first !== (current?.parent ?? current?.requestId))
    throw new StoreDamaged('log', context.taskId)
  return { ...(snapshot as object), context: { ...context, calls: current?.parent ? [current, ...left] : left } }
}
