import { readFileSync } from 'node:fs'
import parse from 'parse-prometheus-text-format'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Inspection, type Viewer } from '../../../actors/inspection/inspection.ts'
import type { Store } from '../../../actors/runtime/ports.ts'
import { type Task, watchTasks } from '../../../src/observe/metrics/task-times.ts'
import { openMetrics } from '../../../src/observe/metrics.ts'
import { eventually } from '../../support/eventually.ts'
import { openLive } from '../../support/live.ts'
import { Api } from '../../support/service/api.ts'

const test = suite('metrics')
const ABOUT = { version: 'dev', prices: { costUsd: () => null } }

interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM'
  readonly metrics: readonly {
    readonly value?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly buckets?: Readonly<Record<string, string>>
    readonly count?: string
    readonly sum?: string
  }[]
}
const read = (text: string) => parse(text) as Family[]

/** What the docs say of each metric: [kind, labels]. */
function documented(): Map<string, readonly [kind: string, labels: string[]]> {
  const text = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')
  const rows = text.matchAll(/^\| `(browser_task_\w+)` \| (\w+) \|([^|]*)\| [^|]{10,} \|$/gm)
  return new Map(
    [...rows].map(([, name = '', kind = '', labels = '']) => [
      name,
      [kind, [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)],
    ]),
  )
}

test('[G35] what is measured of a running service is in the format, and moves with what happens', async () => {
  const live = await openLive({ transport: 'uws', store: 'lmdb' })
  try {
    const tenant = await live.workspace()
    const load = { tool: 'find', cpuMs: 20, blockedMs: 1_500 }
    const { id: session } = await tenant.browser(() => ({ more: { load } }))
    const anybody = new Api(live.service.url, '')
    const metrics = async () => {
      const { raw, status } = await anybody.get('/metrics')
      assert.is(status, 200)
      return read(String(raw))
    }
    const amount = (families: Family[], name: string, labels: Record<string, string> = {}) => {
      const family = families.find((each) => each.name === `browser_task_${name}`)
      const found = family?.metrics.find((metric) =>
        Object.entries(labels).every(([label, text]) => metric.labels?.[label] === text),
      )
      return found === undefined ? null : Number(found.value ?? found.count)
    }
    const nowhere = { webhook_url: 'http://127.0.0.1:9/' }
    const done = (await tenant.api.start(session, 'call', nowhere)).json.id
    await eventually(async () => (await tenant.api.task(done)).status === 'complete', 'the end', 10_000)
    const running = (await tenant.api.start(session, 'hang')).json.id
    const refused = await tenant.api.start('00000000-0000-4000-8000-000000000000', 'nowhere')
    assert.is(refused.status, 404)
    await eventually(async () => amount(await metrics(), 'tasks', { state: 'thinking' }) === 1, 'one that thinks')
    const called = async () => String((await anybody.get('/metrics')).raw).includes('webhook_seconds_count{')
    await eventually(called, 'the attempt to call the webhook')
    const now = await metrics()
    const { raw } = await anybody.get('/metrics')
    // The parser drops the labels of histograms.
    const times = (name: string) => new RegExp(`^browser_task_${name} (\\d+)$`, 'm').exec(String(raw))?.[1]
    assert.is(amount(now, 'sockets'), 1)
    assert.is(amount(now, 'actors', { kind: 'task' }), 1)
    assert.is(amount(now, 'starts_granted_total'), 2)
    assert.is(amount(now, 'starts_refused_total', { reason: refused.json.code }), 1)
    assert.is(amount(now, 'tasks_ended_total', { ended_by: 'completed' }), 1)
    assert.is(times('model_seconds_count{outcome="reply"}'), '2')
    assert.is(times('tool_seconds_count{tool="find"}'), '1')
    assert.is(times('step_seconds_count'), '1')
    assert.is(times('browser_cpu_seconds_bucket{le="0.025",tool="find"}'), '1')
    assert.is(times('browser_blocked_seconds_bucket{le="1",tool="find"}'), '0')
    assert.is(times('browser_blocked_seconds_count{tool="find"}'), '1')
    assert.is(times('webhook_seconds_count{outcome="no_answer"}'), '1')
    assert.equal(
      now
        .filter(({ type, name }) => type === 'HISTOGRAM' && name.startsWith('browser_task_'))
        .map(({ metrics: [first] }) => first?.buckets?.['+Inf'] !== undefined),
      [true, true, true, true, true, true, true],
    )
    // Counters stay what they are, however often they are read.
    assert.is(amount(await metrics(), 'starts_granted_total'), 2)
    const text = String((await anybody.get('/metrics')).raw)
    for (const secret of [tenant.id, session, done, running]) assert.not.ok(text.includes(secret))
    await tenant.api.post(`/v1/tasks/${running}/cancel`)
    await eventually(
      async () => amount(await metrics(), 'tasks_ended_total', { ended_by: 'cancelled' }) === 1,
      'a cancel',
    )
  } finally {
    await live.close()
  }
})

