import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readIdOf } from '../../machines/input-request.ts'
import type { CallOutcome, JournalCall } from '../../machines/records.ts'
import { taskMachine } from '../../machines/task.ts'
import type { TaskEvent } from '../../machines/task-types.ts'
import { alone } from '../support/machine.ts'

const test = suite('task: paused, asked, approved')

const INPUT = { taskId: 't1', workspaceId: 'w1', sessionId: 's1', requestId: null, deadlineAt: 90_000, verify: true }
const AT = 1_000
const gate = { reason: 'It pays.', readId: '00000000-0000-4000-8000-000000000000' }
const click: JournalCall = { requestId: 'r', tool: 'computer', input: {}, refusal: null, gate }
const question: JournalCall = { requestId: 'q', tool: 'ask_user', input: { question: 'Which?' }, refusal: null }
const usage = { inputTokens: 1, outputTokens: 1, apiCalls: 1 }
const asks = (...calls: JournalCall[]): TaskEvent => ({
  type: 'model.requestedTools',
  calls,
  text: '',
  usage,
  model: 'm',
  at: AT,
})
const page = (total: string): CallOutcome => ({
  status: 'done',
  output: `https://shop.example\n€ ${total}`,
  screenshot: null,
})
const read = (n: number, outcome = page('5')): TaskEvent => ({
  type: 'call.settled',
  requestId: readIdOf(click, n),
  outcome,
  at: AT,
})
const answer = (requestId: string, action: 'accept' | 'decline' = 'accept'): TaskEvent => ({
  type: 'input.answered',
  requestId,
  action,
  content: null,
  at: AT,
})
const held: TaskEvent = { type: 'task.pause', by: 'client', at: AT }

const WAYS: Record<string, TaskEvent[]> = {
  paused: [held, asks(click)],
  waitingForInput: [asks(click), read(1)],
  readingTerms: [asks(click)],
}
const ENDS: TaskEvent[] = [
  { type: 'task.cancel', at: AT },
  { type: 'deadline.reached', at: AT },
  { type: 'task.sweep', at: AT },
  { type: 'task.shutdown', at: AT },
  { type: 'effect.crashed', message: 'm', at: AT },
]
const aTask = (...events: TaskEvent[]) => {
  const it = alone(taskMachine, INPUT)
  it.send(...events)
  return it
}

for (const [state, way] of Object.entries(WAYS)) {
  test(`[I2 I4 I7 T25] ${state} is left by whatever ends a task`, () => {
    for (const end of ENDS) {
      const it = aTask(...way)
      assert.is(it.state(), state)
      it.send(end)
      assert.ok(it.done(), end.type)
    }
  })
  test(`[I2 I4 I7 D7] ${state} comes back as it was`, () => {
    const back = alone(taskMachine, INPUT, aTask(...way).kept())
    back.send({ type: 'task.resumed', at: AT })
    assert.is(back.state(), state)
    assert.is(back.did('openCall').length, 0)
  })
}

test('[I7] the page is read with a new id each time: a browser answers one that it knows from memory', () => {
  const it = aTask(asks(click), { type: 'task.resumed', at: AT })
  it.send(read(1))
  assert.is(it.state(), 'readingTerms')
  it.send(read(2))
  assert.is(it.state(), 'waitingForInput')
})

test('[I7] the call goes on only under the terms that were approved, and an earlier answer counts no more', () => {
  const it = aTask(asks(click), read(1))
  const first = it.context().inputRequest?.id ?? ''
  it.send(answer(first), read(2, page('6')))
  assert.is(it.state(), 'waitingForInput')
  it.send(answer(first))
  assert.is(it.state(), 'waitingForInput')
  it.send(answer(it.context().inputRequest?.id ?? ''), read(3, page('6')))
  assert.is(it.state(), 'persistingIntent')
})

test('[I5] an approval of one call is none of the next', () => {
  const other = { ...click, requestId: 'r2', gate: { ...gate, readId: gate.readId.replace(/^0/, '1') } }
  const it = aTask(asks(click, other), read(1))
  it.send(answer(it.context().inputRequest?.id ?? ''), read(2))
  it.send({ type: 'intent.kept', browserInstanceId: null, at: AT })
  it.send({ type: 'call.settled', requestId: 'r', outcome: page('5'), at: AT })
  assert.is(it.state(), 'readingTerms')
  it.send({ ...read(3), requestId: readIdOf(other, 3) } as TaskEvent)
  assert.is(it.state(), 'waitingForInput')
})

test('[I4] a question is answered once, and its time ends it', () => {
  const it = aTask(asks(question))
  assert.is(it.context().inputRequest?.id, 'q')
  it.send(answer('other'))
  assert.is(it.state(), 'waitingForInput')
  it.send({ type: 'input.expired', at: AT })
  assert.is(it.state(), 'thinking')
  assert.equal(it.context().answered, ['q'])
})

test.run()
