import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnyEventObject, type CallbackActorLogic, createActor, setup } from 'xstate'
import { Alarms, alarm, answering, type EffectTools, Errands } from '../../actors/effects.ts'
import { taskAddress } from '../../machines/addresses.ts'
import { SceneClock, settled, THEN } from '../support/scene.ts'

const test = suite('effects')

/** A machine that runs one effect while it is busy, and remembers what came of it. */
function busy<Input>(effect: (clock: SceneClock) => CallbackActorLogic<AnyEventObject, Input>, input?: Input) {
  const clock = new SceneClock(THEN)
  const came: AnyEventObject[] = []
  const machine = setup({
    types: { events: {} as AnyEventObject },
    actors: { effect: effect(clock) as CallbackActorLogic<AnyEventObject, unknown> },
    actions: { note: (_, event: AnyEventObject) => void came.push(event) },
  }).createMachine({
    initial: 'busy',
    states: {
      busy: { invoke: { src: 'effect', input: () => input }, on: { leave: 'idle' } },
      idle: {},
    },
    on: { '*': { actions: { type: 'note', params: ({ event }) => event } } },
  })
  const actor = createActor(machine, { clock }).start()
  return { clock, came, leave: () => actor.send({ type: 'leave' }), stop: () => actor.stop() }
}
const runtime = (clock: SceneClock) => ({ clock, deliver: (work: () => void) => work() })

test('an effect answers by one event, at once or later, or not at all', async () => {
  assert.equal(busy((clock) => answering(runtime(clock), () => ({ type: 'now' }))).came, [{ type: 'now' }])
  const later = busy((clock) => answering(runtime(clock), async () => ({ type: 'later' })))
  assert.equal(later.came, [])
  await settled()
  assert.equal(later.came, [{ type: 'later' }])
  const silent = busy((clock) => answering(runtime(clock), async () => null))
  await settled()
  assert.equal(silent.came, [])
})

for (const [how, run] of [
  ['throws', () => Promise.reject(new Error('a bug'))],
  [
    'throws at once',
    () => {
      throw new Error('a bug')
    },
  ],
  ['throws no error', () => Promise.reject('a bug')],
] as const)
  test(`[D14] an effect that ${how} answers that it crashed`, async () => {
    const { came } = busy((clock) => answering(runtime(clock), run))
    await settled()
    assert.equal(came, [{ type: 'effect.crashed', message: 'a bug', at: THEN }])
  })

for (const late of [() => ({ type: 'late' }), () => Promise.reject(new Error('late'))])
  test('[T33] what comes after its state was left is dropped, a crash included', async () => {
    let finish = () => {}
    const { came, leave } = busy((clock) =>
      answering(runtime(clock), async () => {
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        return late()
      }),
    )
    leave()
    finish()
    await settled()
    assert.equal(came, [])
  })

test('[T49 L4] its signal aborts when its state is left, and is aborted when it is asked for later', async () => {
  const signals: AbortSignal[] = []
  let finish = () => {}
  const { leave } = busy((clock) =>
    answering(runtime(clock), async (_, tools) => {
      signals.push(tools.signal())
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      signals.push(tools.signal())
      return null
    }),
  )
  assert.not(signals[0]?.aborted)
  leave()
  assert.ok(signals[0]?.aborted)
  finish()
  await settled()
  assert.ok(signals[1]?.aborted)
})

test('[T49] a signal that is first asked for when the state was left is aborted', async () => {
  let finish = () => {}
  let aborted: boolean | null = null
  const { leave } = busy((clock) =>
    answering(runtime(clock), async (_, tools) => {
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      aborted = tools.signal().aborted
      return null
    }),
  )
  leave()
  finish()
  await settled()
  assert.is(aborted, true)
})

/** Errands for one address, with what they posted. */
function errands() {
  const posts: [string, AnyEventObject][] = []
  const them = new Errands({ clock: new SceneClock(THEN) }, (to, event) => void posts.push([to, event]))
  return { them, posts }
}
const HOME = taskAddress('t1')

test('[D14] an errand answers its actor by one event, or that it crashed', async () => {
  const { them, posts } = errands()
  them.begin(HOME, async () => ({ type: 'later' }))
  them.begin(taskAddress('t2'), () => {
    throw new Error('a bug')
  })
  await settled()
  assert.equal(posts, [
    ['task:t2', { type: 'effect.crashed', message: 'a bug', at: THEN }],
    ['task:t1', { type: 'later' }],
  ])
})

