import type { TaskFilter } from '../../actors/runtime/ports.ts'
import type { TaskRecord } from '../../machines/records.ts'

/** [T56] Whether a task fulfils the further conditions of a list. */
export function fulfils(record: TaskRecord, filter: TaskFilter = {}): boolean {
  const { endedBy, createdAfter, createdBefore, metadata, text } = filter
  return (
    (endedBy === undefined || record.endedBy === endedBy) &&
    (createdAfter === undefined || record.createdAt > createdAfter) &&
    (createdBefore === undefined || record.createdAt < createdBefore) &&
    Object.entries(metadata ?? {}).every(([key, value]) => record.metadata?.[key] === value) &&
    (text === undefined || contains(record.task, text) || contains(record.answer ?? '', text))
  )
}

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())
