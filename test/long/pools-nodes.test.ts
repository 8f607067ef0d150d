import { openBalancer } from '../support/balancer.ts'
import { Cluster } from '../support/cluster.ts'
import { hasNats } from '../support/nats.ts'
import { Api } from '../support/service/api.ts'
import type { TestService } from '../support/service.ts'
import { poolsSurvive } from './pools-suite.ts'

const portOf = ({ url }: TestService) => Number(new URL(url).port)

/** Three nodes behind a load balancer; the one that runs the tasks is killed each time. */
async function open() {
  const cluster = await Cluster.open(3, { BROWSERS: '0' })
  const http = await openBalancer(cluster.nodes.map(portOf))
  const relay = await openBalancer(cluster.nodes.map(({ relayPort }) => relayPort))
  const setUp = (node: TestService, isUp: boolean) => {
    http.setUp(portOf(node), isUp)
    relay.setUp(node.relayPort, isUp)
  }
  const [first] = cluster.nodes as [TestService]
  return {
    api: new Api(`http://127.0.0.1:${http.port}`, first.key),
    relayPort: relay.port,
    env: { ...cluster.env },
    async kill() {
      const node = await cluster.ownerOfRunning()
      await node.kill()
      setUp(node, false)
      node.spawn()
      await node.answers()
      setUp(node, true)
    },
    metrics: () =>
      Promise.all(cluster.alive.map(async ({ url }) => (await (await fetch(`${url}/metrics`)).text()) as string)),
    async close() {
      http.close()
      relay.close()
      await cluster.close()
    },
  }
}

if (hasNats) poolsSurvive('three nodes', open, 3)
else console.log('SKIPPED 1 There is no nats-server.')
