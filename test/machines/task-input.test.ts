import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { deadlineOf } from '../../actors/inspection/state-format.ts'
import { upgraded } from '../../actors/runtime/row-versions.ts'
import { toolCall } from '../../machines/agent-loop.ts'
import type { Held } from '../../machines/held.ts'
import { LAST_REPLY_MS } from '../../machines/limits.ts'
import type { CallOutcome, JournalCall } from '../../machines/records.ts'
import { taskMachine } from '../../machines/task.ts'
import type { TaskEvent } from '../../machines/task-types.ts'
import { anOrder } from '../support/held.ts'
import { alone } from '../support/machine.ts'

const test = suite('task: paused, asked, approved')

const INPUT = { taskId: 't1', workspaceId: 'w1', sessionId: 's1', requestId: null, deadlineAt: 90_000, verify: true }
const AT = 1_000
const click: JournalCall = { requestId: 'r', tool: 'computer', input: {}, refusal: null }
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
const sent: TaskEvent[] = [
  { type: 'intent.kept', browserInstanceId: 'b', at: AT },
  { type: 'intent.kept', browserInstanceId: 'b', at: AT },
]
const settled = (requestId: string, outcome: CallOutcome): TaskEvent => ({
  type: 'call.settled',
  requestId,
  outcome,
  at: AT,
})
const done: CallOutcome = { status: 'done', output: 'Done.', screenshot: null }
const holds = (requestId: string, held: Held | null = anOrder('5')) => settled(requestId, { status: 'held', held })
const answer = (
  requestId: string,
  releaseId: string,
  action: 'accept' | 'decline' | 'cancel' = 'accept',
  forTask = false,
): TaskEvent => ({ type: 'input.answered', requestId, action, content: null, forTask, releaseId, at: AT })
const pause: TaskEvent = { type: 'task.pause', by: 'client', at: AT }

