import {
  type Address,
  closingAddress,
  deliveryAddress,
  parseAddress,
  serviceAddress,
  taskAddress,
  workspaceAddress,
} from '../machines/addresses.ts'
import type { ClosingContext } from '../machines/closing.ts'
import type { DeliveryInput } from '../machines/delivery.ts'
import { NO_POOLS } from '../machines/pools.ts'
import { NO_QUEUE } from '../machines/queue.ts'
import type { Ending, Ms, TaskRecord } from '../machines/records.ts'
import { crashEnding } from '../machines/task-endings.ts'
import type { TaskInput } from '../machines/task-types.ts'
import { workspaceMachine } from '../machines/workspace.ts'
import type { WorkspaceContext } from '../machines/workspace-types.ts'
import { needPool } from './pools.ts'
import { awaitSave } from './profiles.ts'
import { beginQueued, lookUpQueued, startQueued } from './queue.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { alarm, answering, posting } from './runtime/effects.ts'
import { ensureSession } from './session.ts'
import { announceStart } from './task-frames.ts'

/** Runs a workspace: starts and restarts the actors that it supervises. */
export const workspaceActor = (system: ActorSystem) =>
  workspaceMachine.provide({
    actors: {
      alarm: alarm(system.registry),
      lookUpQueued: answering(system.registry, ({ taskId }) => lookUpQueued(system, taskId)),
    },
    actions: {
      ...posting(system),
      decide: (_, { taskId, decision }) => system.starts.get(taskId)?.decide?.(decision),
      startQueued: (_, { taskId, at, sessionId }) => startQueued(system, taskId, at, sessionId),
      needPool: ({ context }, { pool }) => void needPool(system, context.workspaceId, pool),
      awaitSave: ({ context }, { taskId }) => awaitSave(system, context, taskId),
      startClosing: ({ context }, { ending, billed }) => startClosing(system, context.workspaceId, ending, billed),
      closeBrowserSocket: (_, { address }) =>
        system.ports.outbox.close(parseAddress(address).id, null, 1011, 'Internal error'),
      restart: ({ context }, failed) => restart(system, context.workspaceId, failed.address, failed.context),
    },
  })

/** What a workspace knows after a restart. */
type Known = Partial<Pick<WorkspaceContext, 'startTimes' | 'queue' | 'running' | 'pools'>>

/** Starts the workspace's actor if it is not running. */
export function ensureWorkspace(system: ActorSystem, workspaceId: string, known: Known = {}): void {
  const address = workspaceAddress(workspaceId)
  if (system.registry.has(address)) return
  system.registry.start(address, system.logic.workspace, {
    input: { workspaceId, ...known },
    supervisor: serviceAddress,
    persistent: true,
  })
}

const taskInput = (system: ActorSystem, record: TaskRecord): TaskInput => ({
  verify: system.verify,
  taskId: record.id,
  workspaceId: record.workspaceId,
  sessionId: record.browserSessionId,
  requestId: record.requestId,
  deadlineAt: record.deadlineAt,
  wantsOutput: (record.outputSchema ?? null) !== null,
  queuedUntil: record.queued?.until ?? null,
  ...(record.browserWaitMs === undefined ? {} : { browserWaitMs: record.browserWaitMs }),
  budget: {
    steps: record.maxSteps ?? null,
    tokens: record.maxTokens ?? null,
    costUsd: record.maxCostUsd ?? null,
  },
  // [L47] A browser of protocol 2 answers with the page: its model begins there.
  ...(record.url !== null && system.browserTools.get(record.browserSessionId)
    ? { opens: { url: record.url, at: record.createdAt } }
    : {}),
  pool: record.browser?.pool ?? null,
})

/**
 * Starts a task whose record is durable: in the queue, or with its first model call and a frame to its browser. After a
 * restart its journal is read as well: its first reply may be there although its row says that it has not begun.
 */
export function beginTask(system: ActorSystem, record: TaskRecord): void {
  if (record.queued) beginQueued(system, record, record.queued.until)
  else announceStart(system, record)
  system.registry.start(taskAddress(record.id), system.logic.task, {
    input: taskInput(system, record),
    supervisor: workspaceAddress(record.workspaceId),
    persistent: true,
  })
  system.snapshotWriter.markDirty(record.workspaceId, taskAddress(record.id))
}

