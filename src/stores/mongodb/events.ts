import type { Store } from '../../../actors/runtime/ports.ts'
import type { EventRecord } from '../../../machines/task-log.ts'
import { EVENTS_PER_TASK_MAX } from '../limits.ts'
import { isDuplicate } from './client.ts'
import type { Collections, EventDoc } from './collections.ts'
import { putUnder, withoutLate } from './entries.ts'
import type { Fence } from './fence.ts'

/** Keeps events under the epoch of a fence, and removes those that are too many. One of a newer epoch is left as it is. */
export async function keepEvents(
  all: Pick<Collections, 'events' | 'eventsExpired'>,
  records: readonly EventRecord[],
  fence: Fence,
) {
  await putUnder(fence, all.events, records.map(docOf))
  for (const { taskId, seq } of records.filter((record) => record.seq > EVENTS_PER_TASK_MAX)) {
    await expire(all, { taskId, seq: { $lte: seq - EVENTS_PER_TASK_MAX } })
  }
}

/** Under this name, of which there is no workspace: the greatest position of what clients deleted. It is not given again. */
export const DELETED = 'deleted'

/** Removes events, and notes for each workspace (or under `name` alone) up to where. */
export async function expire(
  { events, eventsExpired }: Pick<Collections, 'events' | 'eventsExpired'>,
  which: object,
  name?: string,
): Promise<void> {
  const last = { $group: { _id: '$workspaceId', position: { $max: '$position' } } }
  const found = await events.aggregate<{ _id: string; position: number }>([{ $match: which }, last]).toArray()
  for (const { _id: workspaceId, position } of found) {
    const _id = name ?? workspaceId
    // Where a greater one is kept, the filter leaves it out, and the insert meets it.
    const behind = { _id, position: { $not: { $gte: position } } } as never
    await eventsExpired.updateOne(behind, { $set: { position } }, { upsert: true }).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error
    })
  }
  await events.deleteMany(which)
}

const docOf = ({ taskId, workspaceId, seq, position, event }: EventRecord): EventDoc => ({
  _id: `${taskId}:${seq}`,
  taskId,
  workspaceId,
  seq,
  position,
  record: JSON.stringify(event),
})

const recordOf = ({ taskId, workspaceId, seq, position, record }: EventDoc): EventRecord => ({
  taskId,
  workspaceId,
  seq,
  position,
  event: JSON.parse(record),
})

/**
 * More than what a former owner writes too late of a task: it had one commit on its way. They come before what its next
 * owner wrote in the order of positions, and behind it in the task's, and are known by it.
 */
const LATE_EVENTS_MAX = 40

/** As `withoutLate`, of the events of several tasks. */
function withoutLateOfTasks(docs: readonly EventDoc[]): EventDoc[] {
  const byTask = new Map<string, EventDoc[]>()
  for (const doc of docs) {
    const own = byTask.get(doc.taskId)
    if (own) own.push(doc)
    else byTask.set(doc.taskId, [doc])
  }
  const inTime = new Set([...byTask.values()].flatMap((own) => withoutLate(own.sort((a, b) => a.seq - b.seq))))
  return docs.filter((doc) => inTime.has(doc))
}

/** The logs of events. */
export function eventsOf({ events, eventsExpired }: Collections): Store['events'] {
  return {
    async ofTask(taskId, after, limit) {
      if (limit < 1) return []
      // The one before says what is too late behind it.
      const docs = await events
        .find({ taskId, seq: { $gte: after } })
        .sort({ seq: 1 })
        .limit(limit + 1)
        .toArray()
      const found = withoutLate(docs).filter(({ seq }) => seq > after)
      return found.slice(0, limit).map(recordOf)
    },
    async newest(taskId, limit) {
      if (limit < 1) return []
      const docs = await events.find({ taskId }).sort({ seq: -1 }).limit(Math.max(limit, LATE_EVENTS_MAX)).toArray()
      return withoutLate(docs.reverse()).slice(-limit).map(recordOf)
    },
    async ofWorkspace(workspaceId, after, to, limit) {
      if (limit < 1) return []
      const docs = await events
        .find({ workspaceId, position: { $gt: after, $lte: to } })
        .sort({ position: 1 })
        .limit(limit + LATE_EVENTS_MAX)
        .toArray()
      return withoutLateOfTasks(docs).slice(0, limit).map(recordOf)
    },
    async lastPosition() {
      const [last] = await events.find().sort({ position: -1 }).limit(1).toArray()
      const deleted = await eventsExpired.findOne({ _id: DELETED })
      return Math.max(last?.position ?? 0, deleted?.position ?? 0)
    },
    expired: async (workspaceId) => (await eventsExpired.findOne({ _id: workspaceId }))?.position ?? 0,
  }
}
