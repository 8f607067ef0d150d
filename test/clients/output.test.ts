import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as v from 'valibot'
import { BrowserTaskError, OutputMismatch } from '../../src/client/index.ts'
import { failure, json, scripted } from './scripted.ts'

const test = suite('the TypeScript client: typed answers')

const start = { task: 'What does it cost?', browser_session_id: 's' }
const ended = (output: object | null) => ({ id: 'a', status: 'complete', state: 'complete', seq: 3, output })
const Price = toStandardJsonSchema(
  v.object({ price: v.pipe(v.number(), v.minValue(1)), currency: v.optional(v.string(), 'EUR') }),
)

test('[Y12] a Standard Schema is sent as JSON Schema, and gives the output as it transforms it', async () => {
  const { client, sent } = scripted([json(201, { id: 'a' }), json(200, ended({ price: 48 }))])
  const { output } = await client.tasks.run({ ...start, output: Price })
  const currency: string | undefined = output?.currency
  assert.equal([output, currency], [{ price: 48, currency: 'EUR' }, 'EUR'])
  const { output: _, output_schema: schema } = JSON.parse(sent[0]?.body ?? '')
  assert.equal([schema.type, schema.required, _], ['object', ['price'], undefined])
})

test('[Y12] an output that does not fit is an error with its issues and the task; null is null', async () => {
  const { client } = scripted([json(200, ended({ price: 0 }))])
  const error = await failure(client.tasks.wait('a', { output: Price }))
  if (!(error instanceof OutputMismatch)) throw error
  assert.match(error.message, /^The output does not fit its schema: price: /)
  assert.equal([error.code, error.task.id, error.issues.length], ['output_mismatch', 'a', 1])
  const none = scripted([json(200, ended(null))])
  assert.is((await none.client.tasks.get('a', { output: Price })).output, null)
})

test('[Y12] JSON Schema is sent as it is; a library that cannot write it is named', async () => {
  const { client, sent } = scripted([json(201, { id: 'a' })])
  const schema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] } as const
  await client.tasks.create({ ...start, output: schema })
  assert.equal(JSON.parse(sent[0]?.body ?? '').output_schema, schema)
  const written = { '~standard': Price['~standard'], toJsonSchema: () => schema } as const
  const { jsonSchema: _, ...bare } = Price['~standard']
  await client.tasks.rerun('a', { output: { ...written, '~standard': bare } })
  assert.equal(JSON.parse(sent[1]?.body ?? '').output_schema, schema)
  const error = await failure(client.tasks.create({ ...start, output: { '~standard': bare } }))
  if (!(error instanceof BrowserTaskError)) throw error
  assert.is(error.code, 'output_schema_unsupported')
  assert.match(error.message, 'valibot')
})

test.run()
