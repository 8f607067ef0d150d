import type { AnyActorLogic } from 'xstate'
import { type Address, closingAddress, parseAddress, serviceAddress, taskAddress } from '../machines/addresses.ts'
import { startTask } from './admission.ts'
import { readAllowance } from './allowance.ts'
import { payingKey } from './api-key-id.ts'
import { browserConnected, browserDisconnected, sessionRemover } from './browsers.ts'
import { callActor } from './call.ts'
import { closingActor } from './closing.ts'
import { ModelGateway } from './conversation/browser-model-retries.ts'
import { Conversations } from './conversation/conversation.ts'
import { createDeliveries, deliveryActor } from './delivery.ts'
import { EventLog } from './events/event-log.ts'
import { eventReader } from './events/event-reader.ts'
import { recordState } from './events/task-events.ts'
import { createTaskFiles } from './files.ts'
import { startSweeps } from './janitor.ts'
import { HANDOVER_MS_MAX } from './limits.ts'
import { keepPicture } from './pictures.ts'
import { createTaskProfiles } from './profiles.ts'
import type { ActorSystem, Logic } from './runtime/actor-system.ts'
import { endUnreadable } from './runtime/damage.ts'
import { EntryEffects } from './runtime/effects.ts'
import type { Ports } from './runtime/ports.ts'
import { Registry, type Watch } from './runtime/registry.ts'
import { type Later, SnapshotWriter } from './runtime/snapshot-writer.ts'
import { rowSnapshot } from './runtime/task-row.ts'
import { health, recovered, serviceActor } from './service.ts'
import { sessionActor, sessionContext } from './session.ts'
import { readForStart } from './start-facts.ts'
import { taskActor } from './task.ts'
import type { TaskService } from './task-service.ts'
import { takeResult } from './tool-results.ts'
import { createInputs } from './user-inputs.ts'
import { createViews } from './views.ts'
import { createVitals, type Vitals } from './vitals.ts'
import { WebhookCalls, webhooksAnswered } from './webhook-calls.ts'
import { WebhookDispatch } from './webhook-dispatch.ts'
import { workspaceActor } from './workspace.ts'

export interface TaskServiceOptions {
  readonly retentionDays: number
  /** Of the audit log; left out: a year. */
  readonly auditRetentionDays?: number
  /** Whether it sweeps what all workspaces have; true when left out. Of several services over one store one does. */
  readonly sweepsAll?: boolean
  /** [L25] Whether models check their answers before they count; true when left out. */
  readonly verify?: boolean
  /** Sees the actors begin and end. */
  readonly watch?: Watch
  /** What several services in one process share. */
  readonly shared?: Pick<ActorSystem, 'models' | 'vitals'>
  /** Runs its argument in a later turn of the event loop; a simulation passes its own. */
  readonly soon?: (work: () => void) => void
  /** Schedules a function to run after KEEP_MS_MAX. Tests with a manual clock pass their own. */
  readonly later?: Later
}

export interface RunningTaskService {
  readonly taskService: TaskService
  readonly system: ActorSystem
  readonly vitals: Vitals
  /** Begins to restore the saved actors. */
  begin(): void
  /** Begins, and resolves when the saved actors are restored. Rejects if they cannot be read. */
  start(): Promise<void>
  /** Ends every running task as a shutdown does, and waits until that is durable. */
  stop(): Promise<void>
  /** [M7, W9] Waits a moment for webhooks that are being called, writes pending changes, calls `stopping`, and stops. No task ends: all are restored here or elsewhere. */
  handOver(stopping?: () => void): Promise<void>
  /** Stops every actor where it is. No task ends, nothing more is written: the next start restores all. */
  abandon(): void
}

/** Creates the task service over its ports: the actors of one service. */
export function createTaskService(ports: Ports, options: TaskServiceOptions): RunningTaskService {
  const system = createActorSystem(ports, options)
  const { registry, snapshotWriter, vitals } = system
  const taskService = taskServiceOf(system)
  const abandon = () => {
    snapshotWriter.stop()
    stopAll()
  }
  let stopSweeps = () => {}
  const begin = () => {
    registry.start(serviceAddress, system.logic.service, { supervisor: null })
    stopSweeps = startSweeps(system)
  }
  const stopAll = () => {
    stopSweeps()
    registry.stopAll()
    for (const start of system.starts.values()) start.decide?.(null)
  }
  return {
    taskService,
    system,
    vitals,
    begin,
    async start() {
      begin()
      await recovered(system)
    },
    async stop() {
      const stopped = registry.whenDone(serviceAddress)
      registry.post(serviceAddress, { type: 'service.stop', at: ports.clock.now() })
      await stopped
      stopAll()
      snapshotWriter.stop()
    },
    async handOver(stopping = () => {}) {
      await webhooksAnswered(system)
      const late = new Promise<void>((resolve) => void ports.clock.setTimeout(resolve, HANDOVER_MS_MAX))
      await Promise.race([snapshotWriter.barrier(), late]).then(stopping)
      abandon()
    },
    abandon,
  }
}

