import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallEvent } from '../../machines/call.ts'
import { callMachine, toolTimeoutMs } from '../../machines/call.ts'
import { CALL_STALE_MS } from '../../machines/limits.ts'
import type { CallOutcome, ToolCall } from '../../machines/records.ts'
import { alone } from '../support/machine.ts'
import { walk } from '../support/walk.ts'

const test = suite('call')

const call: ToolCall = { requestId: 'r1', taskId: 't1', sessionId: 's1', tool: 'read_page', input: {} }
const done: CallOutcome = { status: 'done', output: 'Shop', screenshot: null }
const unknown: CallOutcome = { status: 'unknown' }

const open = (fields: Partial<ToolCall> = {}, reopened = false) =>
  alone(callMachine, { call: { ...call, ...fields }, at: 1_000, reopened })

test('[R13] sends its frame once, and settles with the answer', () => {
  const it = open()
  assert.equal(it.did('sendFrame'), [call])
  it.send({ type: 'call.answered', outcome: done })
  assert.equal(it.output(), done)
  assert.is(it.did('sendFrame').length, 1)
})

test('[R14] its outcome goes to its task, once', () => {
  const it = open()
  assert.equal(it.did('answerTask'), [])
  it.send({ type: 'call.answered', outcome: done })
  assert.equal(it.did('answerTask'), [{ call, at: 1_000, reopened: false, outcome: done }])
})

test('[T49] abandoned, it ends and answers nobody', () => {
  for (const reopened of [false, true]) {
    const it = open({}, reopened)
    it.send({ type: 'call.abandoned' })
    assert.ok(it.done())
    assert.equal(it.did('answerTask'), [])
  }
})

const TIMEOUTS = [
  ['computer', { action: 'wait', duration: 30 }, 35],
  ['computer', { action: 'left_click' }, 15],
  ['computer', {}, 15],
  ['navigate', { url: 'https://shop.test' }, 30],
  ['read_page', { action: 'wait' }, 15],
  ['a tool of tomorrow', {}, 15],
] as const
for (const [tool, input, seconds] of TIMEOUTS)
  test(`[R18] ${tool} ${JSON.stringify(input)} times out after ${seconds} s, not a millisecond earlier`, () => {
    assert.is(toolTimeoutMs({ tool, input }), seconds * 1_000)
    const it = open({ tool, input })
    it.clock.increment(seconds * 1_000 - 1)
    assert.is(it.state(), 'waiting')
    it.clock.increment(1)
    const message = `Tool execution timed out after ${seconds}s: ${tool}`
    assert.equal(it.output(), { status: 'failed', category: 'timeout', message })
  })

test('[R19] fails at once when its session disconnects', () => {
  const it = open()
  it.send({ type: 'session.disconnected' })
  const message = 'Browser session s1 disconnected'
  assert.equal(it.output(), { status: 'failed', category: 'browser_disconnected', message })
})

test('[R20] the sweep fails a call that is older than 70 s, and none that is exactly as old', () => {
  const it = open()
  it.send({ type: 'calls.sweep', at: 1_000 + CALL_STALE_MS })
  assert.is(it.state(), 'waiting')
  it.send({ type: 'calls.sweep', at: 1_001 + CALL_STALE_MS })
  const message = 'Tool execution timed out after 15s: read_page'
  assert.equal(it.output(), { status: 'failed', category: 'timeout', message })
})

test('[R20] the sweep finds a reopened call too', () => {
  const it = open({}, true)
  it.send({ type: 'calls.sweep', at: 1_001 + CALL_STALE_MS })
  assert.is(it.output()?.status, 'failed')
})

test('[D8] reopened, nothing is sent before the browser has said what it remembers', () => {
  const it = open({}, true)
  assert.is(it.state(), 'reconciling')
  assert.equal(it.did('sendFrame'), [])
})

