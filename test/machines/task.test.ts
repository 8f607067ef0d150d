import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskEvent } from '../../machines/task-types.ts'
import { AT, aCall, answered, aTask, called, kept, outcome } from '../support/task-events.ts'

const test = suite('task')

const left = { lastStep: false, lastMinute: false, tokens: null, costUsd: null }
const faltered = (fields = {}): TaskEvent => ({
  type: 'model.failedRetryably',
  message: 'overloaded',
  rateLimited: false,
  retryAt: AT + 1_000,
  at: AT,
  ...fields,
})
/** A task that acts: its call has left. */
const acting = (call = aCall({ requestId: 'r' })) => aTask(called(call), kept(), kept())

test('[L1] it thinks of its first step, with its deadline running', () => {
  const it = aTask()
  assert.is(it.state(), 'thinking')
  assert.equal(it.did('ask'), [
    { taskId: 't1', sessionId: 's1', step: 1, attempt: 0, outputOnly: false, left, withinMs: 120_000 },
  ])
  assert.equal(it.did('alarm'), [
    { event: 'deadline.near', at: 1_740_000 },
    { event: 'deadline.reached', at: 1_800_000 },
  ])
})

test('[T25 L1] an answer without a call completes it', () => {
  const it = aTask(answered('Done.'))
  assert.equal(it.output(), {
    taskId: 't1',
    status: 'complete',
    answer: 'Done.',
    output: null,
    failure: null,
    endedBy: 'completed',
    steps: 1,
    usage: { inputTokens: 10, outputTokens: 2, apiCalls: 1 },
    model: 'm',
    completedAt: AT,
  })
})

test('[T35] a model that gives no text completes it with `Task completed.`', () => {
  assert.is(aTask(answered('')).output()?.answer, 'Task completed.')
})

test('[D4 D5] a call is noted and kept before it leaves, with the memory that it goes to', () => {
  const call = aCall()
  const it = aTask(called(call))
  assert.is(it.state(), 'persistingIntent')
  assert.equal(it.did('openCall'), [])
  it.send(kept('memory'))
  assert.is(it.state(), 'persistingIntent')
  assert.is(it.context().browserInstanceId, 'memory')
  assert.is(it.did('keep').length, 2)
  it.send(kept('memory'))
  assert.is(it.state(), 'acting')
  const { requestId, tool, input } = call
  const opened = { requestId, taskId: 't1', sessionId: 's1', tool, input }
  assert.equal(it.did('openCall'), [{ call: opened, at: AT, browserInstanceId: 'memory', workspaceId: 'w1' }])
})

test('[L1] the calls of a step are made one after the other, then it thinks again', () => {
  const [a, b] = [aCall(), aCall({ tool: 'read_page' })]
  const it = aTask(called(a, b), kept(), kept(), outcome(a.requestId))
  assert.is(it.state(), 'persistingIntent')
  assert.is(it.context().calls[0]?.requestId, b.requestId)
  it.send(kept(), outcome(b.requestId))
  assert.is(it.state(), 'thinking')
  assert.equal(it.did('ask').at(-1), {
    taskId: 't1',
    sessionId: 's1',
    step: 2,
    attempt: 0,
    outputOnly: false,
    left,
    withinMs: 120_000,
  })
  assert.is(it.did('recordResult').length, 2)
})

test('[R17] the outcome of another call is not its own', () => {
  const it = acting()
  it.send(outcome('other'), { type: 'session.away', requestId: 'other' })
  assert.is(it.state(), 'acting')
})

test('[L7] a failed call is noted, and the model decides', () => {
  const it = acting()
  const failed = { status: 'failed', category: 'timeout', message: 'too late' } as const
  it.send({ type: 'call.settled', requestId: 'r', outcome: failed, at: AT })
  assert.is(it.state(), 'thinking')
  assert.equal((it.did('recordResult')[0] as { outcome: object }).outcome, failed)
})

test('[L8] a call that is wrong in itself does not leave: the model reads why', () => {
  const it = aTask(called(aCall({ refusal: 'input.url is missing' })))
  assert.is(it.state(), 'thinking')
  assert.equal(it.did('keep'), [])
  assert.is(it.did('recordCall').length, 1)
  const [note] = it.did('recordResult') as { outcome: object }[]
  assert.equal(note?.outcome, { status: 'failed', category: 'internal', message: 'input.url is missing' })
})