/** What makes the logic of each process: its machine with its effects. */
const ACTORS = {
  service: serviceActor,
  workspace: workspaceActor,
  session: sessionActor,
  call: callActor,
  task: taskActor,
  closing: closingActor,
  delivery: deliveryActor,
}

/** Making them takes milliseconds, and a shard without work needs only its service: each is made when it is first needed. */
function logicOf(system: ActorSystem): Logic {
  const once = (make: (system: ActorSystem) => AnyActorLogic) => {
    let logic: AnyActorLogic | undefined
    return () => (logic ??= make(system))
  }
  return Object.fromEntries(Object.entries(ACTORS).map(([kind, make]) => [kind, once(make)])) as Logic
}

/** The workspace of an actor that has a row: it is the workspace, or is supervised by it. */
const workspaceOf = (address: Address, supervisor: Address | null): string => {
  const { actorKind, id } = parseAddress(address)
  return actorKind === 'workspace' || supervisor === null ? id : parseAddress(supervisor).id
}

function createActorSystem(ports: Ports, options: TaskServiceOptions): ActorSystem {
  const {
    retentionDays,
    auditRetentionDays,
    sweepsAll = true,
    verify = true,
    watch,
    shared,
    soon = setImmediate,
    later,
  } = options
  const registry = new Registry({
    clock: ports.clock,
    log: ports.log,
    onChange(address, supervisor) {
      snapshotWriter.markDirty(workspaceOf(address, supervisor), address)
      recordState(system, address)
    },
    onGone: (address, supervisor) => snapshotWriter.markDeleted(workspaceOf(address, supervisor), address),
    onRemoved: (address) => entryEffects.end(address),
    ...(watch ? { watch } : {}),
  })
  const entryEffects: EntryEffects = new EntryEffects(registry, (to, event) => void registry.post(to, event))
  const snapshotWriter: SnapshotWriter = new SnapshotWriter({
    store: ports.store,
    clock: ports.clock,
    log: ports.log,
    persisted: (address) => rowSnapshot(address, registry.persisted(address), system.events),
    refused: (addresses) => registry.fail(addresses, new Error('The store refused what it was to keep')),
    soon,
    ...(later ? { later } : {}),
  })
  const system: ActorSystem = {
    ports,
    registry,
    snapshotWriter,
    entryEffects,
    events: new EventLog(ports, (append) => {
      snapshotWriter.add(append)
      // The row of the task has the end of its log.
      const address = taskAddress(append.taskId)
      if (registry.has(address)) snapshotWriter.markDirty(append.workspaceId, address)
    }),
    conversations: new Conversations(ports, {
      written: (workspaceId) => snapshotWriter.barrier(workspaceId),
      endOf: (taskId) => system.events.keptTo(taskId) ?? 0,
      unreadable: (taskId, error) => endUnreadable(system, taskId, error),
    }),
    damaged: new Set(),
    starts: new Map(),
    models: shared?.models ?? new ModelGateway(ports),
    queued: new Set(),
    heard: new Map(),
    tabs: new Map(),
    browserTools: new Map(),
    browserLocales: new Map(),
    poolSessions: new Set(),
    vitals: shared?.vitals ?? createVitals(),
    webhooks: new WebhookDispatch(() => system),
    webhookCalls: new WebhookCalls(),
    ...{ retentionDays, auditRetentionDays, sweepsAll, verify, soon },
    get logic() {
      return logic
    },
  }
  const logic = logicOf(system)
  return system
}

function taskServiceOf(system: ActorSystem): TaskService {
  const { registry, ports } = system
  const { store } = ports

  const views = createViews(system)
  return {
    ...views,
    ...createInputs(system, views.task),
    ...createDeliveries(system),
    ...createTaskFiles(system),
    ...createTaskProfiles(system),
    events: eventReader(system.events, store),
    startTask: (start) => startTask(system, start),
    readForStart: (workspaceId) => readForStart(system, workspaceId),

    async removeTask(workspaceId, taskId) {
      const view = await views.task(workspaceId, taskId)
      if (!view) return 'not_found'
      if (view.status === 'running') return 'running'
      await registry.whenDone(closingAddress(taskId))
      const outcome = await store.tasks.remove(taskId)
      return outcome === 'missing' ? 'not_found' : outcome
    },

    removeSession: sessionRemover(system),
    payingKey: (workspaceId) => payingKey(system, workspaceId),

    health: () => health(system),
    allowance: async (workspaceId) => readAllowance(ports, workspaceId, 'http'),

    browserConnected: (record, socket) => browserConnected(system, record, socket),
    browserDisconnected: (sessionId, socketId) => browserDisconnected(system, sessionId, socketId),

    toolResult: (sessionId, result) => takeResult(system, sessionId, result),
    picture: (sessionId, picture) => keepPicture(system, sessionId, picture),
    pendingCalls: (sessionId) => Object.keys(sessionContext(system, sessionId)?.calls ?? {}),

    askModel: (request, signal) => system.models.complete(request, signal),

    heard: (sessionId, at) => void system.heard.set(sessionId, at),
  }
}
