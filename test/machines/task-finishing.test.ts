import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TO_MODEL } from '../../machines/failures.ts'
import type { CallOutcome, JournalCall } from '../../machines/records.ts'
import { taskMachine } from '../../machines/task.ts'
import type { TaskEvent } from '../../machines/task-types.ts'
import { alone } from '../support/machine.ts'

const test = suite('task: how a step and a task finish')

const AT = 5_000
const INPUT = { taskId: 't1', workspaceId: 'w1', sessionId: 's1', requestId: null, deadlineAt: 1_800_000 }
const aTask = (verify = true) => alone(taskMachine, { ...INPUT, verify })

let ids = 0
const aCall = (tool = 'computer', input: object = {}): JournalCall => ({
  requestId: `r${++ids}`,
  tool,
  input: { ...input },
  refusal: null,
})
const called = (...calls: JournalCall[]): TaskEvent => ({
  type: 'model.requestedTools',
  calls,
  text: '',
  usage: { inputTokens: 1, outputTokens: 1, apiCalls: 1 },
  model: 'm',
  at: AT,
})
const kept: TaskEvent = { type: 'intent.kept', browserInstanceId: 'memory', at: AT }
const done = { status: 'done', output: 'Clicked', screenshot: null } as const
const settled = (call: JournalCall, outcome: CallOutcome = done): TaskEvent => ({
  type: 'call.settled',
  requestId: call.requestId,
  outcome,
  at: AT,
})
type Task = ReturnType<typeof aTask>
/** Steps of one call each that is done, on a page that changes. */
function works(task: Task, steps: number): void {
  for (let step = 0; step < steps; step++) {
    const call = aCall()
    task.send(called(call), kept, kept, settled(call, { ...done, fingerprint: `page ${++ids}` }))
  }
}
const finish = (success: boolean, answer = 'It costs 12.') => aCall('finish', { success, answer })
const results = (task: Task) => task.did('recordResult').map((params) => (params as { outcome: CallOutcome }).outcome)

test('[L24] after a failed call the calls behind it are not executed, and the model thinks again', () => {
  const [pick, order, look] = [aCall('form_input'), aCall(), aCall('read_page')]
  const task = aTask()
  task.send(called(pick, order, look), kept, kept)
  task.send(settled(pick, { status: 'failed', category: 'internal', message: 'There is no option XXL.' }))
  assert.is(task.state(), 'thinking')
  assert.is(task.did('openCall').length, 1)
  const notRun = { status: 'skipped', message: 'Not run: the call before it failed.' }
  assert.equal(results(task).slice(1), [notRun, notRun])
})

test('[L24] so it is behind a call whose input is wrong, and behind one whose outcome is unknown', () => {
  const wrong = aTask()
  wrong.send(called({ ...aCall(), refusal: 'computer: the field "action" is missing.' }, aCall()))
  assert.is(wrong.state(), 'thinking')
  assert.is(wrong.did('openCall').length, 0)
  const lost = aTask()
  const [first, second] = [aCall(), aCall()]
  lost.send(called(first, second), kept, kept, settled(first, { status: 'unknown' }))
  assert.is(lost.state(), 'thinking')
  assert.is(lost.did('openCall').length, 1)
})

for (const halts of ['navigation', 'dialog'] as const)
  test(`[L24] and behind an action that led to a ${halts}`, () => {
    const [click, next] = [aCall(), aCall()]
    const task = aTask()
    task.send(called(click, next), kept, kept, settled(click, { ...done, halts }))
    assert.is(task.state(), 'thinking')
    assert.equal(results(task).at(-1), { status: 'skipped', message: TO_MODEL.notRun[halts] })
  })

test('[L24] the next step runs its calls again', () => {
  const task = aTask()
  const failing = aCall()
  task.send(called(failing), kept, kept, settled(failing, { status: 'failed', category: 'internal', message: 'No.' }))
  const call = aCall()
  task.send(called(call), kept)
  assert.is(task.state(), 'acting')
})

test('[L23 L25] finish ends a task; with success it is checked once first', () => {
  const task = aTask()
  works(task, 3)
  task.send(called(finish(true, 'It costs 11.')))
  assert.is(task.state(), 'thinking')
  assert.equal(results(task).at(-1), { status: 'skipped', message: TO_MODEL.checkAnswer })
  task.send(called(finish(true, 'It costs 12.')))
  const { status, answer, endedBy, failure } = task.output() ?? {}
  assert.equal([status, answer, endedBy, failure], ['complete', 'It costs 12.', 'completed', null])
  assert.ok(task.did('openCall').every((params) => (params as { call: JournalCall }).call.tool !== 'finish'))
})

test('[L23 T36] without success it ends as an error that nobody failed at, at once', () => {
  const task = aTask()
  works(task, 3)
  task.send(called(finish(false, 'There is no such tea.')))
  const { status, answer, endedBy, failure } = task.output() ?? {}
  assert.equal([status, answer, endedBy, failure], ['error', 'There is no such tea.', 'gave_up', null])
})

test('[L25] a task of two steps, one at its last step, and one with VERIFY=off are not checked', () => {
  const short = aTask()
  works(short, 1)
  short.send(called(finish(true)))
  assert.ok(short.done())
  const last = aTask()
  works(last, 49)
  last.send(called(finish(true)))
  assert.is(last.output()?.endedBy, 'completed')
  const off = aTask(false)
  works(off, 5)
  off.send(called(finish(true)))
  assert.ok(off.done())
})

test('[L25 D7] a restart while the answer is checked asks the model again, and checks no second time', () => {
  const before = aTask()
  works(before, 3)
  before.send(called(finish(true)))
  const after = alone(taskMachine, { ...INPUT, verify: true }, before.kept())
  after.send({ type: 'task.resumed', at: AT }, called(finish(true)))
  assert.is(after.output()?.endedBy, 'completed')
})

test('[L24 L25] a finish behind a failed call is not run, calls behind a finish that is checked neither', () => {
  const task = aTask()
  works(task, 3)
  const failing = aCall()
  task.send(called(failing, finish(true)), kept)
  task.send(kept, settled(failing, { status: 'failed', category: 'internal', message: 'No.' }))
  assert.is(task.state(), 'thinking')
  task.send(called(finish(true), aCall()))
  assert.is(task.state(), 'thinking')
  assert.equal(results(task).at(-1), { status: 'skipped', message: TO_MODEL.notRun.finish })
})

test('[L26] after 38 steps the model is told how many are left', () => {
  const task = aTask()
  works(task, 40)
  const notes = task.did('recordResult').map((params) => (params as { note: string | null }).note)
  assert.is(notes[37], TO_MODEL.stepsLeft(12))
  assert.is(notes.filter(Boolean).length, 1)
})

test.run()
