import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ClosingEvent } from '../../machines/closing.ts'
import { closingMachine } from '../../machines/closing.ts'
import { TASK_STUCK_MS } from '../../machines/limits.ts'
import { ANSWERS } from '../../machines/texts.ts'
import { alone } from '../support/machine.ts'
import { anEnding } from '../support/stores.ts'
import { walk } from '../support/walk.ts'

const test = suite('closing')

const AT = 5_000
const ending = anEnding('t1', { completedAt: AT })
const INPUT = { ending, workspaceId: 'w1', billed: true }
const lost: ClosingEvent = { type: 'store.failed', message: 'away' }
const over: ClosingEvent = { type: 'pause.over', at: AT }
const crashed: ClosingEvent = { type: 'effect.crashed', message: 'a bug', at: AT }
const written: ClosingEvent = { type: 'write.done' }
const UP_TO_WRITING: ClosingEvent[] = [{ type: 'charge.done' }, { type: 'usage.recorded' }]
const sweep = (at: number): ClosingEvent => ({ type: 'tasks.sweep', at })

const aClosing = (...events: ClosingEvent[]) => {
  const it = alone(closingMachine, INPUT)
  it.send(...events)
  return it
}
const workspaceHears = (type: string) => ({ to: 'workspace:w1', event: { type, taskId: 't1' } })
const names = (it: ReturnType<typeof aClosing>) => it.deeds.map(({ type }) => type)

test('[T25 B13 W1 D6] it charges, records usage, writes, and only then announces', () => {
  const it = aClosing(...UP_TO_WRITING)
  assert.equal(names(it), ['charge', 'post', 'recordUsage', 'write'])
  it.send(written)
  assert.equal(names(it).slice(4), ['post', 'announce', 'callWebhook'])
  assert.not(it.done())
  it.send({ type: 'webhook.done' })
  assert.is(names(it).at(-1), 'release')
  assert.equal(it.posts(), [workspaceHears('task.charged'), workspaceHears('task.written')])
  assert.equal(it.did('announce'), [{ ending }])
  assert.ok(it.done())
})

test('[T33 D3 B3] ended by somebody else first: nothing is announced, and what was taken is given back', () => {
  const it = aClosing(...UP_TO_WRITING, { type: 'write.late' })
  assert.is(it.state(), 'refunding')
  it.send({ type: 'refund.done' })
  assert.ok(it.done())
  assert.equal([it.did('announce'), it.did('release').length], [[], 1])
  assert.equal(it.posts(), [workspaceHears('task.charged')])
})

test('[T32] the final write is tried twice, a second apart', () => {
  const it = aClosing(...UP_TO_WRITING, lost)
  assert.is(it.state(), 'pausing')
  assert.equal(it.did('alarm'), [{ event: 'pause.over', inMs: 1_000 }])
  it.send(over)
  assert.is(it.did('write').length, 2)
  it.send(lost)
  assert.is(it.state(), 'finalWriteFailed')
})

test('[T32 W6] finalWriteFailed, nothing is announced; when the store is back it is written and announced once', () => {
  const it = aClosing(...UP_TO_WRITING, lost, over, lost)
  assert.equal(it.did('announce'), [])
  it.send(over, lost, over)
  assert.is(it.state(), 'writing')
  it.send(lost, over, written)
  assert.is(it.did('announce').length, 1)
  assert.is(it.did('charge').length, 1)
})

test('[T29 T32 B3] finalWriteFailed for longer than 35 minutes, the sweep ends it as swept, and the credit is given back first', () => {
  const it = aClosing(...UP_TO_WRITING, lost, over, lost)
  it.send(sweep(AT + TASK_STUCK_MS))
  assert.is(it.state(), 'finalWriteFailed')
  it.send(sweep(AT + TASK_STUCK_MS + 1))
  assert.is(it.state(), 'refundingSwept')
  assert.equal(it.did('refund'), [{ taskId: 't1' }])
  it.send({ type: 'refund.done' }, written, { type: 'webhook.done' })
  const [announced] = it.did('announce') as { ending: object }[]
  assert.equal(announced?.ending, {
    ...ending,
    status: 'error',
    answer: ANSWERS.sweep,
    failure: 'timeout',
    endedBy: 'sweep',
    completedAt: AT + TASK_STUCK_MS + 1,
  })
})

/** Where each effect is at work, and the way there. */
const WAYS: Readonly<Record<string, readonly ClosingEvent[]>> = {
  charging: [],
  recordingUsage: UP_TO_WRITING.slice(0, 1),
  writing: UP_TO_WRITING,
  refunding: [...UP_TO_WRITING, { type: 'write.late' }],
  announcing: [...UP_TO_WRITING, written],
  refundingSwept: [...UP_TO_WRITING, lost, over, lost, sweep(AT + TASK_STUCK_MS + 1)],
}
for (const [state, way] of Object.entries(WAYS)) {
  for (const event of state === 'writing' ? [crashed] : [lost, crashed])
    test(`[D13 B3 B13] ${event.type} while ${state}: it waits a second and goes on there`, () => {
      const it = aClosing(...way, event)
      assert.is(it.state(), 'waitingForStore')
      assert.equal(it.did('alarm').at(-1), { event: 'pause.over', inMs: 1_000 })
      it.send(over)
      assert.is(it.state(), state)
    })
  test(`[D7] ${state} is kept, comes back as itself, and begins again what was under way`, () => {
    const before = aClosing(...way)
    const it = alone(closingMachine, INPUT, before.kept())
    assert.is(it.state(), state)
    assert.equal(it.deeds, before.deeds.slice(-1))
  })
}

for (const [state, way] of [
  ['pausing', [...UP_TO_WRITING, lost]],
  ['finalWriteFailed', [...UP_TO_WRITING, lost, over, lost]],
  ['waitingForStore', [...UP_TO_WRITING.slice(0, 1), lost]],
] as const)
  test(`[D7] ${state} is kept, comes back, and goes on when its pause is over`, () => {
    const it = alone(closingMachine, INPUT, aClosing(...way).kept())
    assert.is(it.state(), state)
    assert.equal(it.deeds, [{ type: 'alarm', params: { event: 'pause.over', inMs: 1_000 } }])
    it.send(over)
    assert.is(it.state(), state === 'waitingForStore' ? 'recordingUsage' : 'writing')
  })

test('every path: written at most once, announced only after it, slotVersion exactly at the end', () => {
  const walked = walk(closingMachine, {
    input: INPUT,
    events: [
      { type: 'charge.done' },
      { type: 'usage.recorded' },
      written,
      { type: 'write.late' },
      { type: 'refund.done' },
      lost,
      over,
      sweep(AT),
      sweep(AT + TASK_STUCK_MS + 1),
      crashed,
      { type: 'webhook.done' },
    ],
    // Where it goes on after a wait is what matters of its past.
    key: ({ value, context, historyValue }) =>
      `${JSON.stringify(value)} ${context.attempt} ${context.ending.endedBy} ${Object.values(historyValue)
        .flat()
        .map(({ key }) => key)}`,
    check: ({ snapshot, path, effects }) => {
      const count = (name: string) => effects.filter(({ type }) => type === name).length
      const where = path.join(' → ')
      assert.is(count('announce'), path.filter((type) => type === 'write.done').length, where)
      assert.is(count('release'), snapshot.status === 'done' ? 1 : 0, where)
      // One thing is under way as long as it lives: the effect or the pause of its state.
      assert.is(Object.keys(snapshot.children).length, snapshot.status === 'active' ? 1 : 0, where)
    },
  })
  assert.equal(walked.unreached, [])
})

test.run()