test('[L15] usage, steps and last words add up', () => {
  const it = aTask(called(aCall({ refusal: 'no' })), { ...called(aCall({ refusal: 'no' })), text: '' } as TaskEvent)
  assert.is(it.context().step, 2)
  assert.equal(it.context().usage, { inputTokens: 20, outputTokens: 4, apiCalls: 2 })
  assert.is(it.context().lastText, 'I look.')
})

test('[L3] two more attempts, then it ends; each step has its own', () => {
  const it = aTask(faltered())
  assert.is(it.state(), 'backingOff')
  assert.equal(it.did('alarm').at(-1), { event: 'retry.due', at: AT + 1_000 })
  it.send({ type: 'retry.due', at: AT }, called(aCall({ refusal: 'no' })), faltered(), { type: 'retry.due', at: AT })
  it.send(faltered())
  assert.is(it.state(), 'backingOff')
  it.send({ type: 'retry.due', at: AT })
  assert.equal((it.did('ask').at(-1) as { attempt: number }).attempt, 2)
  it.send(faltered())
  assert.is(it.output()?.answer, 'LLM call failed: overloaded')
})

for (const [rateLimited, failure] of [
  [false, 'llm_error'],
  [true, 'rate_limited'],
] as const)
  test(`[L6 T36] a model that fails for good ends it: ${failure}`, () => {
    const it = aTask({ type: 'model.failed', message: 'no such key', rateLimited, at: AT })
    const { status, endedBy, answer } = it.output() ?? {}
    assert.equal([status, endedBy, answer], ['error', 'model_failure', 'LLM call failed: no such key'])
    assert.is(it.output()?.failure, failure)
  })

test('[L5 L3] an attempt that takes too long counts as one, at the third it ends', () => {
  const it = aTask()
  for (const _ of [1, 2]) it.send({ type: 'model.timedOut', at: AT }, { type: 'retry.due', at: AT })
  assert.is(it.state(), 'thinking')
  it.send({ type: 'model.timedOut', at: AT })
  assert.is(it.output()?.answer, 'LLM call failed: the model did not answer within 120 s')
})

test('[T37] a browser that is away: it waits fifteen seconds, then the call fails and the model decides', () => {
  const it = acting()
  it.send({ type: 'session.away', requestId: 'r' })
  assert.is(it.state(), 'waitingForBrowser')
  assert.equal(it.did('alarm').at(-1), { event: 'browserWait.timedOut', inMs: 15_000 })
  it.send({ type: 'browserWait.timedOut', at: AT })
  assert.is(it.state(), 'thinking')
  const [note] = it.did('recordResult') as { outcome: object }[]
  assert.equal(note?.outcome, { status: 'failed', category: 'browser_disconnected', message: 'Relay not connected' })
})

test('[T37 D5] a browser that comes back is asked under the same id, kept for its memory', () => {
  const it = acting()
  it.send({ type: 'session.away', requestId: 'r' }, { type: 'session.connected' })
  assert.is(it.state(), 'persistingIntent')
  it.send(kept('another'), kept('another'))
  assert.equal((it.did('openCall').at(-1) as { browserInstanceId: string }).browserInstanceId, 'another')
})

test('[D14 T37] a session that began anew while it waited is asked again', () => {
  const it = acting()
  it.send({ type: 'session.away', requestId: 'r' }, { type: 'session.lost', sessionId: 'other', at: AT })
  assert.is(it.state(), 'waitingForBrowser')
  it.send({ type: 'session.lost', sessionId: 's1', at: AT })
  assert.is(it.state(), 'persistingIntent')
})

test('[D14] a session that broke while it acted leaves the outcome unknown', () => {
  const it = acting()
  it.send({ type: 'session.lost', sessionId: 'other', at: AT })
  assert.is(it.state(), 'acting')
  it.send({ type: 'session.lost', sessionId: 's1', at: AT })
  assert.is(it.state(), 'thinking')
  assert.equal((it.did('recordResult')[0] as { outcome: object }).outcome, { status: 'unknown' })
})

test.run()
