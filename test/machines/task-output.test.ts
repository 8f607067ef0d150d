import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallOutcome, JournalCall } from '../../machines/records.ts'
import { taskMachine } from '../../machines/task.ts'
import type { TaskEvent } from '../../machines/task-types.ts'
import { alone } from '../support/machine.ts'

const test = suite('task: its output')

const AT = 5_000
const INPUT = { taskId: 't1', workspaceId: 'w1', sessionId: 's1', requestId: null, deadlineAt: 1_800_000 }
const aTask = (kept?: object) => alone(taskMachine, { ...INPUT, verify: true, wantsOutput: true }, kept)
type Task = ReturnType<typeof aTask>

let ids = 0
const said = (text: string) => ({ text, usage: { inputTokens: 1, outputTokens: 1, apiCalls: 1 }, model: 'm', at: AT })
const called = (...calls: JournalCall[]): TaskEvent => ({ type: 'model.requestedTools', calls, ...said('') })
const answered = (text: string, output?: string | null): TaskEvent => ({
  type: 'model.answered',
  ...said(text),
  hasFinish: true,
  ...(output === undefined ? {} : { output }),
})
const finish = (fields: Partial<JournalCall> = {}, input: object = { output: { total: 3 } }): JournalCall => ({
  requestId: `r${++ids}`,
  tool: 'finish',
  input: { success: true, answer: 'It costs 3.', ...input },
  refusal: null,
  ...fields,
})
const wrong = () => finish({ refusal: 'finish: the output does not fit its schema: x.', misfit: true })
const results = (task: Task) => task.did('recordResult').map((params) => (params as { outcome: CallOutcome }).outcome)
const asksForJson = (task: Task) => (task.did('ask').at(-1) as { outputOnly: boolean }).outputOnly
const end = (task: Task) => {
  const { status, endedBy, answer, output, failure } = task.output() ?? {}
  return [status, endedBy, answer, output, failure]
}

test('[L32 L33] what finish gave is the output of the task', () => {
  const task = aTask()
  task.send(called(finish()))
  assert.equal(end(task), ['complete', 'completed', 'It costs 3.', '{"total":3}', null])
})

test('[L32] an output that does not fit is the tool’s error, and may be repaired twice', () => {
  const task = aTask()
  task.send(called(wrong()), called(wrong()))
  assert.is(task.state(), 'thinking')
  assert.is(asksForJson(task), false)
  const error = { status: 'failed', category: 'internal', message: 'finish: the output does not fit its schema: x.' }
  assert.equal(results(task), [error, error])
  // After more than two steps the answer is checked first.
  task.send(called(finish()), called(finish()))
  assert.equal(end(task).slice(0, 2), ['complete', 'completed'])
})

test('[L32] the third one that does not fit: the JSON alone is asked for, and is the output; the answer stays', () => {
  const task = aTask()
  task.send(called(wrong()), called(wrong()), called(wrong()))
  assert.is(asksForJson(task), true)
  task.send(answered('{"total": 3}', '{"total":3}'))
  assert.equal(end(task), ['complete', 'completed', 'It costs 3.', '{"total":3}', null])
})

test('[L32] JSON that does not fit either ends it: no output, the text as the answer', () => {
  const task = aTask()
  task.send(called(wrong()), called(wrong()), called(wrong()), answered('Sorry, no JSON.', null))
  assert.equal(end(task), ['error', 'output_invalid', 'Sorry, no JSON.', null, null])
})

test('[L32] a provider that refuses the request for JSON leaves the last answer; one that is down is asked again', () => {
  const task = aTask()
  task.send(called(wrong()), called(wrong()), called(wrong()))
  task.send({ type: 'model.failedRetryably', message: 'Down', rateLimited: false, retryAt: AT, at: AT })
  task.send({ type: 'retry.due', at: AT })
  assert.is(asksForJson(task), true)
  task.send({ type: 'model.failed', message: 'This schema is not supported', rateLimited: false, at: AT })
  assert.equal(end(task), ['error', 'output_invalid', 'It costs 3.', null, null])
})

test('[L1 L32] an answer without finish is reminded once, then it ends without an output', () => {
  const task = aTask()
  task.send(answered('It costs 3.'))
  assert.is(task.state(), 'thinking')
  assert.is(asksForJson(task), false)
  task.send(answered('As I said, it costs 3.'))
  assert.equal(end(task), ['error', 'no_finish', 'As I said, it costs 3.', null, null])
})

test('[L32 L2] repairs are steps: the fiftieth ends it', () => {
  const task = aTask()
  for (let step = 0; step < 49; step++) {
    const call = { requestId: `r${++ids}`, tool: 'find', input: { step }, refusal: null }
    const outcome = { status: 'done', output: 'seen', screenshot: null } as const
    const kept = { type: 'intent.kept', browserInstanceId: 'memory', at: AT } as const
    task.send(called(call), kept, kept, { type: 'call.settled', requestId: call.requestId, outcome, at: AT })
  }
  task.send(called(wrong()))
  assert.equal(end(task).slice(0, 3), ['error', 'step_limit', 'It costs 3.'])
})

test('[L32 L33] giving up needs no output', () => {
  const task = aTask()
  task.send(called(finish({}, { success: false, answer: 'There is no such tea.' })))
  assert.equal(end(task), ['error', 'gave_up', 'There is no such tea.', null, null])
})

test('[L32 D7] a restart while the JSON is asked for asks for it again; a reply that was kept counts', () => {
  const before = aTask()
  before.send(called(wrong()), called(wrong()), called(wrong()))
  const after = aTask(before.kept())
  after.send({ type: 'task.resumed', at: AT })
  assert.is(asksForJson(after), true)
  after.send(answered('{"total":3}', '{"total":3}'))
  assert.equal(end(after).slice(1, 4), ['completed', 'It costs 3.', '{"total":3}'])
})

test('[L25] an output that fits is checked with its answer', () => {
  const task = aTask()
  for (let step = 0; step < 3; step++) {
    task.send(called({ requestId: `r${++ids}`, tool: 'computer', input: { step }, refusal: 'No.' }))
  }
  task.send(called(finish({ unsourced: ['3'] })))
  assert.is(task.state(), 'thinking')
  task.send(called(finish({ unsourced: ['3'] })))
  assert.is(task.output()?.endedBy, 'completed')
})

test.run()
