import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leafOf } from '../../actors/events/task-events.ts'
import type { EndedBy, JournalCall } from '../../machines/records.ts'
import { taskMachine } from '../../machines/task.ts'
import { crashEnding } from '../../machines/task-endings.ts'
import type { TaskEvent } from '../../machines/task-types.ts'
import { alone } from '../support/machine.ts'
import { walk } from '../support/walk.ts'

const test = suite('task endings')

const AT = 5_000
const INPUT = { taskId: 't1', workspaceId: 'w1', sessionId: 's1', requestId: null, deadlineAt: 1_800_000, verify: true }
const call: JournalCall = { requestId: 'r', tool: 'find', input: {}, refusal: null }
const reply = { text: 'I look.', usage: { inputTokens: 10, outputTokens: 2, apiCalls: 1 }, model: 'm', at: AT }
const called: TaskEvent = { type: 'model.requestedTools', calls: [call], ...reply }
const kept: TaskEvent = { type: 'intent.kept', browserInstanceId: null, at: AT }
const away: TaskEvent = { type: 'session.away', requestId: 'r' }
const resumed: TaskEvent = { type: 'task.resumed', at: AT }
const faltered: TaskEvent = { type: 'model.failedRetryably', message: 'm', rateLimited: false, retryAt: AT, at: AT }

/** The way into each state in which a task stays. */
const WAYS: Readonly<Record<string, readonly TaskEvent[]>> = {
  thinking: [],
  backingOff: [faltered],
  persistingIntent: [called],
  acting: [called, kept],
  waitingForBrowser: [called, kept, away],
  reconciling: [called, kept, resumed],
}

/** What each state invokes, beside the deadline that runs as long as the task; the others begin theirs on entry. */
const INVOKED: Readonly<Record<string, string>> = {
  backingOff: 'alarm',
  waitingForBrowser: 'alarm',
  reconciling: 'reconcile',
}

const ENDINGS: readonly (readonly [TaskEvent, EndedBy, failure: string, answer: string])[] = [
  [{ type: 'task.cancel', at: AT }, 'cancelled', 'aborted', 'Task was cancelled.'],
  [{ type: 'deadline.reached', at: AT }, 'time_limit', 'timeout', 'Task exceeded the time limit of 30 minutes.'],
  [{ type: 'task.sweep', at: AT }, 'sweep', 'timeout', 'Task exceeded maximum duration (janitor cleanup).'],
  [{ type: 'task.shutdown', at: AT }, 'shutdown', 'aborted', 'Task interrupted by server shutdown.'],
  [{ type: 'effect.crashed', message: 'a bug', at: AT }, 'crash', 'internal', 'Agent loop crashed: a bug'],
]

for (const [state, way] of Object.entries(WAYS)) {
  const inState = () => {
    const it = alone(taskMachine, INPUT)
    it.send(...way)
    assert.is(it.state(), state)
    return it
  }
  for (const [event, endedBy, failure, answer] of ENDINGS)
    test(`[T26 T36] ${event.type} ends it while it is ${state}`, () => {
      const it = inState()
      it.stopped.length = 0
      it.send(event)
      const { completedAt, status, ...ending } = it.output() ?? {}
      assert.equal([ending.endedBy, ending.failure, ending.answer], [endedBy, failure, answer])
      assert.equal([status, completedAt], ['error', AT])
      // What its states invoked or began ends with them.
      const begun = it.deeds.filter(({ type }) => type === 'ask' || type === 'keep').length
      assert.is(it.did('endEffect').length, begun)
      const invoked = INVOKED[state]
      assert.equal(it.stopped.sort(), ['alarm', 'alarm', ...(invoked ? [invoked] : [])].sort())
      const asked = way.includes(called)
      const abandoned = { to: 'session:s1', event: { type: 'call.abandon', requestId: 'r' } }
      assert.equal(it.posts(), asked ? [abandoned] : [])
      assert.is(it.output()?.usage.apiCalls, asked ? 1 : 0)
    })

  test(`[D7] ${state} is kept and comes back as itself, with the deadline at its absolute time`, () => {
    const it = alone(taskMachine, INPUT, inState().kept())
    assert.is(it.state(), state)
    const invoked = INVOKED[state]
    assert.equal(it.deeds.map(({ type }) => type).sort(), ['alarm', 'alarm', ...(invoked ? [invoked] : [])].sort())
    assert.ok(it.did('alarm').some((input) => (input as { at?: number }).at === 1_800_000))
    it.send(resumed)
    // What a state began by itself it begins again; what may have left is asked for.
    const again = it.deeds.filter(({ type }) => type !== 'endEffect').at(-1)
    assert.is(again?.type, { thinking: 'ask', backingOff: 'alarm' }[state] ?? 'reconcile')
  })
}

