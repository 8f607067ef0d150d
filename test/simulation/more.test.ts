import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulate } from './simulation.ts'

const test = suite('seeds')

test('a seed happens again exactly', async () => {
  for (const seed of [3, 44, 120]) assert.equal(await simulate(seed), await simulate(seed))
})

test('another seed is another system', async () => {
  const hashes = new Set<string>()
  for (let seed = 1; seed <= 5; seed++) hashes.add((await simulate(seed)).hash)
  assert.is(hashes.size, 5)
})

test.run()
