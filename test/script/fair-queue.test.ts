import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { FairQueue } from '../../src/script/fair-queue.ts'
import { HandClock } from '../support/hand-clock.ts'

const test = suite('a fair queue')
const STEP_MS = 5

/** Work that computes so long, when it may. */
interface Work {
  left: number
  isGoing: boolean
  end: () => void
}

/** A queue on a clock that the test turns; what computes has used the time that passes. */
function bench() {
  const clock = new HandClock(0)
  const queue = new FairQueue(clock)
  const works = new Set<Work>()
  const compute = (key: string, ms: number, pauses = true): Promise<void> => {
    const work: Work = { left: ms, isGoing: false, end: () => {} }
    const pausable = {
      pause: async () => {
        work.isGoing = false
      },
      resume: () => {
        work.isGoing = true
      },
    }
    const begin = () =>
      new Promise<void>((resolve) => {
        work.end = resolve
        work.isGoing = true
        works.add(work)
      })
    return queue.run(key, begin, pauses ? pausable : null)
  }
  const turn = async (isOver: () => boolean) => {
    for (let steps = 0; !isOver(); steps++) {
      if (steps > 100_000) throw new Error('it does not end')
      const going = [...works].filter(({ isGoing }) => isGoing)
      assert.ok(going.length <= 1, 'one computes at a time')
      for (const work of going) {
        work.left -= STEP_MS
        if (work.left > 0) continue
        works.delete(work)
        work.end()
      }
      clock.turn(STEP_MS)
      for (let n = 0; n < 8; n++) await null
    }
  }
  /** Somebody who computes again and again. */
  const hog = async (key: string, ms: number, pauses = true) => {
    for (;;) await compute(key, ms, pauses)
  }
  return { clock, queue, compute, turn, hog }
}

for (const [what, steps, ms] of [
  ['in one piece', 1, 1_000],
  ['in twenty', 20, 50],
  ['in two hundred', 200, 5],
] as const)
  test(`[T67] a second of work ${what} beside five who never end takes 1.5 × as long, and 250 ms, at most`, async () => {
    const { clock, queue, compute, turn, hog } = bench()
    for (const key of ['a', 'b', 'c', 'd', 'e']) void hog(key, 600)
    await turn(() => clock.monotonic() >= 10_000)
    const [from, before] = [clock.monotonic(), queue.slices]
    let isOver = false
    const all = async () => {
      for (let step = 0; step < steps; step++) await compute('short', ms)
      isOver = true
    }
    void all()
    await turn(() => isOver)
    const took = clock.monotonic() - from
    assert.ok(took <= 1_500 + 250, `${took} ms`)
    // Its own, and those that others had between them.
    assert.ok(queue.slices - before <= 2 * steps + 1, `${queue.slices - before} slices`)
  })

test('[T67] who computes at the same time has as much of it, in slices of 50 ms', async () => {
  const { clock, queue, turn, hog } = bench()
  for (const key of ['a', 'b', 'c']) void hog(key, 2_000)
  await turn(() => clock.monotonic() >= 3_000)
  for (const key of ['a', 'b', 'c']) assert.ok(Math.abs(queue.usedBy(key) - 1_000) <= 110, `${queue.usedBy(key)}`)
  assert.ok(queue.slices >= 20 && queue.slices <= 70, `${queue.slices} slices`)
})

test('[T67] what cannot stand still is begun for whoever has used least', async () => {
  const { clock, compute, turn, hog } = bench()
  for (const key of ['a', 'b', 'c', 'd', 'e']) void hog(key, 1_000, false)
  await turn(() => clock.monotonic() >= 12_000)
  const from = clock.monotonic()
  let isOver = false
  void compute('short', 20, false).then(() => {
    isOver = true
  })
  await turn(() => isOver)
  assert.ok(clock.monotonic() - from <= 1_000 + 50, 'one before it at most')
})

test('[T67] what was used a minute ago does not count', async () => {
  const { clock, queue, compute, turn } = bench()
  let isOver = false
  void compute('a', 400).then(() => {
    isOver = true
  })
  await turn(() => isOver)
  assert.ok(queue.usedBy('a') >= 400)
  clock.turn(61_000)
  assert.is(queue.usedBy('a'), 0)
})

test('[T67] work that fails lets the next one begin, and a pause that came too late holds nobody', async () => {
  const { clock, queue, compute, turn } = bench()
  const failed = queue.run('a', () => Promise.reject(new Error('broken')))
  await failed.then(
    () => assert.unreachable(),
    ({ message }: Error) => assert.is(message, 'broken'),
  )
  // It ends in the very moment in which it is told to stand still.
  let resumed = 0
  const pausable = { pause: () => new Promise<void>(() => {}), resume: () => void resumed++ }
  const never = queue.run(
    'a',
    async () => void (await new Promise((resolve) => clock.setTimeout(() => resolve(0), 120))),
    pausable,
  )
  let isOver = false
  void compute('b', 10).then(() => {
    isOver = true
  })
  await turn(() => isOver)
  await never
  assert.is(resumed, 1)
})

test.run()
