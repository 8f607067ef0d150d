import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NO_BUDGET } from '../../machines/budget.ts'
import type { JournalCall } from '../../machines/records.ts'
import { taskMachine } from '../../machines/task.ts'
import type { TaskEvent } from '../../machines/task-types.ts'
import { ANSWERS, TO_MODEL } from '../../machines/texts.ts'
import { alone } from '../support/machine.ts'

const test = suite('task: its budget')

const AT = 5_000
const INPUT = { taskId: 't1', workspaceId: 'w1', sessionId: 's1', requestId: null, deadlineAt: 1_800_000, verify: true }
const aTask = (budget: object, kept?: object) =>
  alone(taskMachine, { ...INPUT, budget: { ...NO_BUDGET, ...budget } }, kept)
type Task = ReturnType<typeof aTask>

let ids = 0
/** 100 tokens and two cents, almost. */
const said = (text: string, more: object = {}) => ({
  ...{ text, usage: { inputTokens: 90, outputTokens: 10, apiCalls: 1 }, model: 'm', costUsd: 1 / 64, at: AT },
  ...more,
})
const aCall = (fields: Partial<JournalCall> = {}): JournalCall => ({
  requestId: `r${++ids}`,
  tool: 'computer',
  input: { at: ids },
  refusal: null,
  ...fields,
})
const called = (call: JournalCall, text = '', more: object = {}): TaskEvent => ({
  type: 'model.requestedTools',
  calls: [call],
  ...said(text, more),
})
const kept: TaskEvent = { type: 'intent.kept', browserInstanceId: 'memory', at: AT }
function works(task: Task, steps: number, text = ''): void {
  for (let step = 0; step < steps; step++) {
    const call = aCall()
    const outcome = { status: 'done', output: `page ${ids}`, screenshot: null } as const
    task.send(called(call, text), kept, kept, { type: 'call.settled', requestId: call.requestId, outcome, at: AT })
  }
}
const finish = (success: boolean, answer = 'Two of three.') => aCall({ tool: 'finish', input: { success, answer } })
const last = { lastCall: true }
const left = (task: Task) => (task.did('ask').at(-1) as { left: object }).left
const warnings = (task: Task) =>
  task.did('recordReply').flatMap((params) => {
    const { step, warning } = params as { step: number; warning: object | null }
    return warning ? [{ step, ...warning }] : []
  })
const notes = (task: Task) => task.did('recordResult').map((params) => (params as { note: string | null }).note)
const end = (task: Task) => {
  const { status, endedBy, answer, failure } = task.output() ?? {}
  return [status, endedBy, answer, failure]
}

test('[L35] what is left is known before each call; without a budget, all is', () => {
  const free = aTask({})
  assert.equal(left(free), { lastStep: false, lastMinute: false, tokens: null, costUsd: null })
  const task = aTask({ steps: 3, tokens: 1_000, costUsd: 4 / 64 })
  works(task, 1)
  assert.equal(left(task), { lastStep: false, lastMinute: false, tokens: 900, costUsd: 3 / 64 })
  works(task, 1)
  assert.equal(left(task), { lastStep: true, lastMinute: false, tokens: 800, costUsd: 2 / 64 })
})

test('[L35] at 80 % it is warned once, with the limit of which most is used; the model reads so', () => {
  const task = aTask({ steps: 40, tokens: 1_000, costUsd: 1 })
  works(task, 9)
  assert.equal(warnings(task), [{ step: 8, budget: 'max_tokens', used: 800, limit: 1_000 }])
  assert.equal(notes(task).filter(Boolean), [TO_MODEL.budgetWarned])
  assert.is(notes(task)[7], TO_MODEL.budgetWarned)
})

test('[L35 L26] of steps the model is told how many are left, at 75 %', () => {
  const task = aTask({ steps: 10 })
  works(task, 9)
  assert.equal(warnings(task), [{ step: 8, budget: 'max_steps', used: 8, limit: 10 }])
  assert.equal(notes(task).filter(Boolean), [TO_MODEL.stepsLeft(2)])
})

test('[L35] the last call ends it: with finish and success it is complete, and not checked', () => {
  const task = aTask({ steps: 5 })
  works(task, 4)
  task.send(called(finish(true, 'All three.'), '', last))
  assert.equal(end(task), ['complete', 'completed', 'All three.', null])
})

for (const [what, event, answer] of [
  ['finish without success', called(finish(false), '', last), 'Two of three.'],
  ['words', { type: 'model.answered', ...said('I have two.', last) }, 'I have two.'],
  ['a call, which is not run', called(aCall(), 'I go on.', last), 'I go on.'],
  ['a call without a word', called(aCall(), '', last), 'Found one.'],
] as const)
  test(`[L35] the last call ends it: ${what} is what was found so far`, () => {
    const task = aTask({ steps: 5 })
    works(task, 4, 'Found one.')
    const opened = task.did('openCall').length
    task.send(event as TaskEvent)
    assert.equal(end(task), ['error', 'budget', answer, null])
    assert.is(task.did('openCall').length, opened)
  })

test('[L35] a budget without room for a call ends it with what was said last', () => {
  const task = aTask({ tokens: 500 })
  works(task, 2, 'Found one.')
  task.send({ type: 'budget.spent', at: AT })
  assert.equal(end(task), ['error', 'budget', 'Found one.', null])
  const poor = aTask({ tokens: 5 })
  poor.send({ type: 'budget.spent', at: AT })
  assert.equal(end(poor), ['error', 'budget', ANSWERS.budget, null])
})

test('[L35 L2] a model that was not told runs into the limit of steps all the same', () => {
  const task = aTask({ steps: 3 })
  works(task, 3, 'Found one.')
  assert.equal(end(task), ['error', 'budget', 'Found one.', null])
})

test('[L35 D7] what was spent is known after a restart', () => {
  const before = aTask({ tokens: 1_000 })
  works(before, 8)
  const after = aTask({ tokens: 1_000 }, before.kept())
  after.send({ type: 'task.resumed', at: AT })
  assert.equal(left(after), { lastStep: false, lastMinute: false, tokens: 200, costUsd: null })
  works(after, 1)
  assert.equal(warnings(after), [])
})

test.run()
