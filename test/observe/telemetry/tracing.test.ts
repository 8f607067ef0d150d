import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../../support/eventually.ts'
import { openCollector, type ReceivedSpan } from '../../support/otlp.ts'
import { TestBrowser } from '../../support/service/browser.ts'
import { finished } from '../../support/service/jobs.ts'
import { openJobModel, taskOf } from '../../support/service/model.ts'
import { openService } from '../../support/service.ts'
import { closeReceivers, receiver } from '../../webhooks/receiver.ts'

const test = suite('traces of the running service')

const { endpoint, env } = await openJobModel()
const collector = await openCollector()
const webhook = await receiver()
const service = await openService({
  env: { ...env, VERIFY: 'off', OTEL_EXPORTER_OTLP_TIMEOUT: '1000', OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` },
})
const { api } = service
const session = await api.pair()
const browser = await TestBrowser.open({
  relayPort: session.relayPort,
  token: session.token,
  answer: () => ({ output: 'A page that says hello' }),
})

const PARENT = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' }
const spansOf = (taskId: string): ReceivedSpan[] => {
  const root = collector.spans.find(
    ({ attributes, name }) => /^invoke/.test(name) && attributes['gen_ai.conversation.id'] === taskId,
  )
  return root ? collector.spans.filter(({ traceId }) => traceId === root.traceId) : []
}
const arrived = async (taskId: string): Promise<readonly ReceivedSpan[]> => {
  await eventually(() => spansOf(taskId).length > 0, 'the span of the task', 10_000)
  return spansOf(taskId)
}
/** Each span with the names above it, in the order of their beginnings. */
function treeOf(spans: readonly ReceivedSpan[]): string[] {
  const pathOf = ({ name, parentSpanId }: ReceivedSpan): string => {
    const parent = spans.find(({ spanId }) => spanId === parentSpanId)
    return parent ? `${pathOf(parent)} > ${name}` : name
  }
  return [...spans]
    .sort((a, b) => a.fromMs - b.fromMs)
    .map(pathOf)
    .sort()
}
const ROOT = 'invoke_agent browser-task'
const STEP = `${ROOT} > step`

test('[O7] a task is a trace: its steps, model calls and tool calls, with the names of the GenAI conventions', async () => {
  const { json } = await api.start(session.id, taskOf({ name: 'plain', steps: 2 }))
  await finished(api, json.id)
  const spans = await arrived(json.id)
  const tool = `${STEP} > execute_tool javascript_tool`
  const finish = `${STEP} > execute_tool finish`
  const chat = `${STEP} > chat test-model`
  assert.equal(treeOf(spans), [ROOT, STEP, STEP, STEP, chat, chat, chat, tool, tool, finish].sort())
  assert.is(spans[0]?.traceId, json.id.replaceAll('-', ''))
  const byName = (start: string) => spans.filter(({ name }) => name.startsWith(start))
  const [root] = byName('invoke_agent')
  assert.is(root?.parentSpanId, null)
  assert.is(root?.attributes['browser_task.ended_by'], 'completed')
  const reads = byName('chat').map(({ attributes }) => Number(attributes['gen_ai.usage.input_tokens']))
  assert.is(
    root?.attributes['gen_ai.usage.input_tokens'],
    reads.reduce((sum, each) => sum + each, 0),
  )
  assert.ok(reads.every((tokens) => tokens > 0))
  for (const chat of byName('chat')) {
    assert.is(chat.kind, 3)
    assert.is(chat.attributes['gen_ai.provider.name'], 'anthropic')
    assert.is(chat.attributes['gen_ai.request.model'], 'test-model')
  }
  const names = new Set<unknown>(Object.values(conventions))
  const used = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))
  assert.equal(
    [...used].filter((name) => !name.startsWith('browser_task.') && !names.has(name)),
    [],
  )
  for (const span of spans) {
    assert.not.ok(span.failed, span.name)
    assert.ok(span.toMs >= span.fromMs, span.name)
  }
})

test('[O7] what a task and its pages say is in no span', () => {
  const sent = collector.texts.join('\n')
  assert.ok(sent.includes('execute_tool'))
  for (const text of ['plain', 'Step 1.', 'javascript_exec', 'A page that says hello'])
    assert.not.ok(sent.includes(text), text)
})

test('[O7] traceparent: from the client to the model, the browser and the webhooks', async () => {
  const asked = endpoint.requests.length
  const called = browser.calls.length
  const { json } = await api.post(
    '/v1/tasks',
    {
      task: taskOf({ name: 'given', steps: 1 }),
      browser_session_id: session.id,
      webhook_url: `http://127.0.0.1:${webhook.port}/`,
    },
    { traceparent: `00-${PARENT.trace}-${PARENT.span}-01` },
  )
  await finished(api, json.id)
  const spans = await arrived(json.id)
  assert.is(spans.length, 7)
  const [root] = spans.filter(({ name }) => name === ROOT)
  assert.equal([root?.traceId, root?.parentSpanId], [PARENT.trace, PARENT.span])
  const header = ({ spanId }: ReceivedSpan) => `00-${PARENT.trace}-${spanId}-01`
  const chats = spans.filter(({ name }) => name.startsWith('chat')).map(header)
  assert.equal(
    endpoint.requests
      .slice(asked)
      .map(({ headers }) => headers.traceparent)
      .sort(),
    chats.sort(),
  )
  // The call that ends the task goes to no browser.
  const tools = spans.filter(({ name }) => name === 'execute_tool javascript_tool').map(header)
  assert.equal(
    browser.calls.slice(called).map((call) => (call as { traceparent?: string }).traceparent),
    tools,
  )
  await eventually(() => webhook.seen.length > 0, 'the webhook')
  assert.is(webhook.seen.at(-1)?.headers.traceparent, root && header(root))
})

