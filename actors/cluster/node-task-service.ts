import { shardOf } from '../../machines/placement.ts'
import type { TaskRecord } from '../../machines/records.ts'
import { HEALTH_REASONS } from '../../machines/texts.ts'
import { uuidAt } from '../../machines/uuid.ts'
import { readAllowance } from '../allowance.ts'
import { payingKey } from '../api-key-id.ts'
import type { EventReader } from '../events/event-reader.ts'
import { createFiles, type Files } from '../files.ts'
import type { ActorSystem } from '../runtime/actor-system.ts'
import type { TaskService, TaskView } from '../task-service.ts'
import { storedViews } from '../views.ts'
import type { Sockets } from './browser-sockets.ts'
import type { ClusterNode } from './node.ts'
import type { Router } from './router.ts'
import type { EventNotices } from './viewer-notices.ts'

/**
 * [M3] The task service of a node among several: what has ended is read from the store, what runs is asked of the owner of
 * its workspace.
 */
export function createNodeTaskService(
  node: ClusterNode,
  router: Router,
  sockets: Sockets,
  notices: EventNotices,
): TaskService {
  const { ports } = node
  const { store, clock, ids } = ports
  const closed = (record: TaskRecord): TaskView => ({ ...record, state: 'closed' })
  const task: TaskService['task'] = async (workspaceId, taskId) => {
    const askOwner = () => router.callOwner(workspaceId, 'task', () => [workspaceId, taskId])
    if (node.service(shardOf(workspaceId))?.isOpen) return askOwner()
    const record = await store.tasks.get(taskId)
    if (record?.workspaceId !== workspaceId) return null
    return record.status === 'running' ? askOwner() : closed(record)
  }

  return {
    startTask: (start) => {
      const named = { ...start, taskId: start.taskId ?? uuidAt(clock.now(), ids.uuid()) }
      // [E23] Under an id from outside another node may have started it: this one may have been stopped meanwhile.
      return router.callOwner(start.workspaceId, 'startTask', (again) => [named, again || start.taskId !== undefined])
    },
    cancelTask: (workspaceId, taskId, by) =>
      router.callOwner(workspaceId, 'cancelTask', (again) => [workspaceId, taskId, again, by]),
    pauseTask: (workspaceId, ...rest) => router.callOwner(workspaceId, 'pauseTask', () => [workspaceId, ...rest]),
    sendMessage: (workspaceId, ...rest) => router.callOwner(workspaceId, 'sendMessage', () => [workspaceId, ...rest]),
    answerInput: (workspaceId, ...rest) => router.callOwner(workspaceId, 'answerInput', () => [workspaceId, ...rest]),
    removeTask: (workspaceId, taskId) => router.callOwner(workspaceId, 'removeTask', () => [workspaceId, taskId]),
    sessions: (workspaceId, keyId) => router.callOwner(workspaceId, 'sessions', () => [workspaceId, keyId]),
    removeSession: (workspaceId, ...rest) =>
      router.callOwner(workspaceId, 'removeSession', () => [workspaceId, ...rest]),
    liveInput: (workspaceId, ...rest) => router.callOwner(workspaceId, 'liveInput', () => [workspaceId, ...rest]),
    saveProfile: (workspaceId, ...rest) => router.callOwner(workspaceId, 'saveProfile', () => [workspaceId, ...rest]),
    limitsLeft: (workspaceId) => router.callOwner(workspaceId, 'limitsLeft', () => [workspaceId]),
    eventPosition: (workspaceId) => router.callOwner(workspaceId, 'eventPosition', () => [workspaceId]),
    serveEndpoints: (workspaceId) => router.callOwner(workspaceId, 'serveEndpoints', () => [workspaceId]),
    testEndpoint: (endpoint) => router.callOwner(endpoint.workspaceId, 'testEndpoint', () => [endpoint]),
    redeliver: (delivery) => router.callOwner(delivery.workspaceId, 'redeliver', () => [delivery]),

    task,
    async tasks(page) {
      const records = await store.tasks.list(page)
      if (records.every(({ status }) => status !== 'running')) return records.map(closed)
      return router.callOwner(page.workspaceId, 'tasks', () => [page])
    },
    ...storedViews(ports),
    events: readerOf(node, router, notices),

    ...filesOf(node, router),

    allowance: (workspaceId) => readAllowance(ports, workspaceId, 'http'),
    payingKey: (workspaceId) => payingKey({ ports }, workspaceId),
    askModel: (request, signal) => node.models.complete(request, signal),
    counts: () => {
      const all = [...node.services()].map(({ running }) => running.taskService.counts())
      const sum = (name: 'activeTasks' | 'pendingToolCalls') => all.reduce((total, counts) => total + counts[name], 0)
      return { activeTasks: sum('activeTasks'), pendingToolCalls: sum('pendingToolCalls') }
    },
    health() {
      if (node.leaving) return { ok: false, reason: HEALTH_REASONS.stopping }
      if (node.isCutOff) return { ok: false, reason: HEALTH_REASONS.alone }
      for (const { running, isOpen } of node.services()) {
        const health = running.taskService.health()
        if (isOpen && !health.ok) return health
      }
      // No other node could do more.
      const unowned = node.unownedShards
      return { ok: true, reason: unowned > 0 ? HEALTH_REASONS.unowned(unowned) : null }
    },

    browserConnected: (record, socket) => sockets.connected(record, socket),
    browserDisconnected: (sessionId, socketId) => sockets.disconnected(sessionId, socketId),
    toolResult: (sessionId, result) => sockets.result(sessionId, result),
    picture: (sessionId, picture) => sockets.picture(sessionId, picture),
    pendingCalls: (sessionId) => sockets.pendingCalls(sessionId),
    heard: (sessionId, at) => sockets.heard(sessionId, at),
  }
}

