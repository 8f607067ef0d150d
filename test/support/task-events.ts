import type { JournalCall } from '../../machines/records.ts'
import { taskMachine } from '../../machines/task.ts'
import type { TaskEvent } from '../../machines/task-types.ts'
import { alone } from './machine.ts'

/** A task's machine alone, and the events that move it. */

export const AT = 5_000
export const INPUT = {
  taskId: 't1',
  workspaceId: 'w1',
  sessionId: 's1',
  requestId: null,
  deadlineAt: 1_800_000,
  verify: true,
}

let ids = 0
export const aCall = (fields: Partial<JournalCall> = {}): JournalCall => ({
  requestId: `r${++ids}`,
  tool: 'find',
  input: { query: 'tea' },
  refusal: null,
  ...fields,
})
export const reply = { text: 'I look.', usage: { inputTokens: 10, outputTokens: 2, apiCalls: 1 }, model: 'm', at: AT }
export const called = (...calls: JournalCall[]): TaskEvent => ({ type: 'model.requestedTools', calls, ...reply })
export const answered = (text: string): TaskEvent => ({ type: 'model.answered', ...reply, text })
export const kept = (browserInstanceId: string | null = 'memory'): TaskEvent => ({
  type: 'intent.kept',
  browserInstanceId,
  at: AT,
})
export const outcome = (requestId: string, output: unknown = 'seen'): TaskEvent => ({
  type: 'call.settled',
  requestId,
  outcome: { status: 'done', output, screenshot: null },
  at: AT + 7,
})

export const aTask = (...events: TaskEvent[]) => {
  const it = alone(taskMachine, INPUT)
  it.send(...events)
  return it
}
