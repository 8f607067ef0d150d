import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnyEventObject, type CallbackActorLogic, createActor, setup } from 'xstate'
import { alarm, answering } from '../../actors/runtime/effects.ts'
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

test('an effect answers by one event, or not at all', async () => {
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

test('[T49 L4] its signal aborts when its state is left before it answered, and not afterwards', async () => {
  const signals: AbortSignal[] = []
  const effect = (event: AnyEventObject | null) => (clock: SceneClock) =>
    answering(runtime(clock), async (_, { signal }) => {
      signals.push(signal)
      return event ?? new Promise<never>(() => {})
    })
  const hanging = busy(effect(null))
  const answered = busy(effect({ type: 'done' }))
  await settled()
  hanging.leave()
  answered.leave()
  assert.equal(
    signals.map(({ aborted }) => aborted),
    [true, false],
  )
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

test.run()
