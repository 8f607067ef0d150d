import {
  type Address,
  admissionAddress,
  closingAddress,
  parseAddress,
  serviceAddress,
  taskAddress,
  workspaceAddress,
} from '../machines/addresses.ts'
import type { ClosingContext } from '../machines/closing.ts'
import type { Ending, Ms, TaskRecord } from '../machines/records.ts'
import { crashEnding, type TaskInput } from '../machines/task-context.ts'
import { workspaceMachine } from '../machines/workspace.ts'
import type { WorkspaceContext } from '../machines/workspace-checks.ts'
import { ensureSession, follows } from './session.ts'
import type { World } from './world.ts'

/** A workspace alive: it starts and restarts what it supervises. */
export const workspaceActor = (world: World) =>
  workspaceMachine.provide({
    actions: {
      post: (_, { to, event }) => void world.registry.post(to, event),
      postAll: (_, posts) => {
        for (const { to, event } of posts) world.registry.post(to, event)
      },
      startAdmission: ({ context }, { admissionId }) => {
        const pending = world.starts.get(admissionId)
        if (!pending) return
        world.registry.start(admissionAddress(admissionId), world.logic.admission, {
          input: {
            admissionId,
            workspaceId: context.workspaceId,
            taskId: pending.taskId,
            sessionId: pending.start.request.browserSessionId,
            door: pending.start.door,
          },
          supervisor: workspaceAddress(context.workspaceId),
        })
      },
      startTask: (_, { taskId }) => {
        const record = world.granted.get(taskId)
        world.granted.delete(taskId)
        if (!record) return
        world.conversations.begin(record)
        beginTask(world, record)
      },
      startClosing: ({ context }, { ending, billed }) => startClosing(world, context.workspaceId, ending, billed),
      hangUp: (_, { address }) => world.ports.outbox.close(parseAddress(address).id, null, 1011, 'Internal error'),
      restart: ({ context }, failed) => restart(world, context.workspaceId, failed.address, failed.context),
    },
  })

/** The workspace's actor is there: started when it is not, with the stamps of its window. */
export function ensureWorkspace(world: World, workspaceId: string, stamps: readonly Ms[] = []): void {
  const address = workspaceAddress(workspaceId)
  if (world.registry.has(address)) return
  world.registry.start(address, world.logic.workspace, {
    input: { workspaceId, stamps },
    supervisor: serviceAddress,
    kept: true,
  })
}

export const taskInput = (record: TaskRecord, verify: boolean): TaskInput => ({
  verify,
  taskId: record.id,
  workspaceId: record.workspaceId,
  sessionId: record.browserSessionId,
  requestId: record.requestId,
  deadlineAt: record.deadlineAt,
})

/**
 * A task whose record is kept begins: its first thought, and the word to the browser that follows it. After a restart
 * its journal is looked at all the same: its first reply may be there although its row says that it has not begun.
 */
export function beginTask(world: World, record: TaskRecord): void {
  ensureSession(world, record.workspaceId, record.browserSessionId)
  if (follows(world, record.browserSessionId, record.requestId)) {
    world.ports.outbox.send(record.browserSessionId, {
      type: 'task_started',
      ...(record.requestId === null ? {} : { requestId: record.requestId }),
      taskId: record.id,
      task: record.task,
    })
  }
  world.registry.start(taskAddress(record.id), world.logic.task, {
    input: taskInput(record, world.verify),
    supervisor: workspaceAddress(record.workspaceId),
    kept: true,
  })
  world.keeper.mark(taskAddress(record.id))
}

/** The one way a task ends. A second ending of the same task finds the first at work and is dropped. */
export function startClosing(world: World, workspaceId: string, ending: Ending, billed: boolean): void {
  const address = closingAddress(ending.taskId)
  if (world.registry.has(address)) return
  world.registry.start(address, world.logic.closing, {
    input: { ending, workspaceId, billed },
    supervisor: workspaceAddress(workspaceId),
    kept: true,
  })
  world.keeper.mark(address)
  // Whatever the task left: the ending is what is kept of it from now on.
  world.keeper.forget(taskAddress(ending.taskId))
}

/** A session begins anew without a socket. A closing begins anew from its start. */
function restart(world: World, workspaceId: string, address: Address, context: unknown): void {
  const { noun, id } = parseAddress(address)
  if (noun === 'session') ensureSession(world, workspaceId, id)
  else if (noun === 'closing' && context) {
    const { ending, billed } = context as ClosingContext
    startClosing(world, workspaceId, ending, billed)
  }
}

/**
 * A workspace broke, and goes on with what it knew. What was on its way to it meanwhile is lost: starts that wait for
 * its word ask again, a start that was granted begins, and a task that nobody runs any more is ended.
 */
export function reopenWorkspace(
  world: World,
  workspaceId: string,
  { context, message, at, gaveUp }: { context: unknown; message: string; at: Ms; gaveUp: boolean },
): void {
  const { registry, keeper } = world
  const address = workspaceAddress(workspaceId)
  if (registry.has(address)) return
  const { stamps = [], running = {}, released = 0 } = (context ?? {}) as Partial<WorkspaceContext>
  const input = { workspaceId, stamps, running, released, gaveUp }
  registry.start(address, world.logic.workspace, { input, supervisor: serviceAddress, kept: true })
  keeper.mark(address)
  const deciding = new Set<string>()
  for (const [admissionId, { taskId }] of world.starts) {
    if (registry.post(admissionAddress(admissionId), { type: 'admission.stale' })) deciding.add(taskId)
  }
  for (const taskId of Object.keys(running)) {
    if (registry.has(taskAddress(taskId)) || registry.has(closingAddress(taskId))) continue
    if (world.granted.has(taskId)) registry.post(address, { type: 'task.begin', taskId })
    else if (!deciding.has(taskId)) {
      registry.post(address, { type: 'task.orphaned', ending: crashEnding(taskId, message, null, at), billed: false })
    }
  }
}
