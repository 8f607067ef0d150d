import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as v from 'valibot'
import { record } from '../../src/wire/record.ts'

const numbers = record(v.pipe(v.string(), v.maxLength(12, 'too long')), v.number('must be a number'))
const parsed = (json: string) => v.safeParse(numbers, JSON.parse(json))

const test = suite('records of the wire')

test('[E10] an array is no object, nor is null or a text', () => {
  for (const json of ['[1]', '[]', 'null', '"x"', '1', 'true'])
    assert.equal(
      parsed(json).issues?.map(({ message }) => message),
      ['must be an object'],
      json,
    )
})

test('[E10] a key stays, whatever it is called, and changes nothing but the result', () => {
  const json = '{"constructor":1,"__proto__":2,"prototype":3,"toString":4}'
  const { success, output } = parsed(json)
  assert.ok(success)
  assert.is(JSON.stringify(output), json)
  assert.is(Object.getPrototypeOf(output), Object.prototype)
  assert.is(({} as { toString: unknown }).toString, Object.prototype.toString)
})

test('[E10] what is wrong with a key or a value says where', () => {
  const { issues } = parsed('{"constructor":"x","a name of 13 c":1}')
  assert.equal(
    issues?.map(({ message, path }) => [message, path?.map(({ key }) => key)]),
    [
      ['must be a number', ['constructor']],
      ['too long', ['a name of 13 c']],
    ],
  )
  assert.is(v.safeParse(numbers, { a: 'x', b: 'y' }, { abortEarly: true }).issues?.length, 1)
})

test.run()
