import type { EventRecord } from '../../../machines/task-log.ts'

/** Replaces the one with its number. */
export function putEvent(events: EventRecord[], record: EventRecord): void {
  const at = events.findIndex(({ taskId, seq }) => taskId === record.taskId && seq === record.seq)
  if (at === -1) events.push(record)
  else events[at] = record
}
