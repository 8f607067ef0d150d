import type { AuditRef } from '../../machines/audit-records.ts'
import type { SessionRecord, TaskRecord } from '../../machines/records.ts'
import type { FileAbout } from '../files.ts'
import { actorCalls } from '../inspection/elsewhere.ts'
import type { Inspection } from '../inspection/inspection.ts'
import type { ConnectedSocket, StartAnswer, StartTask, TaskService } from '../task-service.ts'
import type { ShardService } from './shard-service.ts'

/** The owner of a workspace cannot be reached. The request can be sent again, in a moment. */
export class OwnerAway extends Error {
  override readonly name = 'OwnerAway'
  constructor() {
    super('The node that owns this workspace cannot be reached.')
  }
}

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
  async function startNew(start: StartTask, mayExist: boolean): Promise<StartAnswer> {
    const existing =
      mayExist && start.taskId !== undefined ? await taskService.task(start.workspaceId, start.taskId) : null
    // One whose owner was lost between its record and its row was ended, and what a start that failed has left is: nobody
    // has been told that it runs.
    const isEnded = (existing?.endedBy === 'restart' || existing?.endedBy === 'crash') && existing.steps === 0
    if (isEnded || existing?.isLeft) throw new OwnerAway()
    if (existing) return { ok: true, task: existing }
    // Of a pool any browser will do.
    const isThere = start.request.browser?.pool != null && service.running.system.poolSessions.size > 0
    if (!isThere) await service.bound(start.request.browserSessionId)
    return taskService.startTask(start)
  }
  const { pauseTask, sendMessage, answerInput, liveInput, saveProfile } = taskService
  const { task, tasks, removeTask, sessions, removeSession } = taskService
  const { limitsLeft, eventPosition, serveEndpoints, testEndpoint, redeliver } = taskService
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
    cancelTask: async (
      workspaceId: string,
      taskId: string,
      again: boolean,
      by?: AuditRef,
    ): ReturnType<TaskService['cancelTask']> => {
      const answer = await taskService.cancelTask(workspaceId, taskId, by)
      const ended = again && answer === 'not_running' ? await taskService.task(workspaceId, taskId) : null
      return ended?.endedBy === 'cancelled' ? ended : answer
    },
    ...{
      pauseTask,
      sendMessage,
      answerInput,
      liveInput,
      saveProfile,
      task,
      tasks,
      removeTask,
      sessions,
      removeSession,
    },
    ...{ limitsLeft, eventPosition, serveEndpoints, testEndpoint, redeliver },
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
export const NOT_REPEATED: ReadonlySet<CallName> = new Set<CallName>([
  'sendMessage',
  'liveInput',
  'testEndpoint',
  'redeliver',
])
