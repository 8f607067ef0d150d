import type { Clock } from '../../../actors/runtime/ports.ts'
import type { TaskService, TaskView } from '../../../actors/task-service.ts'
import { EVENTS_READ_MAX } from '../limits.ts'

type Reads = Pick<TaskService, 'task' | 'events'>

/** [V9] Whether a task has ended, or needs input for which it asked after the event `since`. */
export async function isSettled(
  { events }: Reads,
  { id, status, state }: Pick<TaskView, 'id' | 'status' | 'state'>,
  since: number,
): Promise<boolean> {
  if (status !== 'running') return true
  if (state !== 'waitingForInput') return false
  if (since === 0) return true
  for (let after = since; ; ) {
    const records = await events.ofTask(id, after, EVENTS_READ_MAX)
    if (records.some(({ event }) => event.type === 'input.requested')) return true
    if (records.length < EVENTS_READ_MAX) return false
    after = records.at(-1)?.seq ?? after
  }
}

export interface Wait {
  readonly ms: number
  /** The number of the last event that the client knows. */
  readonly since: number
  readonly signal: AbortSignal
}

/** [V9] Resolves when the task is settled, after `ms`, or when its client gives up. */
export async function whenSettled(
  reads: Reads,
  clock: Clock,
  { workspaceId, id }: Pick<TaskView, 'workspaceId' | 'id'>,
  { ms, since, signal }: Wait,
): Promise<void> {
  let settle = () => {}
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })
  const timer = clock.setTimeout(settle, ms)
  const look = async () => {
    const now = await reads.task(workspaceId, id)
    if (!now || (await isSettled(reads, now, since))) settle()
  }
  const unwatch = reads.events.watch(id, (event) => {
    if (event === null) look().catch(() => {})
    else if (event.type === 'task.ended' || (event.type === 'input.requested' && event.seq > since)) settle()
  })
  signal.addEventListener('abort', settle)
  if (signal.aborted) settle()
  try {
    // It may have ended before it was watched.
    await look()
    await settled
  } finally {
    unwatch()
    signal.removeEventListener('abort', settle)
    clock.clearTimeout(timer)
  }
}