test('[T33 T49] the next errand, or the end of its actor, ends one: its signal aborts, its answer is dropped', async () => {
  const { them, posts } = errands()
  const finish: ((event: AnyEventObject) => void)[] = []
  const signals: AbortSignal[] = []
  const work = (tools: EffectTools) => {
    signals.push(tools.signal())
    return new Promise<AnyEventObject>((resolve) => finish.push(resolve))
  }
  them.begin(HOME, work)
  them.begin(HOME, work)
  assert.equal(
    signals.map(({ aborted }) => aborted),
    [true, false],
  )
  them.stop(HOME)
  assert.ok(signals[1]?.aborted)
  for (const answer of finish) answer({ type: 'late' })
  await settled()
  assert.equal(posts, [])
})

for (const [what, input] of [
  ['at a time', { event: 'ring', at: THEN + 5_000 }],
  ['after a while', { event: 'ring', inMs: 5_000 }],
] as const)
  test(`an alarm ${what} rings then, not a millisecond earlier, and once`, async () => {
    const { clock, came } = busy((clock) => alarm(runtime(clock)), input)
    await clock.advance(4_999)
    assert.equal(came, [])
    await clock.advance(1)
    assert.equal(came, [{ type: 'ring', at: THEN + 5_000 }])
    await clock.advance(60_000)
    assert.is(came.length, 1)
  })

test('[D7] an alarm whose time is past rings at once', async () => {
  const { clock, came } = busy((clock) => alarm(runtime(clock)), { event: 'ring', at: THEN - 1 })
  await clock.advance(0)
  assert.equal(came, [{ type: 'ring', at: THEN }])
})

test('an alarm rings in the far future, beyond the longest timer of the platform', async () => {
  const day = 86_400_000
  const { clock, came } = busy((clock) => alarm(runtime(clock)), { event: 'ring', at: THEN + 30 * day })
  await clock.advance(30 * day - 1)
  assert.equal(came, [])
  await clock.advance(1)
  assert.is(came.length, 1)
})

test('[D7] a clock that was set back does not make an alarm ring early', async () => {
  const { clock, came } = busy((clock) => alarm(runtime(clock)), { event: 'ring', at: THEN + 5_000 })
  clock.jump(-3_000)
  await clock.advance(7_999)
  assert.equal(came, [])
  await clock.advance(1)
  assert.is(came.length, 1)
})

test('an alarm whose state is left leaves no timer', () => {
  const { clock, leave } = busy((clock) => alarm(runtime(clock)), { event: 'ring', inMs: 5_000 })
  assert.is(clock.pending, 1)
  leave()
  assert.is(clock.pending, 0)
})

/** Alarms that are set, with what they posted. */
function alarms() {
  const clock = new SceneClock(THEN)
  const posts: [string, AnyEventObject][] = []
  return { clock, posts, them: new Alarms({ clock }, (to, event) => void posts.push([to, event])) }
}

test('[T28] an alarm that is set tells its actor when it is time, once, and each its own', async () => {
  const { clock, posts, them } = alarms()
  them.set(HOME, { event: 'ring', at: THEN + 5_000 })
  them.set(taskAddress('t2'), { event: 'ring', inMs: 1_000 })
  await clock.advance(4_999)
  assert.equal(posts, [['task:t2', { type: 'ring', at: THEN + 1_000 }]])
  await clock.advance(60_000)
  assert.equal(posts.slice(1), [['task:t1', { type: 'ring', at: THEN + 5_000 }]])
})

test('[D7] one that is set again rings at the new time alone; one whose actor is gone leaves no timer', async () => {
  const { clock, posts, them } = alarms()
  them.set(HOME, { event: 'ring', at: THEN + 1_000 })
  them.set(HOME, { event: 'ring', at: THEN + 2_000 })
  assert.is(clock.pending, 1)
  await clock.advance(1_999)
  assert.equal(posts, [])
  await clock.advance(1)
  assert.is(posts.length, 1)
  them.set(HOME, { event: 'ring', at: THEN + 9_000 })
  them.stop(HOME)
  assert.is(clock.pending, 0)
})

test.run()
