import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { uuidAt } from '../../machines/uuid.ts'
import { THEN } from '../support/stores.ts'

const test = suite('ids')

test('[E15] an id that has its time in it is a UUID of version 7, with the chance of the random one', () => {
  const random = randomUUID()
  const id = uuidAt(THEN + 0.5, random)
  assert.match(id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  assert.is(Number.parseInt(id.replace('-', '').slice(0, 12), 16), THEN)
  assert.is(id.slice(15), random.slice(15))
})

test('ids sort by their time', () => {
  const times = [0, 1, 15, 16, 255, 2 ** 31, 2 ** 32, THEN - 1, THEN, THEN + 1, 2 ** 45]
  const ids = times.map((at) => uuidAt(at, randomUUID()))
  assert.equal([...ids].sort(), ids)
})

test.run()
