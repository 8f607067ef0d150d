import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MUTATIONS } from './mutations/list.ts'
import { NODE_MUTATIONS } from './nodes/mutations.ts'
import { simulate } from './simulation.ts'

const test = suite('seeds')

test('a seed happens again exactly, and another seed is another system', async () => {
  const [first, again, other] = [await simulate(3), await simulate(3), await simulate(4)]
  assert.equal(again, first)
  assert.is.not(other.hash, first.hash)
})

test('each mutation finds what it breaks in the code', () => {
  for (const { name, also = [], ...first } of [...MUTATIONS, ...NODE_MUTATIONS])
    for (const { file, from } of [first, ...also]) assert.is(readFileSync(file, 'utf8').split(from).length - 1, 1, name)
})

test.run()
