import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openBalancer } from '../support/balancer.ts'
import { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { canLose, lose } from '../support/firewall.ts'
import { hasNats } from '../support/nats.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { answerOf } from '../support/service/model.ts'
import type { TestService } from '../support/service.ts'

const test = suite('a machine that is lost')
const GROUP = 47_010

test('[M15 R55] nothing that the owner sends arrives, and no connection is closed: its task goes on elsewhere within 15 s, and no call is executed twice when it is back', async () => {
  const cluster = await Cluster.open(3, {}, { gid: GROUP })
  const [owner, other] = cluster.nodes as [TestService, TestService]
  await cluster.newWorkspaceOf(owner)
  // Its browser is connected to the machine that is lost, and hears of nothing.
  const relay = await openBalancer(cluster.nodes.map(({ relayPort }) => relayPort))
  const { id: sessionId, token } = await cluster.api(owner).pair()
  const browser = await TestBrowser.open({ relayPort: relay.port, token, asks: true, answer: () => ({ ms: 10 }) })
  const job = { name: 'lost', steps: 45, ms: 250 }
  const id = await started(cluster.api(owner), sessionId, job)
  await eventually(() => browser.calls.length > 2, 'the first calls')
  const back = lose(GROUP)
  const lostAt = performance.now()
  relay.drain(owner.relayPort)
  // What was on its way has arrived.
  await new Promise((resolve) => setTimeout(resolve, 200))
  const before = browser.calls.length
  await eventually(() => browser.calls.length > before, 'the next call', 30_000)
  const ms = performance.now() - lostAt
  back()
  assert.ok(ms < 15_000, `${Math.round(ms)} ms`)
  const task = await finished(cluster.api(other), id, 90_000)
  assert.equal([task.status, task.answer], ['complete', answerOf(job)])
  assert.equal(
    [...browser.executed.values()],
    Array.from({ length: job.steps }, () => 1),
  )
  await cluster.settled()
  assert.equal(await cluster.api(owner).task(id), task)
  browser.disconnect()
  relay.close()
  await cluster.close()
})

if (hasNats && canLose) test.run()
else {
  console.log('SKIPPED 1 no nats-server is installed, or packets cannot be dropped here (iptables, as root)')
  suite('a machine that is lost').run()
}
