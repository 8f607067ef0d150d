import { randomUUID } from 'node:crypto'
import { EventLog } from '../../actors/events/event-log.ts'
import { eventReader } from '../../actors/events/event-reader.ts'
import { createFiles } from '../../actors/files.ts'
import type { FileStore } from '../../actors/runtime/ports.ts'
import type { Append } from '../../actors/runtime/snapshot-writer.ts'
import type {
  Health,
  SessionView,
  StartAnswer,
  StartTask,
  TaskService,
  TaskView,
  Turn,
} from '../../actors/task-service.ts'
import type { Allowance, StepRecord } from '../../machines/records.ts'
import { type EventRecord, eventsIn, type NewLogEvent } from '../../machines/task-log.ts'
import { REFUSALS, type RefusalCode } from '../../machines/texts.ts'
import { fulfils } from '../../src/stores/rules/tasks.ts'
import { fileMemory } from './file-memory.ts'
import { eventsOf } from './scene/events.ts'
import { putEvent } from './scene/put-event.ts'
import { aTask } from './stores.ts'

/** A task service whose tasks and sessions a test lays out itself. It keeps the promises of `TaskService`, and nothing happens on its own. */
export interface FakeTaskService extends TaskService {
  readonly started: StartTask[]
  readonly tasksById: Map<string, TaskView>
  readonly sessionsById: Map<string, SessionView>
  readonly stepsOf: Map<string, StepRecord[]>
  readonly turnsOf: Map<string, Turn[]>
  /** All files that are kept. */
  readonly files: FileStore
  /** How often turns were read. */
  turnsRead: number
  /** By `<task>/<step>`. */
  readonly images: Map<string, Uint8Array>
  /** What the next starts are answered with; a granted one when it is empty. */
  readonly refusals: { code: RefusalCode; allowance?: Allowance; retryAfterSeconds?: number }[]
  left: Allowance
  numbers: { activeTasks: number; pendingToolCalls: number }
  healthNow: Health
  /** What is appended to it is kept at once. */
  readonly log: EventLog
  /** Keeps what a commit of its own would keep. */
  keep(append: Append): void
  /** Ends a task with its last event. */
  end(taskId: string, event: NewLogEvent): void
  removeEvents(which: (record: EventRecord) => boolean): void
  /** Thrown by every method from now on. */
  broken: Error | null
}

