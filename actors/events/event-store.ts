import type { EventRecord } from '../../machines/task-log.ts'

/**
 * [V1] What clients read of the logs. Of a task at most EVENTS_PER_TASK_MAX are kept for them, the newest; all of them are
 * retired with it.
 */
export interface EventStore {
  /** Those of a task with a greater `seq`, in its order. */
  ofTask(taskId: string, after: number, limit: number): Promise<EventRecord[]>
  /** The last ones of a task, in the order of `seq`. */
  newest(taskId: string, limit: number): Promise<EventRecord[]>
  /** Those of a workspace with a position after `after` and up to `to`, in the order of their positions. */
  ofWorkspace(workspaceId: string, after: number, to: number, limit: number): Promise<EventRecord[]>
  /** None that was ever kept is greater; 0 before the first. */
  lastPosition(): Promise<number>
  /** The greatest position of the workspace that was removed because of its age or number; 0 when none was. */
  expired(workspaceId: string): Promise<number>
}