test('[O7] traceparent in _meta of an MCP call', async () => {
  const traceparent = `00-${'e'.repeat(32)}-${'f'.repeat(16)}-01`
  const arguments_ = { task: taskOf({ name: 'assisted', steps: 0 }) }
  const params = { name: 'browser_run_task', arguments: arguments_, _meta: { traceparent } }
  const { raw } = await api.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { accept: 'application/json, text/event-stream' },
  )
  const [, answer = ''] = /^(?:data: )?(\{.*\})$/m.exec(String(raw)) ?? []
  const spans = await arrived(JSON.parse(answer).result.structuredContent.task_id)
  assert.is(spans.find(({ name }) => name === ROOT)?.parentSpanId, 'f'.repeat(16))
})

test('[O7] a client that does not sample its trace, or sends something else, is followed or ignored', async () => {
  const start = async (traceparent: string) => {
    const body = { task: taskOf({ name: 'quiet', steps: 0 }), browser_session_id: session.id }
    const { json, status } = await api.post('/v1/tasks', body, { traceparent })
    assert.is(status, 201)
    await finished(api, json.id)
    return json.id as string
  }
  const quiet = await start('00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-00')
  const odd = await start('00-not-a-trace')
  const spans = await arrived(odd)
  assert.is(spans[0]?.traceId, odd.replaceAll('-', ''))
  assert.equal(spansOf(quiet), [])
})

test('[O7] a task that goes on after kill -9 goes on in the same trace, with its beginning', async () => {
  const { json } = await api.post(
    '/v1/tasks',
    { task: taskOf({ name: 'killed', steps: 3, ms: 300 }), browser_session_id: session.id },
    { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` },
  )
  await eventually(async () => (await api.task(json.id)).steps >= 1, 'a step', 10_000)
  await service.kill()
  service.spawn()
  await service.answers()
  await finished(api, json.id)
  const spans = await arrived(json.id)
  const roots = spans.filter(({ name }) => name === ROOT)
  assert.equal(
    roots.map(({ traceId, parentSpanId }) => [traceId, parentSpanId]),
    [['c'.repeat(32), 'd'.repeat(16)]],
  )
  const { created_at, completed_at } = await api.task(json.id)
  assert.equal([roots[0]?.fromMs, roots[0]?.toMs], [created_at, completed_at])
  const steps = spans.filter(({ name }) => name === 'step')
  assert.ok(steps.length >= 2)
  for (const { parentSpanId } of steps) assert.is(parentSpanId, roots[0]?.spanId)
  assert.is(new Set(spans.map(({ spanId }) => spanId)).size, spans.length)
})

test('[O7] a collector that is away delays neither a task nor the end of the process', async () => {
  collector.close()
  const { json } = await api.start(session.id, taskOf({ name: 'alone', steps: 1 }))
  const begun = performance.now()
  await finished(api, json.id)
  assert.is((await api.task(json.id)).ended_by, 'completed')
  assert.ok(performance.now() - begun < 5_000)
  await eventually(() => service.output.includes('The OpenTelemetry collector takes no spans'), 'a line', 15_000)
  const stopping = performance.now()
  assert.equal(await service.stop(), { code: 0, signal: null })
  assert.ok(performance.now() - stopping < 6_000)
})

test.after(async () => {
  browser.disconnect()
  await Promise.all([service.kill(), endpoint.close(), closeReceivers()])
})

test.run()