/** [X6] Only the owner of a task knows its secrets, so what a page names a file is not kept here: its ending alone is. */
const nameless = (name: string): string => `download${/\.[a-z]{2,4}$/i.exec(name)?.[0] ?? ''}`

/** Any node writes files into the store; that one was downloaded is logged by the owner of its task. */
function filesOf({ ports }: ClusterNode, router: Router): Files {
  const noLog = { append: () => {} } as unknown as ActorSystem['events']
  const files = createFiles({ ports, events: noLog, snapshotWriter: { barrier: async () => {} } })
  return {
    ...files,
    async keepDownload(task, id, about, bytes) {
      const loggedAbout = task.secrets?.length ? { ...about, name: nameless(about.name) } : about
      const kept = await files.keepDownload(task, id, loggedAbout, bytes)
      if (typeof kept === 'string') return kept
      return router.callOwner(task.workspaceId, 'keepDownload', () => [task, id, loggedAbout])
    },
  }
}

/** [M6] Logs are read by their owners, who know how far they are kept; viewers hear of them by notices. */
function readerOf(node: ClusterNode, router: Router, notices: EventNotices): EventReader {
  const { store } = node.ports
  /** The workspaces of tasks that were read lately: they never change. */
  const workspaces = new Map<string, string>()
  const workspaceOf = async (taskId: string): Promise<string> => {
    const workspaceId = workspaces.get(taskId) ?? (await store.tasks.get(taskId))?.workspaceId ?? ''
    if (workspaces.size >= WORKSPACES_CACHED_MAX) workspaces.clear()
    if (workspaceId !== '') workspaces.set(taskId, workspaceId)
    return workspaceId
  }
  /** The number of the event that ended a task; `null` while there is none. An ended task is read without its owner. */
  const endOf = async (taskId: string): Promise<number | null> => {
    const [newest] = await store.events.newest(taskId, 1)
    return newest?.event.type === 'task.ended' ? newest.seq : null
  }
  return {
    ofTask: async (taskId, after, limit) =>
      router.callOwner(await workspaceOf(taskId), 'eventsOfTask', () => [taskId, after, limit]),
    lastOfTask: async (taskId) =>
      (await endOf(taskId)) ?? router.callOwner(await workspaceOf(taskId), 'lastOfTask', () => [taskId]),
    isRunning: async (taskId) =>
      (await endOf(taskId)) === null && router.callOwner(await workspaceOf(taskId), 'isRunning', () => [taskId]),
    ofWorkspace: (workspaceId, after, limit) =>
      router.callOwner(workspaceId, 'eventsOfWorkspace', () => [workspaceId, after, limit]),
    lastPosition: (workspaceId) => router.callOwner(workspaceId, 'eventPosition', () => [workspaceId]),
    expired: (workspaceId) => store.events.expired(workspaceId),
    watch: (taskId, viewer) => notices.watch(taskId, workspaceOf.bind(null, taskId), () => viewer(null)),
    hear: (taskId, listener) => notices.hear(taskId, () => workspaceOf(taskId), listener),
    viewers: (taskId) => notices.viewers(taskId),
    follow: (workspaceId, follower) => notices.watch(workspaceId, async () => workspaceId, follower),
    followers: (workspaceId) => notices.viewers(workspaceId),
  }
}

const WORKSPACES_CACHED_MAX = 10_000