for (const [says, frames, then] of [
  ['call.neverSeen', 1, 'waiting'],
  ['call.finished', 1, 'waiting'],
  ['call.running', 0, 'waiting'],
  ['call.forgotten', 0, 'settled'],
] as const)
  test(`[D8] reopened, on ${says} ${frames} frame leaves, and it is ${then}`, () => {
    const it = open({}, true)
    it.send({ type: says })
    assert.is(it.did('sendFrame').length, frames)
    assert.is(it.state(), then)
    if (then === 'settled') assert.equal(it.output(), unknown)
  })

test('[D8] reopened, it has its whole time-out from the moment at which the browser spoke', () => {
  const it = open({}, true)
  it.clock.increment(14_999)
  it.send({ type: 'call.running' })
  it.clock.increment(14_999)
  assert.is(it.state(), 'waiting')
  it.clock.increment(1)
  assert.is(it.output()?.status, 'failed')
})

test('[D8 D9] reopened, a browser that does not come within 15 s leaves the outcome unknown', () => {
  const it = open({}, true)
  it.clock.increment(14_999)
  assert.is(it.state(), 'reconciling')
  it.clock.increment(1)
  assert.equal(it.output(), unknown)
})

test('[D8] reopened, a result that is sent again settles it without a question', () => {
  const it = open({}, true)
  it.send({ type: 'call.answered', outcome: done })
  assert.equal(it.output(), done)
  assert.equal(it.did('sendFrame'), [])
})

test('[D8] reopened, a disconnect proves nothing: the browser may still come back and tell', () => {
  const it = open({}, true)
  it.send({ type: 'session.disconnected' })
  assert.is(it.state(), 'reconciling')
})

for (const [says, frames] of [
  ['call.neverSeen', 2],
  ['call.finished', 2],
  ['call.running', 1],
] as const)
  test(`[R41] taken over while it waits, on ${says} its frames are ${frames} in all and its time-out goes on`, () => {
    const it = open()
    it.clock.increment(14_999)
    it.send({ type: says })
    assert.is(it.did('sendFrame').length, frames)
    assert.is(it.state(), 'waiting')
    it.clock.increment(1)
    assert.is(it.output()?.status, 'failed')
  })

test('[R41] taken over by a browser that cannot tell, its outcome is unknown', () => {
  const it = open()
  it.send({ type: 'call.forgotten' })
  assert.equal(it.output(), unknown)
})

test('[R17] settles once: whatever comes late changes nothing', () => {
  const it = open()
  it.clock.increment(15_000)
  const first = it.output()
  it.send({ type: 'call.answered', outcome: done }, { type: 'session.disconnected' }, { type: 'call.neverSeen' })
  assert.equal(it.output(), first)
  assert.is(it.did('sendFrame').length, 1)
})

const EVENTS: CallEvent[] = [
  { type: 'call.answered', outcome: done },
  { type: 'call.neverSeen' },
  { type: 'call.running' },
  { type: 'call.finished' },
  { type: 'call.forgotten' },
  { type: 'call.abandoned' },
  { type: 'session.disconnected' },
  { type: 'calls.sweep', at: 1_000 },
  { type: 'calls.sweep', at: 200_000 },
]

for (const reopened of [false, true])
  test(`every path of a call that is ${reopened ? 'reopened' : 'new'} ends with an outcome`, () => {
    const walked = walk(callMachine, {
      input: { call, at: 1_000, reopened },
      events: EVENTS,
      check: ({ snapshot, effects }) => {
        assert.ok(snapshot.value !== 'settled' || snapshot.status === 'done')
        const answers = effects.filter(({ type }) => type === 'answerTask')
        assert.is(answers.length, snapshot.value === 'settled' ? 1 : 0)
      },
    })
    assert.equal(walked.unreached, reopened ? [] : ['call.reconciling'])
    assert.ok(walked.refused > 0)
    for (const { key, handles } of walked.visits)
      if (key !== 'settled' && key !== 'abandoned') {
        assert.equal(handles['call.answered'], ['settled'], key)
        assert.equal(handles['call.abandoned'], ['abandoned'], key)
      }
  })

test.run()
