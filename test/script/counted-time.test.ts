import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CountedTime } from '../../src/script/counted-time.ts'

const test = suite('counted time')

/** A clock whose timers fire when the test says so, as late as it says. */
function lateClock() {
  let at = 0
  let timer: (() => void) | null = null
  const clock = {
    monotonic: () => at,
    setTimeout: (fire: () => void) => {
      timer = fire
    },
    clearTimeout: () => {
      timer = null
    },
  }
  const fireAfter = (ms: number) => {
    at += ms
    timer?.()
  }
  const pass = (ms: number) => {
    at += ms
  }
  return { clock, fireAfter, pass }
}

for (const [what, ticks, counted] of [
  ['timers in time', [50, 50, 50], 150],
  ['a process that is stopped for 4 s', [50, 4_000, 50], 200],
  ['a machine that sleeps for a day', [86_400_000], 100],
  ['a loop that is always late', [70, 90, 300], 260],
] as const)
  test(`[T66] ${what}: ${ticks} ms count ${counted}`, () => {
    const { clock, fireAfter } = lateClock()
    const seen: number[] = []
    const time = new CountedTime(clock, (ms) => seen.push(ms))
    time.start()
    for (const ms of ticks) fireAfter(ms)
    assert.equal([seen.length, seen.at(-1), time.ms], [ticks.length, counted, counted])
  })

test('[T66] what is left until the end counts, at most a tick, and nothing while it is stopped', () => {
  const { clock, fireAfter, pass } = lateClock()
  const time = new CountedTime(clock, () => {})
  time.start()
  pass(20)
  assert.is(time.ms, 20)
  time.stop()
  pass(1_000)
  assert.is(time.ms, 20)
  time.start()
  fireAfter(50)
  pass(9_000)
  time.stop()
  assert.is(time.ms, 170)
})

test.run()