test('[O5] requests, tokens, cost, build and the process are measured; a token of its own may read it from elsewhere', async () => {
  const token = 'a token for the scraper'.replaceAll(' ', '-')
  const live = await openLive(
    { transport: 'uws', store: 'lmdb' },
    { METRICS_TOKEN: token, BUILD_VERSION: '1.2.3', LLM_PRICES: '{"played":{"input":1000000,"output":1000000}}' },
  )
  try {
    const tenant = await live.workspace()
    const { id: session } = await tenant.browser()
    const { id } = (await tenant.api.start(session, 'call')).json
    await eventually(async () => (await tenant.api.task(id)).status === 'complete', 'the end', 10_000)
    await tenant.api.ask('PROPFIND', '/v1/nowhere')
    for (const path of ['/pair/unknown', '/static/icon.svg', '/docs/nowhere']) await tenant.api.get(path)
    const asks = (authorization: string) =>
      new Api(live.service.url, '').get('/metrics', { authorization, 'x-forwarded-for': '203.0.113.9' })
    for (const other of ['', 'Bearer wrong', `Bearer ${token}x`]) assert.is((await asks(other)).status, 403)
    const { raw, status } = await asks(`Bearer ${token}`)
    assert.is(status, 200)
    const text = String(raw)
    for (const line of [
      /^browser_task_http_request_seconds_count\{method="POST",route="\/v1\/tasks",status="201"\} 1$/m,
      /^browser_task_http_request_seconds_count\{method="other",route="other",status="404"\} 1$/m,
      /^browser_task_http_request_seconds_count\{method="GET",route="\/pair\/:[a-zA-Z]+",status="[0-9]+"\} 1$/m,
      /^browser_task_http_request_seconds_count\{method="GET",route="\/static\/\*",status="200"\} 1$/m,
      /^browser_task_http_request_seconds_count\{method="GET",route="other",status="404"\} 1$/m,
      /^browser_task_model_tokens_total\{kind="input"\} 14$/m,
      /^browser_task_model_tokens_total\{kind="output"\} 6$/m,
      /^browser_task_model_cost_usd_total 20$/m,
      /^browser_task_build_info\{version="1\.2\.3",node="v\d+.*"\} 1$/m,
      /^process_resident_memory_bytes \d+/m,
      /^nodejs_eventloop_lag_p99_seconds /m,
    ])
      assert.match(text, line)
    assert.is((await new Api(live.service.url, token).get('/v1/tasks')).status, 401)
  } finally {
    await live.close()
  }
})

test('[O5] a task that comes back at the same node from an older row is not counted backwards', () => {
  const spent: number[] = []
  const nothing = () => undefined
  const times = { stepTook: nothing, modelTook: nothing, toolTook: nothing, endingFailed: nothing }
  const inspection = { follow: (viewer: Viewer) => void Object.assign(followed, viewer) }
  const followed: Partial<Viewer> = {}
  watchTasks(inspection as unknown as Inspection, { ...times, spent: (_, { inputTokens }) => spent.push(inputTokens) })
  const task = (value: string, inputTokens: number) =>
    ({ value: { running: value }, context: { usage: { inputTokens }, calls: [] } }) as unknown as Task
  const moved = (type: string, snapshot: Task) => followed.moved?.('task:t', { type }, snapshot, null)
  moved('xstate.init', task('thinking', 0))
  moved('model.requestedTools', task('acting', 100))
  moved('xstate.init', task('thinking', 40))
  moved('model.requestedTools', task('acting', 70))
  assert.equal(spent, [100, 30])
})

test('every metric is documented as it is, and nothing else is', async () => {
  const metrics = openMetrics(new Inspection({ clock: { now: () => 0 }, log: { warn() {} } }), ABOUT)
  const { text } = await metrics.read()
  const said = [...text.matchAll(/^# TYPE (browser_task_\w+) (\w+)$/gm)].map(([, name, kind]) => [name, kind])
  const docs = documented()
  assert.equal(said.map(([name]) => name).sort(), [...docs.keys()].sort())
  for (const [name = '', kind] of said) assert.is(docs.get(name)?.[0], kind, name)
})

test('a commit that the store refuses is counted, and refused as it was', async () => {
  const metrics = openMetrics(new Inspection({ clock: { now: () => 0 }, log: { warn() {} } }), ABOUT)
  const store = { commit: async () => Promise.reject(new Error('the disk is full')) } as unknown as Store
  const counted = metrics.counted(store)
  const message = await counted.commit([]).catch((error: Error) => error.message)
  assert.is(message, 'the disk is full')
  const { text } = await metrics.read()
  assert.match(text, /^browser_task_store_errors_total\{operation="commit"\} 1$/m)
})

test.run()
