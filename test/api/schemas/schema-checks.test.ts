import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SchemaChecks } from '../../../src/api/schemas/schema-checks.ts'
import { type CheckedJob, SCHEMA_THREAD, type SchemaJob, type Verdict } from '../../../src/api/schemas/thread.ts'
import { createToolbox } from '../../../src/models/toolbox.ts'
import { Thread } from '../../../src/script/thread.ts'
import { until } from '../../support/http-wire.ts'

const object = (properties: object) => ({ type: 'object', properties })
const numbered = (n: number) => JSON.stringify(object({ [`p${n}`]: {} }))
const RIGHT = { schema: '{}' }
const turns = async (count: number) => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve))
}

/** A thread that answers when the test says so, and takes as long as it says. */
function handThread(startMs = 0) {
  let now = 0
  const asked: { names: string[]; answer: (ms?: number, verdict?: Verdict) => void }[] = []
  let isStarted = false
  const start = async () => {
    if (!isStarted) now += startMs
    isStarted = true
  }
  const checks = new SchemaChecks(() => now, {
    start,
    run: ({ schema }) =>
      new Promise((resolve) => {
        void start()
        const answer = (ms = 0, verdict: Verdict = { fault: null, schema: '{}' }) => {
          now += ms
          resolve({ answer: verdict, ms })
        }
        asked.push({ names: Object.keys(JSON.parse(schema).properties), answer })
      }),
    close() {},
  })
  const wait = (ms: number) => {
    now += ms
  }
  return { checks, asked, wait }
}

const test = suite('schemas beside the event loop')

test('[T63 T67] whoever has used least is next, and four of one wait at most', async () => {
  const { checks, asked } = handThread()
  const many = Array.from({ length: 1_000 }, (_, n) => checks.schema('greedy', numbered(n)))
  const other = checks.schema('other', numbered(-1))
  assert.is((await Promise.all(many.slice(4))).filter((answer) => answer !== 'too_many_schemas').length, 0)
  for (let n = 0; n < 5; n++) {
    await until('the next one is compiled', () => asked.length === n + 1)
    asked[n]?.answer(10)
  }
  assert.equal(
    asked.map(({ names }) => names[0]),
    ['p0', 'p-1', 'p1', 'p2', 'p3'],
  )
  assert.equal([await many[0], await other], [RIGHT, RIGHT])
})

test('[T63] the start of the thread counts against nobody', async () => {
  const { checks, asked } = handThread(3_200)
  for (const n of [0, 1]) {
    const answer = checks.schema('w', numbered(n))
    await until('it is compiled', () => asked.length === n + 1)
    asked[n]?.answer(10)
    assert.equal(await answer, RIGHT)
  }
})

test('[T63] a schema is compiled once, however often it is sent, and its verdict remembered', async () => {
  const { checks, asked } = handThread()
  const both = [checks.schema('w', numbered(1)), checks.schema('w', numbered(1))]
  await until('it is compiled', () => asked.length === 1)
  asked[0]?.answer(0, { at: '/x', fault: 'is wrong' })
  assert.equal(await Promise.all(both), [
    { at: '/x', fault: 'is wrong' },
    { at: '/x', fault: 'is wrong' },
  ])
  assert.equal(await checks.schema('another', numbered(1)), { at: '/x', fault: 'is wrong' })
  assert.is(asked.length, 1)
})

test('[T63] a workspace has 3 s of the thread in a minute', async () => {
  const { checks, asked, wait } = handThread()
  const compiled = async (n: number) => {
    const answer = checks.schema('w', numbered(n))
    await until('it is compiled', () => asked.length === n + 1)
    asked[n]?.answer(1_600)
    return answer
  }
  assert.equal([await compiled(0), await compiled(1)], [RIGHT, RIGHT])
  assert.is(await checks.schema('w', numbered(2)), 'too_many_schemas')
  assert.equal(await checks.schema('w', numbered(1)), RIGHT, 'what is known costs nothing')
  wait(60_000)
  assert.equal(await compiled(2), RIGHT)
})

for (const how of ['late', 'ended'] as const)
  test(`[T66] no verdict (${how}) is remembered for anybody: the next start compiles again`, async () => {
    const { checks, asked } = handThread()
    for (const [n, workspace] of ['w', 'w', 'another'].entries()) {
      const answer = checks.schema(workspace, numbered(1))
      await until('it is compiled', () => asked.length === n + 1)
      asked[n]?.answer(2_000, workspace === 'another' ? undefined : how)
      assert.equal(await answer, workspace === 'another' ? RIGHT : 'schema_not_checked')
    }
  })

test('[T63 L32] a pattern that takes for ever holds up nothing, ends in time, and counts as a misfit', async () => {
  const checks = new SchemaChecks()
  const schema = object({ a: { pattern: '^(a+)+$' } })
  const text = JSON.stringify(schema)
  assert.equal(await checks.schema('w', text), { schema: text })
  let ended = false
  const misfit = checks.misfit('task', schema, { a: `${'a'.repeat(50)}!` }).finally(() => {
    ended = true
  })
  await turns(1_000)
  assert.is(ended, false, 'the event loop has turned a thousand times meanwhile')
  const wrong = await misfit
  const checked = createToolbox().check(
    'finish',
    { success: true, answer: 'x', output: { a: 'a!' } },
    { misfit: wrong },
  )
  const message = 'finish: the output does not fit its schema: it could not be checked in time.'
  assert.equal(checked, { ok: false, message, misfit: true })
  assert.is(await checks.misfit('task', schema, { a: 'aaa' }), null, 'the next one has a new thread')
  assert.match(String(await checks.misfit('task', schema, { a: 'b' })), '/a must match pattern')
  checks.close()
})

test('[T63 L31] the thread resolves references, and says where one is wrong', async () => {
  const checks = new SchemaChecks()
  const price = { type: 'number' }
  const asked = (more: object, ref: string) =>
    checks.schema('w', JSON.stringify({ ...object({ a: { $ref: ref } }), ...more }))
  assert.equal(await asked({ $defs: { price } }, '#/$defs/price'), { schema: JSON.stringify(object({ a: price })) })
  assert.equal(await asked({}, '#/none'), { at: '/properties/a/$ref', fault: 'points to nothing (#/none)' })
  checks.close()
})

test('[T63 T66] a thread that takes too long, or too much memory, is replaced', async () => {
  const thread = new Thread<SchemaJob, CheckedJob>(SCHEMA_THREAD)
  const output = JSON.stringify({ a: 'a'.repeat(1_000_000) })
  const bad = { schema: JSON.stringify(object({ a: { pattern: `^${'(a?){999}'.repeat(30)}$` } })), output }
  assert.is((await thread.run(bad, 500)).answer, 'late')
  const large = { schema: JSON.stringify(object({})), output: `[${'{},'.repeat(3_000_000)}{}]` }
  assert.is((await thread.run(large, 60_000)).answer, 'ended')
  assert.equal((await thread.run({ schema: JSON.stringify(object({})) }, 5_000)).answer, {
    fault: null,
    schema: JSON.stringify(object({})),
  })
  thread.close()
})

test.run()
