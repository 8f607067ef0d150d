import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { misfits, schemaFault } from '../../../src/wire/schema-check.ts'
import { CASES } from './json-schema-cases.ts'

const test = suite('outputs and JSON Schema')

for (const [keywords, fits, others] of CASES)
  test(`[L31 L32] ${JSON.stringify(keywords)}`, () => {
    const schema = { type: 'object', properties: { v: keywords } }
    assert.is(schemaFault(schema), null)
    for (const value of fits) assert.is(misfits(schema, { v: value }), null, JSON.stringify(value))
    for (const value of others) assert.type(misfits(schema, { v: value }), 'string', JSON.stringify(value))
  })

test('[L32] at the root, too: a property that nobody gave is absent, whatever its name', () => {
  const schema = { type: 'object', properties: { constructor: { type: 'string' }, toString: { type: 'string' } } }
  assert.is(misfits(schema, {}), null)
  assert.match(String(misfits({ ...schema, required: ['toString'] }, {})), "must have required property 'toString'")
})

test.run()
