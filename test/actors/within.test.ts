import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { messageOf, waitFor, waitUntil, within } from '../../actors/runtime/effects.ts'
import { HOUR_MS } from '../../machines/limits.ts'
import { HandClock } from '../support/hand-clock.ts'
import { SceneClock, settled, THEN } from '../support/scene.ts'

const test = suite('within a time')

/** Something that takes as long as the test lets it. */
function slow() {
  const it = { finish: (_: string) => {}, fail: (_: Error) => {}, signal: null as AbortSignal | null, begun: 0 }
  const run = (signal: AbortSignal) => {
    it.signal = signal
    it.begun++
    return new Promise<string>((resolve, reject) => {
      it.finish = resolve
      it.fail = reject
    })
  }
  return { it, run }
}

test('[L5] what answers within its time is the answer, and leaves no timer', async () => {
  const clock = new SceneClock(THEN)
  const { it, run } = slow()
  const answer = within(clock, 1_000, new AbortController().signal, run)
  await clock.advance(999)
  it.finish('yes')
  assert.is(await answer, 'yes')
  await settled()
  assert.equal([clock.pending, it.signal?.aborted], [0, false])
})

test('[L5] what does not is late, told so, and given up whether or not it heeds', async () => {
  const clock = new SceneClock(THEN)
  const { it, run } = slow()
  const answer = within(clock, 1_000, new AbortController().signal, run)
  await clock.advance(1_000)
  assert.is(await answer, 'late')
  assert.ok(it.signal?.aborted)
  it.fail(new Error('aborted'))
  await settled()
})

test('[L5] the time counts anew from each sign of life', async () => {
  const clock = new SceneClock(THEN)
  let renew = () => {}
  const answer = within(clock, 1_000, new AbortController().signal, (_, again) => {
    renew = again
    return new Promise<string>(() => {})
  })
  let late = false
  void answer.then(() => {
    late = true
  })
  for (let count = 0; count < 3; count++) {
    await clock.advance(999)
    renew()
  }
  await clock.advance(999)
  assert.not.ok(late)
  await clock.advance(1)
  assert.is(await answer, 'late')
  await settled()
  assert.is(clock.pending, 0)
})

test('[T49 L4] what is not wanted any more is given up at once; what is not wanted at all is not begun', async () => {
  const clock = new SceneClock(THEN)
  const wanted = new AbortController()
  const { it, run } = slow()
  const answer = within(clock, 1_000, wanted.signal, run)
  wanted.abort()
  assert.is(await answer, 'late')
  assert.equal([it.signal?.aborted, clock.pending], [true, 0])
  assert.is(await within(clock, 1_000, wanted.signal, run), 'late')
  assert.is(it.begun, 1)
})

for (const [what, ms] of [
  ['back by an hour', -HOUR_MS],
  ['on by an hour', HOUR_MS],
  ['back to its beginning', -THEN],
] as const)
  test(`[L5] a clock that is set ${what} neither lengthens nor shortens a time, nor a pause`, async () => {
    const clock = new HandClock(THEN)
    let paused = true
    const answer = within(clock, 1_000, new AbortController().signal, slow().run)
    const pause = waitFor(clock, 1_000, new AbortController().signal).then(() => {
      paused = false
    })
    clock.move(ms)
    clock.turn(999)
    await settled()
    assert.equal([clock.pending(), paused], [2, true])
    clock.turn(1)
    assert.is(await answer, 'late')
    await pause
    assert.is(clock.pending(), 0)
  })

test('[I4] what is due at a time of the clock comes later when that is set back', async () => {
  const clock = new HandClock(THEN)
  let over = false
  void waitUntil(clock, THEN + 1_000, new AbortController().signal).then(() => {
    over = true
  })
  clock.move(-500)
  clock.turn(1_000)
  await settled()
  assert.not.ok(over)
  clock.turn(500)
  await settled()
  assert.ok(over)
})

test('[D14] what throws rejects, and leaves no timer', async () => {
  const clock = new SceneClock(THEN)
  for (const run of [
    () => Promise.reject(new Error('a bug')),
    () => {
      throw new Error('a bug')
    },
  ]) {
    const failed = await within(clock, 1_000, new AbortController().signal, run).catch(messageOf)
    await settled()
    assert.equal([failed, clock.pending], ['a bug', 0])
  }
})

test.run()
