import {
  type Address,
  admissionAddress,
  closingAddress,
  parseAddress,
  taskAddress,
  workspaceAddress,
} from '../machines/addresses.ts'
import type { ClosingContext } from '../machines/closing.ts'
import type { Ending, TaskRecord } from '../machines/records.ts'
import type { TaskInput } from '../machines/task-context.ts'
import { workspaceMachine } from '../machines/workspace.ts'
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
        if (record) beginTask(world, record)
      },
      startClosing: ({ context }, { ending, billed }) => startClosing(world, context.workspaceId, ending, billed),
      restart: ({ context }, failed) => restart(world, context.workspaceId, failed.address, failed.context),
    },
  })

/** The workspace's actor is there: started when it is not. */
export function ensureWorkspace(world: World, workspaceId: string, snapshot?: unknown): void {
  const address = workspaceAddress(workspaceId)
  if (world.registry.has(address)) return
  world.registry.start(address, world.logic.workspace, {
    input: { workspaceId },
    ...(snapshot === undefined ? {} : { snapshot }),
    supervisor: null,
    kept: true,
  })
}

export const taskInput = (record: TaskRecord): TaskInput => ({
  taskId: record.id,
  workspaceId: record.workspaceId,
  sessionId: record.browserSessionId,
  requestId: record.requestId,
  deadlineAt: record.deadlineAt,
})

/** A task whose record is kept begins: its first thought, and the word to the browser that follows it. */
export function beginTask(world: World, record: TaskRecord): void {
  world.conversations.begin(record)
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
    input: taskInput(record),
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
}

/** A session begins anew without a socket: its browser is told to come again. A closing begins anew from its start. */
function restart(world: World, workspaceId: string, address: Address, context: unknown): void {
  const { noun, id } = parseAddress(address)
  if (noun === 'session') {
    world.ports.outbox.close(id, null, 1011, 'Internal error')
    ensureSession(world, workspaceId, id)
  } else if (noun === 'closing') {
    const { ending, billed } = context as ClosingContext
    startClosing(world, workspaceId, ending, billed)
  }
}
