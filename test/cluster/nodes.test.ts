import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listen } from '../observe/inspector/world.ts'
import { Cluster } from '../support/cluster.ts'
import { StreamReader } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { hasNats } from '../support/nats.ts'
import { openCollector } from '../support/otlp.ts'
import type { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { answerOf, taskOf } from '../support/service/model.ts'
import type { TestService } from '../support/service.ts'

const test = suite('several nodes')
let cluster: Cluster
let collector: Awaited<ReturnType<typeof openCollector>>

/** Everything but the node. */
const others = (node: TestService) => cluster.alive.filter((each) => each !== node)
const onceEach = (browser: TestBrowser, calls: number) =>
  assert.equal(
    [...browser.executed.values()],
    Array.from({ length: calls }, () => 1),
  )

test.before(async () => {
  collector = await openCollector()
  cluster = await Cluster.open(3, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
})
test.before.each(() => cluster.newWorkspace())
test.after(async () => {
  await cluster.close()
  collector.close()
})

test('[M1 M3 M5] a browser at one node, a client at another, the owner at a third: a task runs, and reads the same', async () => {
  for (const at of cluster.nodes) {
    const { session, browser } = await cluster.browserAt(at)
    for (const other of others(at)) {
      const job = { name: `by ${other.relayPort}`, steps: 2 }
      await eventually(async () => {
        const { json } = await cluster.api(other).get('/v1/browser-sessions')
        return json.sessions.find(({ id }: { id: string }) => id === session.id)?.status === 'connected'
      }, 'the other node sees the browser')
      const id = await started(cluster.api(other), session.id, job)
      const task = await finished(cluster.api(at), id)
      assert.equal([task.status, task.answer, task.steps], ['complete', answerOf(job), 3])
      for (const each of cluster.nodes) assert.equal(await cluster.api(each).task(id), task)
    }
    onceEach(browser, 4)
    browser.disconnect()
  }
})

test('[M2 T9] starts of a workspace at every node at once: five run, and not one more', async () => {
  const { session, browser } = await cluster.browserAt(cluster.nodes[0] as TestService, { answer: () => 'never' })
  const starts = Array.from({ length: 9 }, (_, index) => {
    const at = cluster.nodes[index % cluster.nodes.length] as TestService
    return cluster.api(at).start(session.id, taskOf({ name: `${index} of many`, steps: 1 }))
  })
  const answers = (await Promise.all(starts)).map(({ status, json }) => `${status} ${json.code ?? ''}`)
  assert.equal(answers.sort(), [...Array(5).fill('201 '), ...Array(4).fill('429 too_many_running')])
  const { json } = await cluster.api(cluster.nodes[1] as TestService).get('/v1/tasks?status=running')
  assert.is(json.tasks.length, 5)
  for (const { id } of json.tasks) await cluster.api(cluster.nodes[2] as TestService).post(`/v1/tasks/${id}/cancel`)
  browser.disconnect()
})

test('[M5] a result that is longer than a message of NATS arrives whole', async () => {
  const output = 'x'.repeat(1_500_000)
  for (const at of cluster.nodes) {
    const { session, browser } = await cluster.browserAt(at, { answer: () => ({ output }) })
    const id = await started(cluster.api(at), session.id, { name: 'long', steps: 1 })
    assert.is((await finished(cluster.api(at), id)).status, 'complete')
    onceEach(browser, 1)
    browser.disconnect()
  }
})

test('[M5 O7] started at one node, owned by another, with a browser at a third, a task is one trace, and traceparent goes through', async () => {
  const [at, owner, third] = cluster.nodes as [TestService, TestService, TestService]
  await cluster.newWorkspaceOf(owner)
  const { session, browser } = await cluster.browserAt(third)
  const [trace, client] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const asked = cluster.model.endpoint.requests.length
  const { json } = await cluster
    .api(at)
    .post(
      '/v1/tasks',
      { task: taskOf({ name: 'traced', steps: 2 }), browser_session_id: session.id },
      { traceparent: `00-${trace}-${client}-01` },
    )
  await finished(cluster.api(at), json.id)
  const named = (start: string) =>
    collector.spans.filter(({ traceId, name }) => traceId === trace && name.startsWith(start))
  await eventually(() => named('invoke_agent').length > 0, 'the span of the task', 10_000)
  assert.equal(
    ['', 'invoke_agent', 'step', 'chat', 'execute_tool'].map((start) => named(start).length),
    [10, 1, 3, 3, 3],
  )
  const [root] = named('invoke_agent')
  assert.is(root?.parentSpanId, client)
  assert.ok(named('step').every(({ parentSpanId }) => parentSpanId === root?.spanId))
  const sent = (start: string) => named(start).map(({ spanId }) => `00-${trace}-${spanId}-01`)
  const requests = cluster.model.endpoint.requests.slice(asked)
  assert.equal(requests.map(({ headers }) => headers.traceparent).sort(), sent('chat').sort())
  assert.equal(
    browser.calls.map((call) => (call as { traceparent?: string }).traceparent),
    // The call that ends the task goes to no browser.
    sent('execute_tool').slice(0, -1),
  )
  browser.disconnect()
})

test('[M6] a viewer at each node sees every event once and in order', async () => {
  const [at] = cluster.nodes as [TestService]
  const { session, browser } = await cluster.browserAt(at, { answer: () => ({ ms: 30 }) })
  const id = await started(cluster.api(at), session.id, { name: 'watched', steps: 3 })
  const readers = await Promise.all(
    cluster.nodes.map((node) =>
      StreamReader.open(`${node.url}/v1/tasks/${id}/events`, { authorization: `Bearer ${cluster.api(node).key}` }),
    ),
  )
  for (const reader of readers) {
    await reader.until('the end', ({ events }) => events.at(-1)?.type === 'task.ended')
    assert.equal(
      reader.events.map(({ id: seq }) => seq),
      reader.events.map((_, index) => index + 1),
    )
    assert.equal(reader.events, readers[0]?.events)
  }
  browser.disconnect()
})

test('[M8] the inspector of each node shows the actors of a workspace, and the node at which they live', async () => {
  const [at] = cluster.nodes as [TestService]
  const { session, browser } = await cluster.browserAt(at, { answer: () => 'never' })
  const id = await started(cluster.api(at), session.id, { name: 'inspected', steps: 1 })
  const { node: owner } = await cluster.seen(await cluster.ownerOfRunning())
  for (const node of cluster.nodes) {
    const headers = { authorization: `Bearer ${cluster.api(node).key}` }
    const list = listen(`${node.url}/inspector/events`, headers)
    const one = listen(`${node.url}/inspector/events?actor=task:${id}`, headers)
    const told = (reader: typeof list, event: string) =>
      reader.heard.filter((each) => each.event === event).map(({ data }) => data)
    const line = () =>
      told(list, 'actors')
        .flatMap(({ actors }) => actors)
        .findLast(({ address }) => address === `task:${id}`)
    await eventually(() => line() !== undefined && told(one, 'actor').length > 0, 'the task at each node', 15_000)
    const { node: own } = await cluster.seen(node)
    for (const { node: at = own } of [line(), told(one, 'actor')[0]]) assert.is(at, owner)
    for (const reader of [list, one]) reader.close()
  }
  await cluster.api(at).post(`/v1/tasks/${id}/cancel`)
  browser.disconnect()
})

test('[M8] health and metrics of each node say what it owns, and what the others own', async () => {
  const all = await Promise.all(cluster.nodes.map((node) => cluster.seen(node)))
  const owned = Object.fromEntries(all.map(({ node, owns }) => [node, owns]))
  for (const [index, { nodes, owns, connected }] of all.entries()) {
    assert.equal(Object.fromEntries(nodes.map((node) => [node.id, node.owns])), owned)
    assert.ok(connected)
    const { raw } = await cluster.api(cluster.nodes[index] as TestService).get('/metrics')
    assert.match(String(raw), `browser_task_shards ${owns}\n`)
    assert.match(String(raw), 'browser_task_nodes 3\n')
  }
})

test('[M3] NATS away: reading goes on, what needs another node is 503 with Retry-After; back again, all works', async () => {
  const { session, browser } = await cluster.browserAt(cluster.nodes[0] as TestService)
  const id = await started(cluster.api(cluster.nodes[0] as TestService), session.id, { name: 'before', steps: 1 })
  await finished(cluster.api(cluster.nodes[0] as TestService), id)
  await cluster.nats.kill()
  await eventually(
    async () =>
      (await Promise.all(cluster.nodes.map((node) => cluster.seen(node)))).every(({ connected }) => !connected),
    'all know',
  )
  const statuses: number[] = []
  for (const node of cluster.nodes) {
    assert.is((await cluster.api(node).task(id)).status, 'complete')
    const answer = await cluster.api(node).get('/v1/browser-sessions')
    statuses.push(answer.status)
    if (answer.status !== 503) continue
    assert.is(answer.json.code, 'owner_away')
    assert.is(answer.headers['retry-after'], '1')
  }
  assert.equal(statuses.sort(), [200, 503, 503])
  await cluster.nats.start()
  await eventually(
    async () =>
      (await Promise.all(cluster.nodes.map((node) => cluster.seen(node)))).every(({ connected }) => connected),
    'all are back',
  )
  await browser.registered()
  for (const node of cluster.nodes) {
    const again = await started(cluster.api(node), session.id, { name: 'after', steps: 1 })
    assert.is((await finished(cluster.api(node), again)).status, 'complete')
  }
  browser.disconnect()
})

if (hasNats) test.run()
else {
  console.log('SKIPPED 8 no nats-server is installed')
  suite('several nodes').run()
}
