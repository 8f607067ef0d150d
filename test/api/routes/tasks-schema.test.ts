import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as v from 'valibot'
import type { Allowance } from '../../../machines/records.ts'
import { outputSchema } from '../../../src/wire/output-schema.ts'
import { aKey, makeSurface } from '../../support/http-surface.ts'

const compiled: object[] = []
let verdict: string | null = null
let resolved: object | null = null
const surface = await makeSurface({
  checkSchema: async (_, schema) => {
    compiled.push(JSON.parse(schema))
    if (verdict === 'too_many_schemas' || verdict === 'schema_not_checked') return verdict
    return verdict === null ? { schema: resolved ? JSON.stringify(resolved) : schema } : { at: '', fault: verdict }
  },
})
const { taskService, ask } = surface
const { key } = await aKey(surface)
const free: Allowance = { freeRemaining: null, creditBalance: 0 }
const limits = { starts: 9, resetMs: 60_000, slots: 4, startsPerMinute: 10, runningTasks: 5 }
const schema = { type: 'object', properties: { price: { type: 'number' } } }
const start = (more: object = {}) =>
  ask('POST', '/v1/tasks', { key, body: { task: 'x', browser_session_id: 'b', output_schema: schema, ...more } })

const test = suite('starts with a schema')
test.before.each(() => {
  compiled.length = 0
  verdict = null
  resolved = null
  taskService.started.length = 0
  taskService.left = free
  Object.assign(taskService, { limitsLeft: async () => limits })
})

for (const [what, changes, left, status, code] of [
  ['no allowance', {}, { freeRemaining: 0, creditBalance: 0 }, 402, 'no_allowance'],
  ['no start left in this minute', { starts: 0 }, free, 429, 'rate_limited'],
] as const)
  test(`[T63] ${what}: nothing is compiled`, async () => {
    taskService.left = left
    Object.assign(taskService, { limitsLeft: async () => ({ ...limits, ...changes }) })
    const answer = await start()
    assert.equal([answer.status, answer.json.code, compiled.length], [status, code, 0])
    if (status === 429) assert.ok(Number(answer.headers['retry-after']) > 0)
    assert.is(taskService.started.length, 0)
  })

test('[T8 T9 T63] one without a slot is for the workspace to refuse: it counts as a start there', async () => {
  Object.assign(taskService, { limitsLeft: async () => ({ ...limits, slots: 0 }) })
  taskService.refusals.push({ code: 'too_many_running' })
  const answer = await start()
  assert.equal([answer.status, answer.json.code, taskService.started.length], [429, 'too_many_running', 1])
})

test('[T63 T59] one that may wait for its turn is compiled', async () => {
  Object.assign(taskService, { limitsLeft: async () => ({ ...limits, starts: 0, slots: 0 }) })
  assert.is((await start({ on_limit: 'queue' })).status, 201)
  assert.is(compiled.length, 1)
})

test('[T63] a verdict is the answer, and a start without a schema asks for none', async () => {
  assert.is((await start()).status, 201)
  assert.equal(compiled, [schema])
  assert.is((await start({ output_schema: null })).status, 201)
  verdict = 'at /properties/price/type must be equal to one of the allowed values'
  const wrong = await start()
  assert.equal([wrong.status, wrong.json.code], [400, 'output_schema_invalid'])
  assert.match(wrong.json.error, /^output_schema at \/properties\/price\/type must/)
  verdict = 'too_many_schemas'
  const busy = await start()
  assert.equal([busy.status, busy.json.code, busy.headers['retry-after']], [429, 'too_many_schemas', '60'])
  assert.is(compiled.length, 3)
  verdict = 'schema_not_checked'
  const late = await start()
  assert.equal([late.status, late.json.code, late.headers['retry-after']], [503, 'schema_not_checked', '1'])
})

test('[T63] a task has the schema as the thread resolved it', async () => {
  resolved = { type: 'object', properties: { price: { type: 'integer' } } }
  assert.is((await start()).status, 201)
  assert.is(taskService.started.at(-1)?.request.outputSchema, JSON.stringify(resolved))
})

test('[T63] parsing a request resolves and compiles nothing: what only that finds is left to the thread', () => {
  const hard = { type: 'array', properties: { a: { type: 'no such type', $ref: '#/nowhere' }, b: { pattern: '(' } } }
  assert.equal(v.parse(outputSchema, hard), hard)
})

test.run()
