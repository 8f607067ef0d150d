import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Store } from '../../actors/runtime/ports.ts'
import type { KeyRecord } from '../../machines/records.ts'
import { remembered } from '../../src/stores/key-cache.ts'
import { KEY_CACHE_MS_MAX } from '../../src/stores/limits.ts'
import { aKey } from '../support/stores.ts'

/** Keys of a store that another process may change, and how often they were read. */
function keysAt(late: boolean) {
  const kept = new Map<string, KeyRecord>()
  const clock = { now: 1_000 }
  const seen = { reads: 0, answer: () => {} }
  const keys: Store['keys'] = {
    async insert(record) {
      kept.set(record.keyHash, record)
    },
    byHash(hash) {
      seen.reads++
      const record = kept.get(hash) ?? null
      if (!late) return Promise.resolve(record)
      return new Promise((resolve) => {
        seen.answer = () => resolve(record)
      })
    },
    list: async () => [...kept.values()],
    missing: async () => [],
    touch: async () => {},
    async remove(_, id) {
      const record = [...kept.values()].find((one) => one.id === id)
      return record !== undefined && kept.delete(record.keyHash)
    },
  }
  return { kept, clock, seen, keys: remembered(keys, () => clock.now) }
}

const test = suite('remembered keys')

test('a key is read once in half a second', async () => {
  const { keys, seen, clock } = keysAt(false)
  const key = aKey()
  await keys.insert(key)
  for (const later of [0, 0, KEY_CACHE_MS_MAX]) {
    clock.now += later
    assert.equal(await keys.byHash(key.keyHash), key)
  }
  assert.is(seen.reads, 1)
  clock.now += 1
  assert.equal(await keys.byHash(key.keyHash), key)
  assert.is(seen.reads, 2)
})
test('[K6 Q4] a key that another process revokes is refused within half a second', async () => {
  const { keys, kept, clock } = keysAt(false)
  const key = aKey()
  await keys.insert(key)
  await keys.byHash(key.keyHash)
  kept.delete(key.keyHash)
  clock.now += KEY_CACHE_MS_MAX + 1
  assert.is(await keys.byHash(key.keyHash), null)
})
test('[K6] a key that this process removes is dead at once, and its neighbour lives', async () => {
  const { keys } = keysAt(false)
  const [gone, other] = [aKey(), aKey()]
  await keys.insert(gone)
  await keys.insert(other)
  for (const { keyHash } of [gone, other]) await keys.byHash(keyHash)
  assert.is(await keys.remove(gone.workspaceId, gone.id), true)
  assert.is(await keys.byHash(gone.keyHash), null)
  assert.equal(await keys.byHash(other.keyHash), other)
})
test('a key is known as it was last found until it is looked for in vain', async () => {
  const { keys, kept, clock } = keysAt(false)
  const key = aKey()
  await keys.insert(key)
  assert.is(keys.lastFound?.(key.keyHash), undefined)
  await keys.byHash(key.keyHash)
  clock.now += KEY_CACHE_MS_MAX + 1
  kept.delete(key.keyHash)
  assert.equal(keys.lastFound?.(key.keyHash), key)
  assert.is(await keys.byHash(key.keyHash), null)
  assert.is(keys.lastFound?.(key.keyHash), undefined)
})
test('[K6] an answer that was under way while its key was removed is not remembered', async () => {
  const { keys, seen } = keysAt(true)
  const key = aKey()
  await keys.insert(key)
  const early = keys.byHash(key.keyHash)
  const answerEarly = seen.answer
  await keys.remove(key.workspaceId, key.id)
  answerEarly()
  assert.equal(await early, key)
  const next = keys.byHash(key.keyHash)
  seen.answer()
  assert.is(await next, null)
})

test.run()