/** Starts the closing of a task. A second ending of the same task is dropped while the first is being closed. */
export function startClosing(system: ActorSystem, workspaceId: string, ending: Ending, billed: boolean): void {
  const address = closingAddress(ending.taskId)
  if (system.registry.has(address)) return
  system.events.close(ending.taskId)
  system.queued.delete(ending.taskId)
  system.registry.start(address, system.logic.closing, {
    input: { ending, workspaceId, billed },
    supervisor: workspaceAddress(workspaceId),
    persistent: true,
  })
  system.snapshotWriter.markDirty(workspaceId, address)
  // From now on the row of the closing takes the place of the row of the task.
  system.snapshotWriter.markDeleted(workspaceId, taskAddress(ending.taskId))
}

/** A record says `running`, but no actor runs it: it is ended like any task. */
export function closeOrphan(
  system: ActorSystem,
  record: TaskRecord,
  how: Pick<Ending, 'endedBy' | 'answer' | 'failure'>,
  at: Ms,
): void {
  ensureWorkspace(system, record.workspaceId)
  const ending: Ending = {
    ...how,
    taskId: record.id,
    status: 'error',
    steps: record.steps,
    usage: record.usage,
    model: null,
    completedAt: at,
    ...(record.queued ? { deadlineAt: record.deadlineAt } : {}),
  }
  system.registry.post(workspaceAddress(record.workspaceId), { type: 'task.orphaned', ending, billed: false })
}

/** Starts the delivery of one event to one endpoint, unless it is running already. */
export function startDelivery(system: ActorSystem, { deliveryId, endpointId, workspaceId }: DeliveryInput): void {
  const address = deliveryAddress(deliveryId)
  if (system.registry.has(address)) return
  ensureWorkspace(system, workspaceId)
  system.registry.start(address, system.logic.delivery, {
    input: { deliveryId, endpointId, workspaceId },
    supervisor: workspaceAddress(workspaceId),
    persistent: true,
  })
  system.snapshotWriter.markDirty(workspaceId, address)
}

/** Restarts an actor: a session without a socket, a closing or a delivery from its first state. */
function restart(system: ActorSystem, workspaceId: string, address: Address, context: unknown): void {
  const { actorKind, id } = parseAddress(address)
  if (actorKind === 'session') ensureSession(system, workspaceId, id)
  else if (actorKind === 'delivery' && context) startDelivery(system, context as DeliveryInput)
  else if (actorKind === 'closing' && context) {
    const { ending, billed } = context as ClosingContext
    startClosing(system, workspaceId, ending, billed)
  }
}

/**
 * Restarts a workspace that failed, with its earlier context. Messages to it in the meantime are lost: starts that wait for
 * its decision ask again, and a task without an actor or a start is ended.
 */
export function reopenWorkspace(
  system: ActorSystem,
  workspaceId: string,
  { context, message, at, gaveUp }: { context: unknown; message: string; at: Ms; gaveUp: boolean },
): void {
  const { registry, snapshotWriter } = system
  const address = workspaceAddress(workspaceId)
  if (registry.has(address)) return
  const {
    startTimes = [],
    running = {},
    slotVersion = 0,
    queue = NO_QUEUE,
    pools = NO_POOLS,
  } = (context ?? {}) as Partial<WorkspaceContext>
  const input = { workspaceId, startTimes, running, slotVersion, queue, pools, gaveUp }
  registry.start(address, system.logic.workspace, { input, supervisor: serviceAddress, persistent: true })
  snapshotWriter.markDirty(workspaceId, address)
  for (const start of system.starts.values()) {
    if (start.workspaceId === workspaceId) start.decide?.({ type: 'stale' })
  }
  for (const taskId of Object.keys(running)) {
    if (registry.has(taskAddress(taskId)) || registry.has(closingAddress(taskId)) || system.starts.has(taskId)) continue
    registry.post(address, { type: 'task.orphaned', ending: crashEnding(taskId, message, null, at), billed: false })
  }
}
