import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MUTATIONS } from './mutations/list.ts'
import { NODE_MUTATIONS } from './nodes/mutations.ts'
import { simulate } from './simulation.ts'

const test = suite('seeds')

test('a seed happens again exactly', async () => {
  for (const seed of [3]) assert.equal(await simulate(seed), await simulate(seed))
})

test('each mutation finds what it breaks in the code', () => {
  for (const { name, also = [], ...first } of [...MUTATIONS, ...NODE_MUTATIONS])
    for (const { file, from } of [first, ...also]) assert.is(readFileSync(file, 'utf8').split(from).length - 1, 1, name)
})

test('another seed is another system', async () => {
  const hashes = new Set<string>()
  for (let seed = 1; seed <= 3; seed++) hashes.add((await simulate(seed)).hash)
  assert.is(hashes.size, 3)
})

test.run()