/** Where a task goes on after a restart: a call whose frame may have left is asked after before it is repeated. */
const RESUMES: Readonly<Record<string, string>> = {
  thinking: 'thinking',
  backingOff: 'backingOff',
  persistingIntent: 'reconciling',
  acting: 'reconciling',
  waitingForBrowser: 'reconciling',
  reconciling: 'reconciling',
}
for (const [state, then] of Object.entries(RESUMES))
  test(`[D7 D8] resumed while ${state}, it is ${then}`, () => {
    const before = alone(taskMachine, INPUT)
    before.send(...(WAYS[state] ?? []))
    const it = alone(taskMachine, INPUT, before.kept())
    it.send(resumed)
    assert.is(it.state(), then)
    assert.equal(it.did('openCall'), [])
  })

test('[D7 D8] a call whose frame has not left is kept anew, for the browser that is there', () => {
  const before = alone(taskMachine, INPUT)
  before.send(...(WAYS.waitingForBrowser ?? []))
  const it = alone(taskMachine, INPUT, before.kept())
  it.send(resumed)
  assert.is(it.context().browserInstanceId, null)
  it.send({ type: 'call.neverSent', requestId: 'another' })
  assert.is(it.state(), 'reconciling')
  it.send({ type: 'call.neverSent', requestId: 'r' })
  assert.is(it.state(), 'persistingIntent')
})

test('[D7] backing off, the retry keeps its absolute time', () => {
  const before = alone(taskMachine, INPUT)
  before.send(faltered)
  assert.equal(alone(taskMachine, INPUT, before.kept()).did('alarm'), [
    { event: 'deadline.near', at: 1_740_000 },
    { event: 'deadline.reached', at: 1_800_000 },
    { event: 'retry.due', at: AT },
  ])
})

test('[D8] reconciling: a result in the journal, or an outcome, or unknown; then it goes on', () => {
  for (const event of [
    { type: 'call.recovered', requestId: 'r', halted: null, at: AT },
    { type: 'call.settled', requestId: 'r', outcome: { status: 'unknown' }, at: AT },
    { type: 'session.lost', sessionId: 's1', at: AT },
  ] satisfies TaskEvent[]) {
    const it = alone(taskMachine, INPUT)
    it.send(...(WAYS.reconciling ?? []), event)
    assert.is(it.state(), 'thinking', event.type)
    // What is in the journal is not noted a second time.
    assert.is(it.did('recordResult').length, event.type === 'call.recovered' ? 0 : 1)
  }
})

test('[D8 L24] a recovered result that failed lets no call behind it run', () => {
  const two: TaskEvent = { type: 'model.requestedTools', calls: [call, { ...call, requestId: 's' }], ...reply }
  for (const [halted, then] of [
    ['failure', 'thinking'],
    [null, 'persistingIntent'],
  ] as const) {
    const it = alone(taskMachine, INPUT)
    it.send(two, kept, resumed, { type: 'call.recovered', requestId: 'r', halted, at: AT })
    assert.is(it.state(), then)
  }
})

test('[D7] the row of a task that acts is the one of its intent', () => {
  const it = alone(taskMachine, INPUT)
  it.send(...(WAYS.acting ?? []))
  assert.ok(it.snapshot().hasTag('transient'))
  for (const state of ['thinking', 'backingOff', 'persistingIntent', 'waitingForBrowser', 'reconciling']) {
    const other = alone(taskMachine, INPUT)
    other.send(...(WAYS[state] ?? []))
    assert.not(other.snapshot().hasTag('transient'), state)
  }
})

test('[T27] of a task whose own actor broke, what can be saved is saved', () => {
  const it = alone(taskMachine, INPUT)
  it.send(called)
  const usage = { inputTokens: 10, outputTokens: 2, apiCalls: 1 }
  const { steps, answer, usage: saved, model } = crashEnding('t1', 'a bug', it.context(), AT)
  assert.equal([steps, answer, saved, model], [1, 'Agent loop crashed: a bug', usage, 'm'])
  assert.is(crashEnding('t1', 'a bug', undefined, AT).steps, 0)
})

