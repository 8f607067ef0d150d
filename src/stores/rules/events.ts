import type { Store } from '../../../actors/runtime/ports.ts'
import type { EventRecord } from '../../../machines/task-log.ts'
import { EVENTS_PER_TASK_MAX } from '../limits.ts'
import { collected, type Driver, type Transaction } from '../port.ts'
import { EVENTS, EVENTS_EXPIRED, type EventKept, POSITIONS } from '../tables.ts'

/** Keeps events, removes those that are too many, and notes how far the positions have come: once for a commit. */
export async function appendEvents(
  tx: Transaction,
  records: readonly EventRecord[],
  shard: number | null,
): Promise<void> {
  for (const { taskId, workspaceId, seq, position, event } of records) {
    tx.add(EVENTS, { taskId, seq, workspaceId, position, record: event })
    const surplus = seq > EVENTS_PER_TASK_MAX ? await tx.get(EVENTS, taskId, seq - EVENTS_PER_TASK_MAX) : null
    if (!surplus) continue
    tx.remove(EVENTS, taskId, surplus.seq)
    await expireTo(tx, workspaceId, surplus.position)
  }
  const position = Math.max(0, ...records.map((record) => record.position))
  if (position > 0) tx.put(POSITIONS, { by: shard === null ? 'store' : `shard ${shard}`, position })
}

/** Removes the events of a task; resolves to the greatest of their positions, 0 if there are none. */
export async function removeEvents(driver: Driver, tx: Transaction, taskId: string): Promise<number> {
  let last = 0
  for await (const { seq, position } of driver.range(EVENTS, null, { of: [taskId] })) {
    tx.remove(EVENTS, taskId, seq)
    last = position
  }
  return last
}

/** A workspace has lost what it had up to here to its age. */
export async function expireTo(tx: Transaction, workspaceId: string, position: number): Promise<void> {
  const kept = await tx.get(EVENTS_EXPIRED, workspaceId)
  if (position > (kept?.position ?? 0)) tx.put(EVENTS_EXPIRED, { workspaceId, position })
}

/** The logs of events. */
export const eventsOf = (driver: Driver): Store['events'] => ({
  async ofTask(taskId, after, limit) {
    return (await collected(driver.range(EVENTS, null, { of: [taskId], after: [after], limit }))).map(recordOf)
  },
  async newest(taskId, limit) {
    return (await collected(driver.range(EVENTS, null, { of: [taskId], down: true, limit }))).map(recordOf).reverse()
  },
  async ofWorkspace(workspaceId, after, to, limit) {
    const range = { of: [workspaceId], from: after + 1, to: to + 1, limit }
    return (await collected(driver.range(EVENTS, 'by-position', range))).map(recordOf)
  },
  async lastPosition() {
    let last = 0
    for await (const { position } of driver.range(POSITIONS, null)) last = Math.max(last, position)
    return last
  },
  expired: async (workspaceId) => (await driver.get(EVENTS_EXPIRED, workspaceId))?.position ?? 0,
})

const recordOf = ({ taskId, workspaceId, seq, position, record }: EventKept): EventRecord => ({
  taskId,
  workspaceId,
  seq,
  position,
  event: record,
})
