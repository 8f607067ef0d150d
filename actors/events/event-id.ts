import type { LogEvent } from '../../machines/task-log.ts'

/** [V11] The id of an event: the same in every log, page, stream and delivery. */
export const eventIdOf = ({ task_id, seq }: Pick<LogEvent, 'task_id' | 'seq'>): string => `msg_${task_id}_${seq}`