const WAYS: Record<string, TaskEvent[]> = {
  paused: [pause, asks(click)],
  waitingForInput: [asks(click), ...sent, holds('r')],
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

/** The call that is under way, as its browser would get it. */
const underWay = (it: ReturnType<typeof aTask>) => toolCall(it.context())
const results = (it: ReturnType<typeof aTask>) => it.did('recordResult') as { outcome: CallOutcome }[]

test('[I5 I7] what is held waits for its answer; then a call of its own lets go of it, and the result is that of the call', () => {
  const it = aTask(asks(click), ...sent, holds('r'))
  assert.is(it.context().inputRequest?.id, 'r')
  assert.is(
    it.context().inputRequest?.message,
    'Pay 5 at shop.example. Request: POST shop.example/orders. From the page: button "Buy now", quantity 2, total 5',
  )
  it.send(answer('r', 'r2'))
  assert.is(it.state(), 'persistingIntent')
  // Its intent names no browser: after a crash it is known that the frame has not left.
  assert.is(it.context().browserInstanceId, null)
  const { requestId, tool, input } = underWay(it)
  assert.equal(
    [requestId, tool, input],
    ['r2', 'release', { held: 'hold of 5', action: 'accept', terms: anOrder('5').terms }],
  )
  it.send(...sent, settled('r', done))
  assert.is(it.state(), 'acting')
  it.send(settled('r2', done))
  assert.is(it.state(), 'thinking')
  assert.equal(
    results(it).map(({ outcome }) => outcome),
    [done],
  )
  assert.is(it.did('recordCall').length, 1)
})

test('[P20] a task that asks its user is due when the question expires, not only at its deadline', () => {
  const it = alone(taskMachine, { ...INPUT, deadlineAt: 10_000_000 })
  it.send(asks(click), ...sent, holds('r'))
  assert.is(it.state(), 'waitingForInput')
  assert.is(deadlineOf(it.snapshot(), null, null), it.context().inputRequest?.expiresAt)
})

test('[I5] one answer counts: another to the same request, or to an earlier one, does nothing', () => {
  const it = aTask(asks(click), ...sent, holds('r'), answer('r', 'r2'))
  it.send(answer('r', 'r3'), ...sent, holds('r2', anOrder('6')), answer('r', 'r4'))
  assert.is(it.state(), 'waitingForInput')
  assert.is(it.context().inputRequest?.id, 'r2')
  assert.equal(it.context().answered, ['r'])
})

test('[I7] terms that changed are asked for again, with what changed', () => {
  const it = aTask(asks(click), ...sent, holds('r', anOrder('52.50')), answer('r', 'r2'), ...sent)
  it.send(holds('r2', anOrder('99')))
  const { message, call } = it.context().inputRequest ?? {}
  assert.match(
    message ?? '',
    '/orders. Changed since your approval: total 52.50 → 99; numbers 52.50 → 99. From the page',
  )
  assert.equal(call?.changed, {
    fields: [{ name: 'total', before: '52.50', after: '99' }],
    numbers: { before: ['52.50'], after: ['99'] },
  })
  it.send(answer('r2', 'r3'))
  assert.equal(underWay(it).input, { held: 'hold of 99', action: 'accept', terms: anOrder('99').terms })
})

test('[I7] fields of one name are one value, numbers are counted, and a long request is told in brief', () => {
  const list = (value: string) => Array.from({ length: 14 }, (_, n) => ({ name: n < 2 ? 'to' : `f${n}`, value }))
  const [first, second] = [list('Ann'), list('Ann')]
  second.splice(1, 1, { name: 'to', value: 'x'.repeat(90) })
  const it = aTask(asks(click), ...sent, holds('r', anOrder('5', { fields: first, numbers: ['5'] })))
  assert.match(it.context().inputRequest?.message ?? '', /", to Ann, to Ann, f2 Ann.*, f11 Ann, 2 more$/)
  it.send(answer('r', 'r2'), ...sent, holds('r2', anOrder('6', { fields: second, numbers: ['5', '5'] })))
  const { message, call } = it.context().inputRequest ?? {}
  assert.equal(call?.changed, {
    fields: [{ name: 'to', before: 'Ann, Ann', after: `Ann, ${'x'.repeat(90)}` }],
    numbers: { before: [], after: ['5'] },
  })
  assert.match(message ?? '', `to Ann, to ${'x'.repeat(80)}…, f2`)
})

test('[I5] another request that the approved one leads to is asked for by itself', () => {
  const it = aTask(asks(click), ...sent, holds('r'), answer('r', 'r2'), ...sent)
  it.send(holds('r2', anOrder('5', { shape: 'DELETE https://shop.example/cart', method: 'DELETE' })))
  assert.is(it.context().inputRequest?.call?.changed, null)
})

for (const [how, event, words] of [
  ['declined', answer('r', 'r2', 'decline'), /the user declined/],
  ['cancelled', answer('r', 'r2', 'cancel'), /in time/],
  ['not answered', { type: 'input.expired', releaseId: 'r2', at: AT }, /in time/],
] as const)
  test(`[I5] ${how}: the browser drops it, and the model reads so whatever the browser says`, () => {
    for (const outcome of [done, { status: 'unknown' } as const]) {
      const it = aTask(asks(click), ...sent, holds('r'), event)
      assert.is(underWay(it).input.action, 'decline')
      it.send(...sent, settled('r2', outcome))
      const [result] = results(it)
      assert.ok(result?.outcome.status === 'failed' && words.test(result.outcome.message))
    }
  })

test('[L40] a user who declines again and again does not end the task', () => {
  const it = aTask()
  for (let n = 0; n < 20; n++) {
    const [id, release] = [`call ${n}`, `release ${n}`]
    it.send(asks({ ...click, requestId: id, input: { n } }), ...sent, holds(id), answer(id, release, 'decline'))
    it.send(...sent, settled(release, done))
  }
  assert.is(it.state(), 'thinking')
  assert.is(results(it).length, 20)
})

test('[I4 L2] a request ends when the last minute of its task begins: what is held is dropped, and the model is asked once more', () => {
  const near = INPUT.deadlineAt - LAST_REPLY_MS
  const late = asks(question)
  assert.is(aTask(late).context().inputRequest?.expiresAt, near)
  const it = aTask({ ...asks(click), hasFinish: true } as TaskEvent, ...sent, holds('r'))
  assert.is(it.context().inputRequest?.expiresAt, near)
  it.send({ type: 'deadline.near', at: near }, { type: 'input.expired', releaseId: 'r2', at: near })
  assert.is((underWay(it).input as { action: string }).action, 'decline')
  it.send(...sent, settled('r2', done))
  assert.is(it.state(), 'thinking')
  assert.ok(it.context().endsSoon)
})

test('[I5] declined, and the page tries again: what is approved then does not make it approved', () => {
  const it = aTask(asks(click), ...sent, holds('r'), answer('r', 'r2', 'decline'), ...sent, holds('r2', anOrder('6')))
  assert.is(it.context().inputRequest?.call?.changed, null)
  it.send(answer('r2', 'r3'), ...sent, settled('r3', done))
  const [result] = results(it)
  assert.ok(result?.outcome.status === 'failed' && /declined/.test(result.outcome.message))
})

test('[I6] a browser that cannot hold: the call itself is asked for, sent when approved and not when declined', () => {
  const it = aTask(asks(click), ...sent, holds('r', null))
  assert.is(it.context().inputRequest?.call?.held, null)
  it.send(answer('r', 'r2'))
  const call = underWay(it)
  assert.equal([call.requestId, call.tool, call.isApproved], ['r2', 'computer', true])
  for (const no of [answer('r', 'r2', 'decline'), { type: 'input.expired', releaseId: 'r2', at: AT } as const]) {
    const other = aTask(asks(click), ...sent, holds('r', null), no)
    assert.is(other.state(), 'thinking')
    assert.is(results(other)[0]?.outcome.status, 'failed')
  }
})

test('[I13] an approval for the task is kept, once for each shape, and only with an approval', () => {
  const { shape } = anOrder('5')
  const it = aTask(asks(click), ...sent, holds('r'), answer('r', 'r2', 'accept', true))
  assert.equal(underWay(it).allowedShapes, [shape])
  it.send(...sent, holds('r2'), answer('r2', 'r3', 'accept', true), ...sent, settled('r3', done))
  assert.equal(alone(taskMachine, INPUT, it.kept()).context().allowedShapes, [shape])
  const declined = aTask(asks(click), ...sent, holds('r'), answer('r', 'r2', 'decline', true))
  assert.equal(declined.context().allowedShapes, [])
})

test('[I2 I7] paused while it waits: the answer is carried out when it is resumed, before anything else', () => {
  const it = aTask(asks(click), ...sent, holds('r'), pause, answer('r', 'r2'))
  assert.is(it.state(), 'paused')
  it.send({ type: 'message.received', interrupt: true, at: AT }, { type: 'task.continue', by: 'client', at: AT })
  assert.is(it.state(), 'persistingIntent')
  assert.is(underWay(it).requestId, 'r2')
})

test('[I7] a browser that is lost with what was let go: the outcome is unknown', () => {
  const it = aTask(asks(click), ...sent, holds('r'), answer('r', 'r2'), ...sent)
  it.send({ type: 'session.lost', sessionId: 's1', at: AT })
  assert.equal(results(it)[0]?.outcome, { status: 'unknown' })
  assert.equal([it.context().held, it.context().release], [null, null])
})

test('[I7 D8] a crash in each state of a release: it is asked for, sent or reconciled under the same id', () => {
  const way = [asks(click), ...sent, holds('r'), answer('r', 'r2')]
  for (const [more, requestId] of [
    [[], 'r2'],
    [sent, 'r2'],
    [[...sent, holds('r2', anOrder('6'))], 'r2'],
  ] as const) {
    const back = alone(taskMachine, INPUT, aTask(...way, ...more).kept())
    back.send({ type: 'task.resumed', at: AT })
    const isAsked = back.state() === 'waitingForInput'
    assert.is(isAsked ? back.context().inputRequest?.id : underWay(back).requestId, requestId)
    if (!isAsked) assert.equal(back.did('reconcile').at(-1), { taskId: 't1', requestId })
  }
})

test('[D11] a row of version 7 that reads the terms of a call sends it anew; what it asks is an approval of the call', () => {
  const { value, context, ...rest } = aTask(asks(click), ...sent, holds('r')).kept() as Record<string, object>
  const { held, release, notApproved, allowedShapes, ...old } = context as Record<string, object>
  const then = { ...old, approved: null, reads: 1 }
  const up = (snapshot: object) =>
    upgraded({ address: 'task:t1', version: 7, at: AT, snapshot: { ...rest, ...snapshot } })
  const asked = { ...(old.inputRequest as object), call: { tool: 'computer', input: {}, terms: ['€ 5'] } }
  const waiting = alone(taskMachine, INPUT, up({ value, context: { ...then, inputRequest: asked } }))
  waiting.send(answer('r', 'r2'))
  assert.equal([underWay(waiting).requestId, underWay(waiting).isApproved], ['r2', true])
  const children = { readTerms: { src: 'readTerms', snapshot: { status: 'active' } } }
  const reading = { value: { running: 'readingTerms' }, children, context: { ...then, inputRequest: null } }
  const back = alone(taskMachine, INPUT, up(reading))
  back.send({ type: 'task.resumed', at: AT }, { type: 'call.neverSent', requestId: 'r' })
  assert.is(back.state(), 'persistingIntent')
})

test('[I4] a question is answered once, and its time ends it', () => {
  const it = aTask(asks(question))
  assert.is(it.context().inputRequest?.id, 'q')
  it.send(answer('other', 'r2'))
  assert.is(it.state(), 'waitingForInput')
  it.send({ type: 'input.expired', releaseId: 'r2', at: AT })
  assert.is(it.state(), 'thinking')
  assert.equal(it.context().answered, ['q'])
})

test.run()
