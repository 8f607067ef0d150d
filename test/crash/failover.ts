import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { quantile } from '../../bench/figures.ts'
import { placesOf, shardOf } from '../../machines/placement.ts'
import { openBalancer } from '../support/balancer.ts'
import { buildService } from '../support/builds.ts'
import { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { lose } from '../support/firewall.ts'
import { type Api, newWorkspace } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { taskOf } from '../support/service/model.ts'
import type { TestService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

/**
 * `npm run bench:failover -- --times N [--fault kill|stop|lost]`: of three nodes behind a load balancer the owner of some
 * running tasks is killed; or stopped, and its connections cut after 2 s; or lost with its network: nothing that it sends
 * arrives any more, not even that a connection is closed (iptables; needs root). Prints how long it takes until the next call
 * of each of its tasks, by where their browsers were connected.
 */
const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    tenants: { type: 'string', default: '9' },
    fault: { type: 'string', default: 'kill' },
  },
})
const NEXT_CALL_MS_MAX = 40_000
const JOB = { steps: 400, ms: 100 }

const GROUP = 47_001
const isLost = values.fault === 'lost'
const entry = await buildService(tempFolder())
const cluster = await Cluster.open(3, {}, { entry, ...(isLost ? { gid: GROUP } : {}) })
const portOf = ({ url }: TestService) => Number(new URL(url).port)
const http = await openBalancer(cluster.nodes.map(portOf))
const url = `http://127.0.0.1:${http.port}`

interface Tenant {
  readonly api: Api
  readonly sessionId: string
  readonly shard: number
  readonly browser: TestBrowser
  /** When each call came. */
  readonly calls: number[]
  readonly relay: Awaited<ReturnType<typeof openBalancer>>
  task: string
}
const tenants: Tenant[] = []
for (let count = 0; count < Number(values.tenants); count++) {
  const { api, id: workspaceId } = await newWorkspace(url)
  const { id: sessionId, token } = await api.pair()
  const calls: number[] = []
  // The first node of its balancer is where its browser connects first.
  const ports = cluster.nodes.map(({ relayPort }) => relayPort)
  const relay = await openBalancer([...ports.slice(count % 3), ...ports.slice(0, count % 3)])
  const answer = () => {
    calls.push(performance.now())
    return { ms: 10 }
  }
  const browser = await TestBrowser.open({ relayPort: relay.port, token, answer, asks: true })
  tenants.push({ api, sessionId, shard: shardOf(workspaceId), browser, calls, relay, task: '' })
}
const setUp = (node: TestService, isUp: boolean) => {
  http.setUp(portOf(node), isUp)
  for (const { relay } of tenants) relay.setUp(node.relayPort, isUp)
}

const all: number[] = []
const loads: number[] = []
const ids = async () => Promise.all(cluster.nodes.map(async (node) => (await cluster.seen(node)).node))
for (let time = 0; time < Number(values.times); time++) {
  for (const tenant of tenants) {
    await eventually(
      async () => {
        const { json } = await tenant.api.get('/v1/browser-sessions')
        if (json.sessions?.[0]?.status !== 'connected') return false
        const answer = await tenant.api.start(tenant.sessionId, taskOf({ name: `t${time}`, ...JOB }))
        tenant.task = answer.json.id ?? ''
        return answer.status === 201
      },
      'a task begins',
      NEXT_CALL_MS_MAX,
    )
  }
  const from = performance.now()
  await eventually(() => tenants.every(({ calls }) => (calls.at(-1) ?? 0) > from), 'every task runs', NEXT_CALL_MS_MAX)
  const nodes = await ids()
  const index = time % cluster.nodes.length
  const node = cluster.nodes[index] as TestService
  const moved = tenants.filter(({ shard }) => placesOf(nodes)[shard] === nodes[index])
  let at = performance.now()
  let back = () => {}
  if (isLost) {
    back = lose(GROUP + index)
    at = performance.now()
  } else if (values.fault === 'stop') node.signal('SIGSTOP')
  else await node.kill()
  const since = (tenant: Tenant) => (tenant.calls.find((call) => call > at + 50) ?? Number.POSITIVE_INFINITY) - at
  // What the balancer's own probes would find. Of a lost machine it knows that it takes no further connections.
  const found = () => {
    if (isLost) for (const { relay } of tenants) relay.drain(node.relayPort)
    else setUp(node, false)
  }
  setTimeout(found, values.fault === 'kill' ? 0 : 2_000)
  await eventually(() => moved.every((tenant) => since(tenant) < NEXT_CALL_MS_MAX), 'the next calls', NEXT_CALL_MS_MAX)
  const ms = moved.map(since)
  all.push(...ms)
  loads.push(loadavg()[0] ?? 0)
  console.log(
    `${values.fault} ${time + 1}: ${ms.map((each) => (each / 1_000).toFixed(1)).join(' ')} s, load ${loads.at(-1)?.toFixed(1)}`,
  )
  if (isLost) http.setUp(portOf(node), false)
  for (const { api, task } of tenants) await api.post(`/v1/tasks/${task}/cancel`)
  if (values.fault !== 'kill') await node.kill()
  setUp(node, false)
  back()
  node.spawn()
  await node.answers()
  await cluster.settled()
  setUp(node, true)
}
const seconds = (share: number) => (quantile(all, share) / 1_000).toFixed(1)
console.log(
  `${values.fault}: ${all.length} tasks in ${loads.length} faults, p50 ${seconds(0.5)} s, p99 ${seconds(0.99)} s, most ${(Math.max(...all) / 1_000).toFixed(1)} s, load ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`,
)
for (const { browser, relay } of tenants) {
  browser.disconnect()
  relay.close()
}
http.close()
await cluster.close()
