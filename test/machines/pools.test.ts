import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  freeBrowser,
  hasBrowser,
  moved,
  NO_POOLS,
  type Pools,
  poolCounts,
  withBrowser,
  withMove,
  withoutBrowser,
  withoutTask,
  withPlace,
} from '../../machines/pools.ts'

const test = suite('pools')

const joined = (...browsers: readonly (readonly [id: string, places: number, pool?: string])[]): Pools =>
  browsers.reduce((pools, [id, places, pool = 'p']) => withBrowser(pools, id, { pool, places }), NO_POOLS)

test('[Z2] a task gets the browser of its pool that has most free places', () => {
  let pools = joined(['a', 1], ['b', 3], ['c', 9, 'other'])
  const given = ['t1', 't2', 't3', 't4', 't5'].map((task) => {
    pools = withPlace(pools, task, 'p')
    return pools.places[task]
  })
  assert.equal(given, ['b', 'b', 'a', 'b', undefined])
  assert.is(freeBrowser(pools, 'p'), undefined)
  assert.is(freeBrowser(withoutTask(pools, 't3'), 'p'), 'a')
})

test('[Z3] a pool whose browsers have left is empty, one whose places are taken is busy', () => {
  const busy = withPlace(joined(['a', 1]), 't1', 'p')
  assert.equal([hasBrowser(busy, 'p'), freeBrowser(busy, 'p')], [true, undefined])
  assert.equal([hasBrowser(withoutBrowser(busy, 'a'), 'p'), hasBrowser(busy, 'other')], [false, false])
})

test('[Z5] tasks whose browser is gone get free places in the order in which they asked', () => {
  let pools = withPlace(withPlace(joined(['a', 2]), 't1', 'p'), 't2', 'p')
  pools = withMove(withMove(withoutBrowser(pools, 'a'), 't2', 'p'), 't1', 'p')
  assert.equal(moved(pools).moves, [])
  pools = withBrowser(pools, 'b', { pool: 'p', places: 1 })
  const first = moved(pools)
  assert.equal(first.moves, [{ taskId: 't2', sessionId: 'b' }])
  assert.equal(first.pools.moving, [{ taskId: 't1', pool: 'p' }])
  const second = moved(withoutTask(first.pools, 't2'))
  assert.equal(second.moves, [{ taskId: 't1', sessionId: 'b' }])
  assert.equal(second.pools.places, { t1: 'b' })
})

test('[Z5] a browser that came back has the places that its tasks did not give up', () => {
  const away = withoutBrowser(withPlace(joined(['a', 1]), 't1', 'p'), 'a')
  assert.is(freeBrowser(withBrowser(away, 'a', { pool: 'p', places: 1 }), 'p'), undefined)
})

test('[Z9] places, used ones and waiting tasks are counted by pool', () => {
  const pools = withMove(withPlace(joined(['a', 2], ['b', 3]), 't1', 'p'), 't2', 'p')
  assert.equal(
    [...poolCounts(pools, ['p', 'q'])],
    [
      ['p', { places: 5, used: 1, waiting: 2 }],
      ['q', { places: 0, used: 0, waiting: 1 }],
    ],
  )
})

test('[Z2] whatever happens, no browser has more tasks than places, and no task two places', () => {
  const id = fc.integer({ min: 0, max: 4 }).map(String)
  const change = fc.record({ does: fc.constantFrom('join', 'leave', 'start', 'move', 'end'), id })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      let pools: Pools = NO_POOLS
      for (const { does, id } of changes) {
        // A browser that comes back has as many places as before.
        if (does === 'join' && !(id in pools.browsers))
          pools = withBrowser(pools, id, { pool: 'p', places: Number(id) + 1 })
        if (does === 'leave') pools = withoutBrowser(pools, id)
        if (does === 'start' && !(id in pools.places) && !pools.moving.some(({ taskId }) => taskId === id))
          pools = withPlace(pools, id, 'p')
        if (does === 'move' && id in pools.places) pools = withMove(pools, id, 'p')
        if (does === 'end') pools = withoutTask(pools, id)
        pools = moved(pools).pools
        for (const [session, browser] of Object.entries(pools.browsers)) {
          const used = Object.values(pools.places).filter((each) => each === session).length
          assert.ok(used <= browser.places, `${used} tasks in ${browser.places} places`)
        }
        const waiting = pools.moving.map(({ taskId }) => taskId)
        assert.equal(
          waiting.filter((taskId) => taskId in pools.places),
          [],
        )
        if (waiting.length > 0) assert.is(freeBrowser(pools, 'p'), undefined, 'nobody waits beside a free place')
      }
    }),
    { numRuns: 300 },
  )
})

test.run()
