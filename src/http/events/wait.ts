import type { Clock } from '../../../actors/runtime/ports.ts'
import type { TaskService, TaskView } from '../../../actors/task-service.ts'

/** Whether there is something to wait for: the task goes on by itself. */
export const isUnderWay = ({ status, state }: Pick<TaskView, 'status' | 'state'>): boolean =>
  status === 'running' && state !== 'waitingForInput'

/** [V9] Resolves when the task has ended or needs input, or after `ms`. */
export async function whenSettled(
  { task, events }: Pick<TaskService, 'task' | 'events'>,
  clock: Clock,
  { workspaceId, id }: Pick<TaskView, 'workspaceId' | 'id'>,
  ms: number,
): Promise<void> {
  let settle = () => {}
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })
  const timer = clock.setTimeout(settle, ms)
  const look = async () => {
    const now = await task(workspaceId, id)
    if (!now || !isUnderWay(now)) settle()
  }
  const unwatch = events.watch(id, (event) => {
    if (event === null) look().catch(() => {})
    else if (event.type === 'task.ended' || event.type === 'input.requested') settle()
  })
  try {
    // It may have ended before it was watched.
    await look()
    await settled
  } finally {
    unwatch()
    clock.clearTimeout(timer)
  }
}
