import type { SessionRecord, TaskRecord } from '../../machines/records.ts'
import type { FileAbout } from '../files.ts'
import { actorCalls } from '../inspection/elsewhere.ts'
import type { Inspection } from '../inspection/inspection.ts'
import { MOVED_BROWSER_MS_MAX } from '../limits.ts'
import type { ConnectedSocket, StartAnswer, StartTask, TaskService } from '../task-service.ts'
import { OwnerAway } from './owner-away.ts'
import type { ShardService } from './shard-service.ts'

/** Answer to a node that has connected a browser: what the owner of its session knows. */
export interface BoundAnswer {
  readonly epoch: number
  readonly pending: readonly string[]
}

/** What any node may ask of the owner of a shard. Arguments and answers are plain data. */
export function callsOf(service: ShardService, inspection: Inspection | undefined) {
  const { taskService } = service.running
  const { events } = taskService
  const starting = new Map<string, Promise<StartAnswer>>()
  async function startNew(start: StartTask, mayBeKept: boolean): Promise<StartAnswer> {
    const kept =
      mayBeKept && start.taskId !== undefined ? await taskService.task(start.workspaceId, start.taskId) : null
    // One whose owner was lost between its record and its row was ended, and what a start that failed has left is: nobody
    // has been told that it runs.
    const isEnded = (kept?.endedBy === 'restart' || kept?.endedBy === 'crash') && kept.steps === 0
    if (isEnded || kept?.isLeft) throw new OwnerAway()
    if (kept) return { ok: true, task: kept }
    await browserOf(start)
    return taskService.startTask(start)
  }
  /** [M16] In the moment after a move a browser that is connected is on its way to its new owner. */
  async function browserOf({ request: { browserSessionId } }: StartTask): Promise<void> {
    const { clock } = service.running.system.ports
    const left = service.openedAt === null ? 0 : service.openedAt + MOVED_BROWSER_MS_MAX - clock.now()
    if (left <= 0 || service.sockets.has(browserSessionId)) return
    const { connected, giveUp } = service.bound(browserSessionId)
    const timer = clock.setTimeout(giveUp, Math.min(left, MOVED_BROWSER_MS_MAX))
    await connected
    clock.clearTimeout(timer)
  }
  return {
    ...actorCalls(inspection),
    /**
     * `again`: an earlier owner may have started it, or another node with the same Idempotency-Key. [M10] A scheduled job is
     * started by every node under the same id, and is one task.
     */
    startTask(start: StartTask, again: boolean): Promise<StartAnswer> {
      const { taskId = '' } = start
      if (!again && start.door !== 'internal') return startNew(start, false)
      const answer = starting.get(taskId) ?? startNew(start, true).finally(() => starting.delete(taskId))
      starting.set(taskId, answer)
      return answer
    },
    cancelTask: async (workspaceId: string, taskId: string, again: boolean): ReturnType<TaskService['cancelTask']> => {
      const answer = await taskService.cancelTask(workspaceId, taskId)
      const ended = again && answer === 'not_running' ? await taskService.task(workspaceId, taskId) : null
      return ended?.endedBy === 'cancelled' ? ended : answer
    },
    pauseTask: taskService.pauseTask,
    sendMessage: taskService.sendMessage,
    answerInput: taskService.answerInput,
    task: taskService.task,
    tasks: taskService.tasks,
    removeTask: taskService.removeTask,
    sessions: taskService.sessions,
    removeSession: taskService.removeSession,
    limitsLeft: taskService.limitsLeft,
    eventPosition: taskService.eventPosition,
    serveEndpoints: taskService.serveEndpoints,
    testEndpoint: taskService.testEndpoint,
    redeliver: taskService.redeliver,
    eventsOfTask: events.ofTask,
    lastOfTask: events.lastOfTask,
    isRunning: async (taskId: string) => events.isRunning(taskId),
    /** The file itself is in the store already. */
    keepDownload: (task: TaskRecord, id: string, about: FileAbout) =>
      taskService.keepDownload(task, id, about, new Uint8Array()),
    eventsOfWorkspace: events.ofWorkspace,
    browserConnected: async (record: SessionRecord, socket: ConnectedSocket, node: string): Promise<BoundAnswer> => {
      service.bind(record.id, { node, socketId: socket.socketId })
      taskService.browserConnected(record, socket)
      return { epoch: service.owned.epoch, pending: taskService.pendingCalls(record.id) }
    },
  }
}

export type Calls = ReturnType<typeof callsOf>
export type CallName = keyof Calls

/** These do something once more when an owner that was lost has done it: they are not repeated at the next one. */
export const NOT_REPEATED: ReadonlySet<CallName> = new Set<CallName>(['sendMessage', 'testEndpoint', 'redeliver'])
