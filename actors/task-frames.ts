import type { Ending, TaskRecord } from '../machines/records.ts'
import type { TaskContext } from '../machines/task-types.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { ensureSession, sessionContext } from './session.ts'

/** [R33] Frames about a task are sent to a browser that started it from its panel, and to every protocol 2 browser. */
export const receivesTaskFrames = (system: ActorSystem, sessionId: string, requestId: string | null): boolean =>
  requestId !== null || sessionContext(system, sessionId)?.socket?.protocol === 2

/** [R30, R33] Sends `task_started` to the browser, if it receives frames about the task. */
export function announceStart(system: ActorSystem, record: TaskRecord): void {
  ensureSession(system, record.workspaceId, record.browserSessionId)
  if (!receivesTaskFrames(system, record.browserSessionId, record.requestId)) return
  system.ports.outbox.send(record.browserSessionId, {
    type: 'task_started',
    ...(record.requestId === null ? {} : { requestId: record.requestId }),
    taskId: record.id,
    task: record.task,
  })
}

/** [R31] Tells a browser that follows the task of a step. */
export function sendUpdate(
  system: ActorSystem,
  context: TaskContext,
  tool: string,
  input: unknown,
  status: string,
): void {
  const { taskId, sessionId, requestId, step } = context
  if (!receivesTaskFrames(system, sessionId, requestId)) return
  system.ports.outbox.send(sessionId, {
    type: 'task_update',
    ...(requestId === null ? {} : { requestId }),
    taskId,
    step: { tool, input, status },
    steps: step,
  })
}

/** [R32, R33] The task's last frame to its browser. */
export function notifyBrowser(
  system: ActorSystem,
  { id, browserSessionId, requestId }: TaskRecord,
  ending: Ending,
): void {
  const request = requestId === null ? {} : { requestId }
  if (ending.endedBy === 'crash' && receivesTaskFrames(system, browserSessionId, requestId)) {
    system.ports.outbox.send(browserSessionId, { type: 'task_error', ...request, taskId: id, error: ending.answer })
    return
  }
  const { answer, status } = ending
  const result = { answer, status, ...resultOf(ending) }
  system.ports.outbox.send(browserSessionId, { type: 'task_complete', ...request, taskId: id, ...result })
}

/** [L33] What an ending reports beside its answer. */
export const resultOf = ({ status, output }: Ending) => ({
  success: status === 'complete',
  output: output ? (JSON.parse(output) as Record<string, unknown>) : null,
})