export function createFakeTaskService(now: () => number): FakeTaskService {
  const kept: EventRecord[] = []
  const unused = () => {
    throw new Error('not asked over HTTP')
  }
  const working = () => {
    if (taskService.broken) throw taskService.broken
  }
  const ownTask = (workspaceId: string, id: string): TaskView | null => {
    working()
    const task = taskService.tasksById.get(id)
    return task?.workspaceId === workspaceId ? task : null
  }
  const logged = { events: eventsOf(() => kept) }
  const keep = (append: Append) => {
    const write = append.write()
    if (write.kind === 'log.append') for (const record of eventsIn(write.record)) putEvent(kept, record)
    append.settled(true)
  }
  const log = new EventLog({ store: logged, clock: { now } } as never, keep)
  const store = {
    files: fileMemory((id) => taskService.tasksById.has(id)),
    tasks: { get: async (id: string) => taskService.tasksById.get(id) ?? null },
    events: logged.events,
  }
  const taskService: FakeTaskService = {
    started: [],
    tasksById: new Map(),
    sessionsById: new Map(),
    stepsOf: new Map(),
    turnsOf: new Map(),
    turnsRead: 0,
    files: store.files,
    images: new Map(),
    refusals: [],
    left: { freeRemaining: null, creditBalance: 0 },
    numbers: { activeTasks: 0, pendingToolCalls: 0 },
    healthNow: { ok: true, reason: null },
    broken: null,

    async startTask(start): Promise<StartAnswer> {
      working()
      taskService.started.push(start)
      const refusal = taskService.refusals.shift()
      if (refusal) {
        const { code, allowance = null, retryAfterSeconds = null } = refusal
        return { ok: false, refusal: { code, message: REFUSALS[code], allowance, retryAfterSeconds } }
      }
      const { workspaceId, apiKeyId, request } = start
      const task = aTask({
        id: start.taskId ?? randomUUID(),
        workspaceId,
        apiKeyId: apiKeyId ?? workspaceId,
        ...request,
        createdAt: now(),
      })
      const view = { ...task, state: 'thinking' }
      taskService.tasksById.set(task.id, view)
      return { ok: true, task: view }
    },
    sendMessage: unused,
    liveInput: unused,
    saveProfile: unused,
    answerInput: unused,
    ...createFiles({
      ports: { store, clock: { now }, ids: { uuid: randomUUID }, log: { info() {} } },
      events: log,
      snapshotWriter: { barrier: async () => {} },
    } as never),
    testEndpoint: unused,
    redeliver: unused,
    eventPosition: async () => 0,
    async serveEndpoints() {},
    limitsLeft: async () => ({ starts: 9, resetMs: 60_000, slots: 4, startsPerMinute: 10, runningTasks: 5 }),
    payingKey: async (workspaceId) => workspaceId,
    async cancelTask(workspaceId, id) {
      const task = ownTask(workspaceId, id)
      if (task === null) return 'not_found'
      if (task.status !== 'running') return 'not_running'
      const ended: TaskView = {
        ...task,
        status: 'error',
        answer: 'Task was cancelled.',
        failure: 'aborted',
        endedBy: 'cancelled',
        completedAt: now(),
        state: 'closed',
      }
      taskService.tasksById.set(id, ended)
      return ended
    },
    async removeTask(workspaceId, id) {
      const task = ownTask(workspaceId, id)
      if (task === null) return 'not_found'
      if (task.status === 'running') return 'running'
      taskService.tasksById.delete(id)
      return 'removed'
    },
    task: async (workspaceId, id) => ownTask(workspaceId, id),
    async tasks({ workspaceId, status, browserSessionId, after, limit, filter }) {
      working()
      return [...taskService.tasksById.values()]
        .filter((task) => task.workspaceId === workspaceId)
        .filter((task) => status === null || task.status === status)
        .filter((task) => browserSessionId === null || task.browserSessionId === browserSessionId)
        .filter((task) => fulfils(task, filter))
        .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
        .filter(
          (task) =>
            after === null ||
            task.createdAt < after.createdAt ||
            (task.createdAt === after.createdAt && task.id < after.id),
        )
        .slice(0, limit)
    },
    health: () => taskService.healthNow,
    models: () => ['claude-sonnet-5-5', 'gpt-5', 'unpriced'],
    async grounding() {
      return null
    },
    async turns(id) {
      working()
      taskService.turnsRead++
      return taskService.turnsOf.get(id) ?? []
    },
    steps: async (workspaceId, id) => (ownTask(workspaceId, id) ? (taskService.stepsOf.get(id) ?? []) : null),
    screenshot: async (workspaceId, id, step) =>
      ownTask(workspaceId, id) ? (taskService.images.get(`${id}/${step}`) ?? null) : null,
    async sessions(workspaceId, keyId) {
      working()
      return [...taskService.sessionsById.values()].filter(
        (session) => session.workspaceId === workspaceId && (keyId === null || session.keyId === keyId),
      )
    },
    async removeSession(workspaceId, keyId, id) {
      working()
      const session = taskService.sessionsById.get(id)
      const own = session?.workspaceId === workspaceId && (keyId === null || session.keyId === keyId)
      return own && taskService.sessionsById.delete(id)
    },
    async allowance() {
      working()
      return taskService.left
    },
    events: eventReader(log, logged),
    log,
    keep,
    end(taskId, event) {
      const task = taskService.tasksById.get(taskId)
      if (task) taskService.tasksById.set(taskId, { ...task, status: 'complete', completedAt: now(), state: 'closed' })
      const append = log.prepare(taskId, event)
      if (append) keep(append)
      log.forget(taskId)
    },
    removeEvents(which) {
      for (const record of kept.filter(which)) kept.splice(kept.indexOf(record), 1)
    },
    counts: () => taskService.numbers,
    browserConnected: unused,
    askModel: unused,
    pauseTask: unused,
    browserDisconnected: unused,
    toolResult: unused,
    picture: unused,
    pendingCalls: unused,
    heard: unused,
  }
  return taskService
}
