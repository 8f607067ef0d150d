import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JournalCall } from '../../machines/records.ts'
import { taskMachine } from '../../machines/task.ts'
import type { TaskEvent } from '../../machines/task-types.ts'
import { alone } from '../support/machine.ts'

const test = suite('calls that the service carries out')

const AT = 1_000
const INPUT = {
  taskId: 't1',
  workspaceId: 'w1',
  sessionId: 's1',
  requestId: null,
  deadlineAt: 1_800_000,
  verify: false,
}
const script: JournalCall = { requestId: 'r', tool: 'script', input: { code: '' }, refusal: null }
const after: JournalCall = { requestId: 's', tool: 'find', input: { query: 'tea' }, refusal: null }
const nested = (n: number, more: Partial<JournalCall> = {}): TaskEvent => ({
  type: 'call.nested',
  requestId: 'r',
  call: {
    requestId: `n${n}`,
    tool: 'computer',
    input: { action: 'left_click', ref: 'e1' },
    refusal: null,
    parent: 'r',
    ...more,
  },
  at: AT,
})
const reply = { text: '', usage: { inputTokens: 10, outputTokens: 2, apiCalls: 1 }, model: 'm', at: AT }
const called: TaskEvent = { type: 'model.requestedTools', calls: [script, after], ...reply }
const kept: TaskEvent = { type: 'intent.kept', browserInstanceId: null, at: AT }
const settles = (requestId: string, more: object = {}): TaskEvent => ({
  type: 'call.settled',
  requestId,
  outcome: { status: 'done', output: 'ok', screenshot: null, ...more },
  at: AT,
})
const fails = (requestId: string, outcome: object): TaskEvent =>
  ({ type: 'call.settled', requestId, outcome, at: AT }) as TaskEvent
const resumed: TaskEvent = { type: 'task.resumed', at: AT }
const serving = (...events: TaskEvent[]) => {
  const it = alone(taskMachine, INPUT)
  it.send(called, ...events)
  return it
}

test('[L41] no browser is asked for it; what it asks for goes first, as any call, and then it is served again', () => {
  const it = serving()
  assert.is(it.state(), 'serving')
  assert.equal([it.did('serve').length, it.did('openCall'), it.did('recordCall')], [1, [], []])
  for (const n of [1, 2]) {
    it.send(nested(n))
    assert.is(it.state(), 'persistingIntent')
    it.send(kept)
    assert.is(it.state(), 'acting')
    it.send(settles(`n${n}`, { halts: 'navigation' }))
    assert.is(it.state(), 'serving')
  }
  assert.is(it.did('serve').length, 3)
  assert.equal(it.context().progress, [])
  it.send(settles('r'))
  assert.equal([it.state(), it.context().calls], ['persistingIntent', [after]])
})

test('[L41] what comes from a call that is not served any more is passed over', () => {
  const it = serving({ ...nested(1), requestId: 'other' } as TaskEvent)
  assert.equal([it.state(), it.context().calls.length], ['serving', 2])
})

test('[L41 D7] served again after a restart; a call that it asked for is asked after', () => {
  const it = alone(taskMachine, INPUT, serving().kept())
  assert.is(it.state(), 'serving')
  it.send(resumed)
  assert.equal([it.state(), it.did('serve').length], ['serving', 1])
  const acting = alone(taskMachine, INPUT, serving(nested(1)).kept())
  acting.send(resumed)
  assert.is(acting.state(), 'reconciling')
  acting.send({ type: 'call.recovered', requestId: 'n1', halted: null, at: AT })
  assert.is(acting.state(), 'serving')
})

test('[L42] a failure is for the script to judge, but not what its user refused or nobody knows', () => {
  for (const [outcome, halted] of [
    [{ status: 'failed', category: 'internal', message: 'gone' }, null],
    [{ status: 'failed', category: 'aborted', message: 'declined' }, 'failure'],
    [{ status: 'unknown' }, 'failure'],
  ] as const) {
    const it = serving(nested(1), kept, fails('n1', outcome))
    assert.equal([it.state(), it.context().halted, it.context().failures], ['serving', halted, 0])
  }
})

test('[L41] a refused call is not sent, an approval waits for it, a pause comes before it', () => {
  const refused = serving(nested(1, { refusal: 'not there' }))
  assert.is(refused.state(), 'serving')
  assert.equal(refused.did('openCall'), [])
  const held = serving(nested(1), kept, fails('n1', { status: 'held', held: null }))
  assert.is(held.state(), 'waitingForInput')
  held.send({
    ...{ type: 'input.answered', requestId: 'n1', action: 'accept', content: null },
    ...{ forTask: false, releaseId: 'x', at: AT },
  })
  assert.is(held.state(), 'persistingIntent')
  held.send(kept, settles('x'))
  assert.is(held.state(), 'serving')
  const paused = serving({ type: 'task.pause', by: 'client', at: AT }, nested(1))
  assert.is(paused.state(), 'paused')
  paused.send({ type: 'task.continue', by: 'client', at: AT })
  assert.is(paused.state(), 'persistingIntent')
})

test('[L2 L42] the last minute and a message that interrupts have it served once more, to end', () => {
  const offered = { ...called, hasFinish: true } as TaskEvent
  for (const event of [
    { type: 'deadline.near', at: AT },
    { type: 'message.received', interrupt: true, at: AT },
  ] satisfies TaskEvent[]) {
    const it = alone(taskMachine, INPUT)
    it.send(offered, event)
    assert.equal([it.state(), it.did('serve').length], ['serving', 2], event.type)
    assert.ok(it.context().halted)
  }
})

test('[L41] what the service spent on it counts', () => {
  const usage = { inputTokens: 5, outputTokens: 1, apiCalls: 1 }
  const it = serving({ ...settles('r'), spent: { usage, costUsd: 0.5 } } as TaskEvent)
  assert.equal([it.context().usage.inputTokens, it.context().usage.apiCalls, it.context().costUsd], [15, 2, 0.5])
})

for (const event of [
  { type: 'task.cancel', at: AT },
  { type: 'deadline.reached', at: AT },
  { type: 'task.sweep', at: AT },
  { type: 'effect.crashed', message: 'a bug', at: AT },
] satisfies TaskEvent[])
  test(`[L41 T26] ${event.type} ends a task that is served`, () => {
    const it = serving(event)
    assert.ok(it.done())
    assert.is(it.did('endEffect').length, 2)
  })

test.run()
