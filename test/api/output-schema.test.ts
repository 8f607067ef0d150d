import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as v from 'valibot'
import { outputSchema } from '../../src/wire/output-schema.ts'
import { misfits, schemaFault } from '../../src/wire/schema-check.ts'
import { resolveReferences } from '../../src/wire/schema-references.ts'

const test = suite('output_schema')

/** What is wrong with a schema, or the schema as it is kept. */
const read = (schema: unknown): unknown => {
  const parsed = v.safeParse(outputSchema, schema)
  if (!parsed.success) return parsed.issues[0].message
  const resolved = resolveReferences(parsed.output)
  const wrong = 'fault' in resolved ? resolved : schemaFault(resolved.schema)
  return wrong ? `${wrong.at === '' ? '' : `at ${wrong.at} `}${wrong.fault}` : (resolved as { schema: object }).schema
}
const said = (schema: unknown): string => String(read(schema))
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const text = { type: 'string' }
const nested = (levels: number): object => (levels === 1 ? text : object({ a: nested(levels - 1) }))
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, text]))
/** Each definition holds the next one twice. */
const doubling = (count: number) =>
  Object.fromEntries([
    ...Array.from({ length: count }, (_, at) => [`d${at}`, { oneOf: Array(40).fill({ $ref: `#/$defs/d${at + 1}` }) }]),
    [`d${count}`, text],
  ])

test('[L31] a schema is kept with its references resolved, without $schema, $id and $defs', () => {
  const item = object({ price: { $ref: '#/$defs/price', description: 'In euros.' } })
  const schema = object(
    { items: { type: 'array', items: { $ref: '#/$defs/item' } }, total: { $ref: '#/$defs/price', minimum: 1 } },
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/order.json',
      $defs: { item, price: { type: 'number' } },
    },
  )
  const price = { type: 'number', description: 'In euros.' }
  assert.equal(read(schema), {
    type: 'object',
    properties: {
      items: { type: 'array', items: { type: 'object', properties: { price } } },
      total: { minimum: 1, allOf: [{ type: 'number' }] },
    },
  })
})

test('[L31] limits: 16 KB, 8 levels, 200 properties, also of what references make of it', () => {
  assert.type(read(nested(8)), 'object')
  assert.match(said(nested(9)), /^at \/properties\/a(\/properties\/a){7} is more than 8 levels deep$/)
  assert.type(read(object(many(200))), 'object')
  assert.is(read(object(many(201))), 'at /properties goes beyond 200 properties in all')
  const twice = object({ a: { $ref: '#/$defs/h' }, b: { $ref: '#/$defs/h' } }, { $defs: { h: object(many(120)) } })
  assert.is(read(twice), 'at /$defs/h/properties goes beyond 200 properties in all')
  assert.is(read(object({ a: { description: 'x'.repeat(16 * 1024) } })), 'must be at most 16 KB')
  assert.match(said(object({ a: { $ref: '#/$defs/d0' } }, { $defs: doubling(6) })), 'makes the schema too large')
  let deep: object = text
  for (let level = 0; level < 20_000; level++) deep = { items: deep }
  assert.is(read(object({ a: deep })), 'is nested too deep')
})

for (const [what, schema, error] of [
  ['a root that is no object', { type: 'array' }, 'at /type must be "object"'],
  ['no root type', {}, 'at /type must be "object"'],
  ['an array', [], 'must be a JSON Schema (an object)'],
  ['another draft', { ...object({}), $schema: 'http://json-schema.org/draft-07/schema#' }, 'at /$schema must be'],
  ['a remote $ref', object({ a: { $ref: 'https://x/y.json' } }), 'at /properties/a/$ref must point into this schema'],
  ['a relative $ref', object({ a: { $ref: 'y.json' } }), 'at /properties/a/$ref must point into this schema'],
  ['a $ref to nothing', object({ a: { $ref: '#/$defs/a' } }), 'at /properties/a/$ref points to nothing (#/$defs/a)'],
  ['a $ref to the root', object({ a: { $ref: '#' } }), 'at /properties/a/$ref must not be recursive'],
  [
    'recursion over two definitions',
    object(
      { a: { $ref: '#/$defs/x' } },
      { $defs: { x: object({ y: { $ref: '#/$defs/y' } }), y: { items: { $ref: '#/$defs/x' } } } },
    ),
    'at /$defs/y/items/$ref must not be recursive',
  ],
  ['a dynamic reference', object({ a: { $dynamicRef: '#x' } }), 'at /properties/a/$dynamicRef is not supported'],
  ['an anchor', object({ a: { $anchor: 'x' } }), 'at /properties/a/$anchor is not supported'],
  ['an unknown type', object({ 'a/b': { type: 'text' } }), 'at /properties/a~1b/type must be equal to one of'],
  ['a wrong keyword', object({ a: { minLength: -1 } }), 'at /properties/a/minLength must be >= 0'],
  ['a broken pattern', object({ a: { pattern: '(' } }), 'at /properties/a/pattern is not a valid regular expression'],
  ['a property that is no schema', object({ a: 5 }), 'at /properties/a must be a schema'],
  ['__proto__', JSON.parse('{"type":"object","properties":{"__proto__":{}}}'), 'at /properties/__proto__ is not'],
] as const)
  test(`[L31] ${what} is refused, and where`, () => assert.match(String(read(schema)), error))

test('[L32] what does not fit is named by its place', () => {
  const schema = v.parse(outputSchema, object({ n: { type: 'number' }, k: { enum: ['x', 'y'] } }, { required: ['n'] }))
  assert.is(misfits(schema, { n: 1.5, k: 'x', more: true }), null)
  assert.is(
    misfits(schema, { k: 'z' }),
    'the output must have required property \'n\'; /k must be equal to one of the allowed values: ["x","y"]',
  )
  assert.is(misfits(schema, [1]), 'the output must be object')
})

test.run()