const settled = (at: number): TaskEvent => ({
  type: 'call.settled',
  requestId: 'r',
  outcome: { status: 'unknown' },
  at,
})
const EVENTS: TaskEvent[] = [
  called,
  { ...called, calls: [{ ...call, refusal: 'no' }] } as TaskEvent,
  { type: 'model.answered', ...reply },
  faltered,
  { type: 'model.failed', message: 'm', rateLimited: true, at: AT },
  { type: 'model.timedOut', at: AT },
  { type: 'retry.due', at: AT },
  kept,
  { type: 'intent.kept', browserInstanceId: 'other', at: AT },
  settled(AT),
  { type: 'call.recovered', requestId: 'r', halted: null, at: AT },
  away,
  { type: 'session.connected' },
  { type: 'session.lost', sessionId: 's1', at: AT },
  { type: 'session.lost', sessionId: 's2', at: AT },
  { type: 'browserWait.timedOut', at: AT },
  resumed,
  ...ENDINGS.map(([event]) => event),
]

/** [Z5] What a task of a pool can meet beside. */
const OF_POOLS: TaskEvent[] = [
  ...[called, { type: 'model.answered', ...reply } as const, kept, settled(AT), away, resumed],
  ...[{ type: 'session.connected' } as const, { type: 'browserWait.timedOut', at: AT } as const],
  { type: 'place.given', sessionId: 's2' },
  ...ENDINGS.slice(0, 1).map(([event]) => event),
]

const walked = (input: typeof INPUT & { pool?: string }, events: readonly TaskEvent[]) =>
  walk(taskMachine, {
    input,
    events: [...events],
    key: ({ value, context }) =>
      `${JSON.stringify(value)} ${context.attempt} ${Math.min(context.progress.length, 6)} ${context.halted} ${context.answerChecked} ${context.browserInstanceId} ${context.sessionId} ${context.pageLost} ${context.end?.endedBy}`,
    check: ({ snapshot, path, effects, handles }) => {
      const where = path.join(' → ')
      if (snapshot.status === 'done') return assert.ok(snapshot.output, where)
      for (const [event] of ENDINGS)
        if (events.includes(event)) assert.is(handles[event.type]?.length, 1, `${event.type} after ${where}`)
      const opened = effects.filter(({ type }) => type === 'openCall').length
      const keptTimes = path.filter((type) => type === 'intent.kept').length
      assert.ok(opened <= keptTimes, where)
      // Its deadline and the minute before it, and what its state waits for; a call is answered by its session.
      const state = leafOf(snapshot.value)
      const begins = { thinking: 'ask', persistingIntent: 'keep' }[state]
      const running = effects.filter(({ type }) => ['ask', 'keep', 'endEffect'].includes(type)).at(-1)?.type
      assert.is(begins ?? 'endEffect', running, where)
      const own = begins || state === 'acting' ? 0 : state === 'changingBrowser' ? 2 : 1
      assert.is(Object.keys(snapshot.children).length, 2 + own, where)
      // A reply counts once, and is kept with the step that counts it.
      const replies = path.filter((type) => type === 'model.requestedTools' || type === 'model.answered').length
      assert.is(effects.filter(({ type }) => type === 'recordReply').length, replies, where)
    },
  })

// It was not queued, nobody is asked (task-input.test.ts), and no call is the service's own (task-serving.test.ts).
const OTHERS = [
  ...['task.queued', 'task.running.callingTool.serving', 'task.running.waitingForPeople'],
  ...['task.running.waitingForPeople.paused', 'task.running.waitingForPeople.waitingForInput'],
]

test('every path: each state can be ended, no call leaves unkept, and nobody waits without an alarm or an effect', () =>
  assert.equal(
    walked(INPUT, EVENTS).unreached.toSorted(),
    [...OTHERS, 'task.running.callingTool.changingBrowser'].sort(),
  ))

test('[Z5] every path of a task of a pool, whose browser may change at any time: the same', () =>
  assert.equal(
    walked({ ...INPUT, pool: 'p' }, OF_POOLS).unreached.toSorted(),
    [...OTHERS, 'task.running.askingModel.backingOff'].sort(),
  ))

test.run()
