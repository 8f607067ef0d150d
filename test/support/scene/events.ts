import type { Store } from '../../../actors/runtime/ports.ts'
import type { EventRecord } from '../../../machines/task-log.ts'

/** Logs of events in memory. */
export function eventsOf(events: () => readonly EventRecord[]): Store['events'] {
  const of = (taskId: string) =>
    events()
      .filter((each) => each.taskId === taskId)
      .sort((a, b) => a.seq - b.seq)
  return {
    ofTask: async (taskId, after, limit) =>
      of(taskId)
        .filter(({ seq }) => seq > after)
        .slice(0, limit),
    newest: async (taskId, limit) => of(taskId).slice(-limit),
    ofWorkspace: async (workspaceId, after, to, limit) =>
      events()
        .filter((each) => each.workspaceId === workspaceId && each.position > after && each.position <= to)
        .sort((a, b) => a.position - b.position)
        .slice(0, limit),
    lastPosition: async () => Math.max(0, ...events().map(({ position }) => position)),
    expired: async () => 0,
  }
}
