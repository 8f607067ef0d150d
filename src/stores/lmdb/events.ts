import type { Store } from '../../../actors/runtime/ports.ts'
import type { EventRecord } from '../../../machines/task-log.ts'
import { EVENTS_PER_TASK_MAX } from '../limits.ts'
import type { Tables } from './tables.ts'

const LAST_POSITION = 'last'
/** Sorts behind every number that is in use. */
const NO_END = Number.MAX_SAFE_INTEGER

/** What keeps an event within a transaction, and removes the one that is too many. @throws Error when it cannot be kept */
export function putEvent(tables: Tables, { taskId, workspaceId, seq, position, event }: EventRecord): () => void {
  const row = Buffer.from(JSON.stringify([position, event]))
  const surplus = seq - EVENTS_PER_TASK_MAX
  const old = surplus > 0 ? tables.events.get([taskId, surplus]) : undefined
  return () => {
    tables.events.putBytes([taskId, seq], row)
    tables.eventsByPosition.put([workspaceId, position], [taskId, seq])
    if (!old) return
    tables.events.remove([taskId, surplus])
    tables.eventsByPosition.remove([workspaceId, old[0]])
    expireTo(tables, workspaceId, old[0])
  }
}

/** Notes the position that a commit has come to: once for all of its events. */
export function putLastPosition(tables: Tables, position: number): void {
  tables.eventsLast.put(LAST_POSITION, position)
}

/** Returns a function that removes the events of a task within a transaction, and returns the highest of their positions (0 if there are none). */
export function removeEvents(tables: Tables, taskId: string, workspaceId: string): number {
  let last = 0
  for (const { key, value } of tables.events.under([taskId])) {
    last = value[0]
    tables.events.remove(key)
    tables.eventsByPosition.remove([workspaceId, value[0]])
  }
  return last
}

/** A workspace has lost what it had up to here to its age. */
export function expireTo(tables: Tables, workspaceId: string, position: number): void {
  if (position > (tables.eventsExpired.get(workspaceId) ?? 0)) tables.eventsExpired.put(workspaceId, position)
}

/** The logs of events. */
export function eventsOf(tables: Tables): Store['events'] {
  const recordOf = (
    taskId: string,
    workspaceId: string,
    [position, event]: readonly [number, EventRecord['event']],
  ) => ({
    taskId,
    workspaceId,
    seq: event.seq,
    position,
    event,
  })
  const workspaceOf = (taskId: string) => tables.tasks.get(taskId)?.workspaceId ?? ''
  return {
    async ofTask(taskId, after, limit) {
      if (limit < 1) return []
      const workspaceId = workspaceOf(taskId)
      const rows = tables.events.range({ from: [taskId, after + 1], to: [taskId, NO_END], limit })
      return rows.map(({ value }) => recordOf(taskId, workspaceId, value))
    },
    async newest(taskId, limit) {
      if (limit < 1) return []
      const rows = tables.events.range({ from: [taskId, NO_END], to: [taskId, 0], down: true, limit })
      const workspaceId = rows.length === 0 ? '' : workspaceOf(taskId)
      return rows.map(({ value }) => recordOf(taskId, workspaceId, value)).reverse()
    },
    async ofWorkspace(workspaceId, after, to, limit) {
      if (limit < 1) return []
      const rows = tables.eventsByPosition.range({ from: [workspaceId, after + 1], to: [workspaceId, to + 1], limit })
      return rows.flatMap(({ value: [taskId, seq] }) => {
        const row = tables.events.get([taskId, seq])
        return row ? [recordOf(taskId, workspaceId, row)] : []
      })
    },
    lastPosition: async () => tables.eventsLast.get(LAST_POSITION) ?? 0,
    expired: async (workspaceId) => tables.eventsExpired.get(workspaceId) ?? 0,
  }
}
