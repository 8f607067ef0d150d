import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Balancer, openBalancer } from '../support/balancer.ts'
import { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { hasNats } from '../support/nats.ts'
import { Api } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { answerOf } from '../support/service/model.ts'
import type { TestService } from '../support/service.ts'

const test = suite('what is away, and what is elsewhere')
let cluster: Cluster
/** The lines of the third node to MongoDB and NATS. */
let lines: [Balancer, number][]

test.before(async () => {
  cluster = await Cluster.open(2)
  const [mongo, nats] = [cluster.mongo?.port ?? 0, Number(new URL(cluster.nats.url).port)]
  lines = [
    [await openBalancer([mongo]), mongo],
    [await openBalancer([nats]), nats],
  ]
  const [mongoLine = 0, natsLine = 0] = lines.map(([line]) => line.port)
  // A member of a replica set names its own address, to which a driver that is not told otherwise goes past the line.
  const url = cluster.env.MONGODB_URL?.replace(`:${mongo}/`, `:${mongoLine}/`)
  const MONGODB_URL = `${url}?directConnection=true`
  await cluster.add({ MONGODB_URL, NATS_URL: `nats://127.0.0.1:${natsLine}` })
  await cluster.settled()
})
test.before.each(() => cluster.newWorkspace())
test.after(async () => {
  for (const [line] of lines) line.close()
  await cluster.close()
})

const nodes = () => cluster.nodes as [TestService, TestService, TestService]

test('[X6 M3] what a page names a download of a task with secrets is told by no node', async () => {
  for (const at of nodes()) {
    const { session, browser } = await cluster.browserAt(at, { answer: () => 'never', tools: ['secrets'] })
    const api = cluster.api(at)
    const secrets = [{ name: 'password', value: 'hunter22', domains: ['shop.example'] }]
    const id = await started(api, session.id, { name: 'secret', steps: 1 }, { secrets })
    for (const [index, edge] of nodes().entries()) {
      const path = `/v1/browser-files/${id}/${randomUUID()}?name=bill-of-hunter22.pdf`
      const kept = await cluster.api(edge).ask('POST', path, `%PDF-${index}`, {
        authorization: `Bearer ${session.token}`,
        'content-type': 'application/octet-stream',
      })
      assert.is(kept.status, 201, `${kept.raw}`)
      const listed = await cluster.api(edge).get(`/v1/tasks/${id}/files`)
      assert.equal(
        listed.json.files.map(({ name }: { name: string }) => name),
        Array.from({ length: index + 1 }, () => 'download.pdf'),
      )
      const log = await cluster.api(edge).get(`/v1/tasks/${id}/events`)
      assert.not.match(String(log.raw), /bill-of/)
    }
    await api.post(`/v1/tasks/${id}/cancel`)
    browser.disconnect()
  }
})

test('[M12] the tab of a task is shown at each node while somebody looks there', async () => {
  const [at] = nodes()
  const { session, browser } = await cluster.browserAt(at, { answer: () => 'never', tools: ['live_view'] })
  const id = await started(cluster.api(at), session.id, { name: 'shown', steps: 1 })
  for (const edge of nodes()) {
    const asked = browser.framesOf('live_start').length
    const stopped = browser.framesOf('live_stop').length
    const leave = new AbortController()
    const answer = await fetch(`${edge.url}/v1/tasks/${id}/live`, {
      headers: { authorization: `Bearer ${cluster.api(edge).key}` },
      signal: leave.signal,
    })
    assert.is(answer.status, 200)
    await eventually(() => browser.framesOf('live_start').length > asked, 'its browser is asked')
    browser.send({ type: 'live_frame', taskId: id, jpeg: '/9j/4AAQ' })
    let text = ''
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    while (!text.includes('/9j/4AAQ')) text += (await reader?.read())?.value ?? ''
    leave.abort()
    await eventually(() => browser.framesOf('live_stop').length > stopped, 'nobody looks any more')
  }
  await cluster.api(at).post(`/v1/tasks/${id}/cancel`)
  browser.disconnect()
})

test('[M13 M4] a node that is cut off from MongoDB and NATS: its task goes on elsewhere, and back again it does no harm', async () => {
  const third = nodes()[2]
  await cluster.newWorkspaceOf(third)
  const relay = await openBalancer([...cluster.nodes].reverse().map(({ relayPort }) => relayPort))
  const session = await cluster.api(third).pair()
  const browser = await TestBrowser.open({ relayPort: relay.port, token: session.token, answer: () => ({ ms: 10 }) })
  const job = { name: 'cut off', steps: 40, ms: 200 }
  const id = await started(cluster.api(third), session.id, job)
  await eventually(() => browser.calls.length > 2, 'the first calls')
  for (const [line, port] of lines) line.setUp(port, false)
  const before = browser.calls.length
  const at = nodes()[0]
  await eventually(
    async () => (await cluster.seen(at)).nodes.length === 2 && browser.calls.length > before + 3,
    'it goes on elsewhere',
    40_000,
  )
  for (const [line, port] of lines) line.setUp(port, true)
  const task = await finished(cluster.api(at), id, 40_000)
  assert.equal([task.status, task.answer], ['complete', answerOf(job)])
  assert.equal(
    [...browser.executed.values()],
    Array.from({ length: job.steps }, () => 1),
  )
  await cluster.settled()
  assert.equal(await cluster.api(third).task(id), task)
  browser.disconnect()
  relay.close()
})

for (const protocol of [2, 1] as const) {
  test(`[M4 D8 R40] a node that is taken over early goes on for a moment as if nothing had happened: no call of a browser of protocol ${protocol} is executed twice`, async () => {
    const third = nodes()[2]
    await cluster.newWorkspaceOf(third)
    // It connects to the third node first, and to others while that one answers nobody.
    const relay = await openBalancer([...cluster.nodes].reverse().map(({ relayPort }) => relayPort))
    const session = await cluster.api(third).pair()
    const browser = await TestBrowser.open({
      relayPort: relay.port,
      token: session.token,
      protocol,
      answer: () => ({ ms: 20 }),
    })
    const job = { name: `taken over, ${protocol}`, steps: 40, ms: 60 }
    const id = await started(cluster.api(third), session.id, job)
    await eventually(() => browser.calls.length > 2, 'the first calls')
    const { node: owner } = await cluster.seen(third)
    const [bus, nats] = lines[1] as (typeof lines)[0]
    // Nobody listens for it any more, and its renewal is late: the others need not wait for its lease. Back again it
    // has looked less than 3 s ago, and sends frames unasked.
    bus.setUp(nats, false)
    third.signal('SIGSTOP')
    await eventually(
      async () => (await cluster.seen(nodes()[0])).nodes.every(({ id }) => id !== owner),
      'it is gone',
      20_000,
    )
    third.signal('SIGCONT')
    bus.setUp(nats, true)
    const task = await finished(cluster.api(nodes()[0]), id, 60_000)
    assert.is(task.status, 'complete')
    assert.ok(browser.calls.length > 2)
    assert.ok(
      [...browser.executed.values()].every((times) => times === 1),
      'no request id twice',
    )
    const steps = browser.calls.map(({ input }) => input.text)
    assert.is(new Set(steps).size, steps.length, 'no step twice')
    await cluster.settled()
    browser.disconnect()
    relay.close()
  })
}

test('[M13] MongoDB answers nobody for 6 s: no task ends, and all goes on', async () => {
  const jobs = nodes().map((_, index) => ({ name: `waits ${index}`, steps: 8, ms: 100 }))
  const running: { id: string; browser: TestBrowser; key: string; at: TestService }[] = []
  for (const [index, at] of nodes().entries()) {
    await cluster.newWorkspace()
    const { session, browser } = await cluster.browserAt(at, { answer: () => ({ ms: 10 }) })
    const api = cluster.api(at)
    running.push({
      id: await started(api, session.id, jobs[index] ?? { name: '', steps: 0 }),
      browser,
      key: api.key,
      at,
    })
  }
  cluster.mongo?.pause()
  await new Promise((resolve) => setTimeout(resolve, 6_000))
  cluster.mongo?.resume()
  for (const [index, { id, browser, key, at }] of running.entries()) {
    const api = new Api(at.url, key)
    const task = await finished(api, id, 40_000)
    assert.equal([task.status, task.answer], ['complete', answerOf(jobs[index] ?? { name: '', steps: 0 })])
    assert.ok([...browser.executed.values()].every((times) => times === 1))
    browser.disconnect()
  }
})

if (hasNats) test.run()
else {
  console.log('SKIPPED 6 no nats-server is installed')
  suite('what is away').run()
}
