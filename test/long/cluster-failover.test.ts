import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { hasNats } from '../support/nats.ts'
import type { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { answerOf, type Job } from '../support/service/model.ts'
import type { TestService } from '../support/service.ts'

const test = suite('nodes that go')
let cluster: Cluster

/** Everything but the node. */
const others = (node: TestService) => cluster.alive.filter((each) => each !== node)
const onceEach = (browser: TestBrowser, calls: number) =>
  assert.equal(
    [...browser.executed.values()],
    Array.from({ length: calls }, () => 1),
  )

/** A task under way whose browser has left the node that owns it, for `at`. */
async function leaving(job: Job) {
  const edge = cluster.nodes[0] as TestService
  const { session, browser } = await cluster.browserAt(edge, { answer: () => ({ ms: 10 }) })
  const id = await started(cluster.api(edge), session.id, job)
  const owner = await cluster.ownerOfRunning()
  await eventually(() => browser.calls.length > 2, 'the first calls')
  browser.disconnect()
  return { id, browser, owner, at: others(owner)[0] as TestService }
}

test.before(async () => {
  cluster = await Cluster.open(3)
})
test.before.each(() => cluster.newWorkspace())
test.after(() => cluster.close())

test('[M4] a node that owns a running task is stopped and comes back: it does no harm, the task goes on elsewhere', async () => {
  const job = { name: 'stopped', steps: 45, ms: 150 }
  const edge = cluster.nodes[0] as TestService
  const { session, browser } = await cluster.browserAt(edge, { answer: () => ({ ms: 10 }) })
  const id = await started(cluster.api(edge), session.id, job)
  const owner = await cluster.ownerOfRunning()
  await eventually(() => browser.calls.length > 2, 'the first calls')
  if (owner === edge) {
    browser.disconnect()
    await browser.connect(others(owner)[0]?.relayPort)
  }
  owner.signal('SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 6_000))
  owner.signal('SIGCONT')
  const at = others(owner)[0] as TestService
  const task = await finished(cluster.api(at), id, 40_000)
  assert.equal([task.status, task.answer], ['complete', answerOf(job)])
  onceEach(browser, job.steps)
  assert.ok(browser.framesOf('task_complete').length <= 1)
  await cluster.settled()
  assert.equal(await cluster.api(owner).task(id), task)
  browser.disconnect()
})

test('[M7] SIGTERM to the owner of a running task: it goes on at another node, and the process ends with 0', async () => {
  const job = { name: 'handed over', steps: 20, ms: 150 }
  const { id, browser, owner, at } = await leaving(job)
  await browser.connect(at.relayPort)
  assert.is((await owner.stop()).code, 0)
  const task = await finished(cluster.api(at), id)
  assert.equal([task.status, task.answer], ['complete', answerOf(job)])
  onceEach(browser, job.steps)
  owner.spawn()
  await owner.answers()
  await cluster.settled()
  browser.disconnect()
})

test('[M9] kill -9 of the owner of a running task: it goes on elsewhere within 10 s', async () => {
  const job = { name: 'killed', steps: 20, ms: 150 }
  const { id, browser, owner, at } = await leaving(job)
  await owner.kill()
  const killedAt = performance.now()
  await browser.connect(at.relayPort)
  const before = browser.calls.length
  await eventually(() => browser.calls.length > before, 'the next call', 15_000)
  const ms = performance.now() - killedAt
  assert.ok(ms < 10_000, `${Math.round(ms)} ms`)
  const task = await finished(cluster.api(at), id)
  assert.equal([task.status, task.answer], ['complete', answerOf(job)])
  onceEach(browser, job.steps)
  browser.disconnect()
})

if (hasNats) test.run()
else {
  console.log('SKIPPED 3 no nats-server is installed')
  suite('nodes that go').run()
}
