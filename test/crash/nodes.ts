import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../simulation/random.ts'
import { openBalancer } from '../support/balancer.ts'
import { buildService } from '../support/builds.ts'
import { Cluster } from '../support/cluster.ts'
import { canLose, lose } from '../support/firewall.ts'
import { stepDown } from '../support/mongo/mongod.ts'
import { watchTransactions } from '../support/mongo/transactions.ts'
import type { TestService } from '../support/service.ts'
import { canStarve, starve } from '../support/starve.ts'
import { tempFolder } from '../support/stores.ts'
import { closeReceivers } from '../webhooks/receiver.ts'
import { read, settle } from './checks.ts'
import {
  cancelSome,
  FREE_TASKS,
  mayStart,
  openAttempts,
  openTenant,
  PAYMENT_SECRET,
  paySome,
  startSome,
  type Tenant,
} from './tenant.ts'

/**
 * `npm run test:crash:nodes -- --rounds N [--nodes 3] [--seed S] [--canary]`: several nodes behind a load balancer, a real nats-server
 * and the MongoDB test server. In each round tasks are started, cancelled and paid for, and a fault strikes: `kill -9` of a
 * node, SIGSTOP for up to 20 s, SIGTERM, NATS killed and started again, where packets can be dropped nothing that a node sends
 * arrives for up to 20 s, where CPU can be rationed every node has a tenth of a core for up to 30 s and one is killed meanwhile, or, on the replica set of
 * TEST_MONGODB_URL, the primary steps down. `--faults kill,lost`: those alone. Every few rounds all is left to finish, and
 * what was promised is checked through the public API alone. A seed repeats the choices, not the moments. `--canary`: the
 * last node is of the next version, whose rows the others cannot read, and at its next start of this one, and so on.
 */
const { values } = parseArgs({
  options: {
    canary: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '10' },
    nodes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    tenants: { type: 'string', default: '16' },
    faults: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const random = new Random(Number(values.seed))
const SETTLED_EVERY = 5
const PROTOCOL_1_EVERY = 6

const replicaSet = process.env.TEST_MONGODB_URL
const POSSIBLE = [
  ...(['kill', 'kill', 'stop', 'handover', 'nats'] as const),
  ...(canLose ? (['lost'] as const) : []),
  ...(canStarve ? (['starved'] as const) : []),
  ...(replicaSet ? (['stepdown'] as const) : []),
]
type Fault = (typeof POSSIBLE)[number]
const wanted = values.faults?.split(',') ?? POSSIBLE
const FAULTS = POSSIBLE.filter((fault) => wanted.includes(fault))
if (FAULTS.length === 0) throw new Error(`--faults is some of ${[...new Set(POSSIBLE)]}`)
/** Of the first node; each has a group of its own. */
const GROUP = 47_100
const STARVED_SHARE = 0.1
/** [M19] */
const TRANSACTION_OPEN_MS_MAX = 10_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const portOf = ({ url }: TestService) => Number(new URL(url).port)

const wrong: string[] = []
const faults = new Map<Fault, number>()
/** How long it took, when left alone, until all had ended. */
const settledMs: number[] = []
const settings = { PAYMENT_WEBHOOK_SECRET: PAYMENT_SECRET, FREE_TASKS_PER_MONTH: String(FREE_TASKS) }
const folder = tempFolder()
const build = await buildService(folder)
const count = Number(values.nodes)
const others = values.canary ? count - 1 : count
const cluster = await Cluster.open(others, settings, { entry: build, ...(canLose && { gid: GROUP }) })
if (values.canary) {
  const entry = inTurn([await buildService(folder, { canary: true }), build])
  await cluster.add({}, canLose ? GROUP + others : undefined, entry)
}
const watched = watchTransactions(replicaSet ?? cluster.mongo?.url ?? '', replicaSet === undefined)
const http = await openBalancer(cluster.nodes.map(portOf))
const relay = await openBalancer(cluster.nodes.map(({ relayPort }) => relayPort))
const url = `http://127.0.0.1:${http.port}`
function setUp(node: TestService, isUp: boolean): void {
  http.setUp(portOf(node), isUp)
  relay.setUp(node.relayPort, isUp)
}

const tenants: Tenant[] = []
for (let count = 0; count < Number(values.tenants); count++) {
  const protocol = count % PROTOCOL_1_EVERY === PROTOCOL_1_EVERY - 1 ? 1 : 2
  tenants.push(await openTenant(url, `t${count}`, protocol, random, relay.port))
}

async function strike(fault: Fault, node: TestService): Promise<void> {
  if (fault === 'nats') {
    await cluster.nats.kill()
    await pause(random.between(0, 5_000))
    await cluster.nats.start()
  } else if (fault === 'stepdown') {
    if (!(await stepDown(replicaSet ?? ''))) console.log('The primary did not step down.')
    await pause(random.between(0, 5_000))
  } else {
    // Connections are cut by the fault, not before it: what a browser is doing when its connection is cut fails [R19].
    for (const [balancer, port] of [
      [http, portOf(node)],
      [relay, node.relayPort],
    ] as const)
      balancer.drain(port)
    if (fault === 'stop') await away(node, stopped)
    else if (fault === 'lost') await away(node, () => lose(GROUP + cluster.nodes.indexOf(node)))
    else if (fault === 'starved') await starved(node)
    else await replace(node, fault)
    setUp(node, true)
  }
}

/** For a while it is not there. `leave` gives what brings it back. */
async function away(node: TestService, leave: (node: TestService) => () => void): Promise<void> {
  const back = leave(node)
  setUp(node, false)
  await pause(random.between(1_000, 20_000))
  back()
  await pause(random.between(0, 2_000))
}

/** Every node is short of CPU, and one of them is killed and comes back: what it had is taken over by the others meanwhile. */
async function starved(killed: TestService): Promise<void> {
  const feeds = cluster.nodes.map(({ pid }) => starve(pid, STARVED_SHARE))
  await pause(random.between(1_000, 10_000))
  await killed.kill()
  setUp(killed, false)
  await pause(random.between(1_000, 10_000))
  killed.spawn()
  feeds.push(starve(killed.pid, STARVED_SHARE))
  await pause(random.between(1_000, 10_000))
  for (const feed of feeds) feed()
  await killed.answers()
}

function stopped(node: TestService): () => void {
  node.signal('SIGSTOP')
  return () => node.signal('SIGCONT')
}

async function replace(node: TestService, how: 'kill' | 'handover'): Promise<void> {
  const { length } = node.output
  const { code } = how === 'kill' ? await node.kill() : await node.stop()
  setUp(node, false)
  if (how === 'handover' && code !== 0) wrong.push(`SIGTERM: ${code} ${plain(node.output.slice(length))}`)
  await pause(random.between(0, 6_000))
  node.spawn()
  await node.answers()
}

/** An entry that is one build after the other, and says which. */
function inTurn(builds: readonly string[]): string {
  const path = join(folder, 'in-turn.mjs')
  const starts = join(folder, 'starts')
  writeFileSync(starts, '')
  const lines = [
    "import { appendFileSync, statSync } from 'node:fs'",
    `const build = ${JSON.stringify(builds)}[statSync(${JSON.stringify(starts)}).size % ${builds.length}]`,
    `appendFileSync(${JSON.stringify(starts)}, '.')`,
    "console.log('Build:', build)",
    'await import(build)',
  ]
  writeFileSync(path, lines.join('\n'))
  return path
}

/** What it printed that is no line of its log. */
const plain = (output: string): string =>
  output
    .split('\n')
    .filter((line) => !line.startsWith('{'))
    .join(' ')
    .trim()

async function round(): Promise<void> {
  const fault = random.pick(FAULTS)
  const node = random.pick(cluster.nodes)
  const sent: Promise<void>[] = []
  const work = () => {
    const willing = tenants.filter(mayStart)
    if (willing.length > 0) sent.push(startSome(random.pick(willing), random))
    if (random.chance(0.2)) sent.push(paySome(random.pick(tenants), random))
    const busy = tenants.filter((tenant) => openAttempts(tenant).length > 0)
    if (busy.length > 0 && random.chance(0.2)) sent.push(cancelSome(random.pick(busy), random))
  }
  for (let count = random.whole(4, 10); count > 0; count--) work()
  await pause(random.between(0, 600))
  const struck = strike(fault, node)
  let lasts = true
  void struck.finally(() => (lasts = false)).catch(() => {})
  for (let count = random.whole(2, 6); count > 0 || lasts; count--) {
    await pause(random.between(0, 300))
    work()
  }
  await struck
  await Promise.all(sent)
  faults.set(fault, (faults.get(fault) ?? 0) + 1)
}

async function settled(): Promise<void> {
  const from = performance.now()
  await cluster.settled(60_000).catch(async ({ message }: Error) => {
    const seen = await Promise.all(cluster.alive.map((node) => cluster.seen(node)))
    wrong.push(`${message}: ${JSON.stringify(seen)}`)
  })
  for (const found of await Promise.all(tenants.map(settle))) wrong.push(...found)
  settledMs.push(performance.now() - from)
  const longestMs = await watched.longestMs()
  if (longestMs > TRANSACTION_OPEN_MS_MAX) wrong.push(`a transaction was open for ${longestMs} ms`)
  for (const { exit } of cluster.nodes) if (exit) wrong.push(`died: ${JSON.stringify(exit)}`)
  for (const tenant of tenants) for (const attempt of tenant.attempts) wrong.push(...(await read(tenant, attempt)))
}

const canaryStarts = (sum: number, { output }: TestService): number =>
  sum + (output.match(/^Build: .*\/canary\//gm)?.length ?? 0)

async function tell(done: number): Promise<void> {
  const attempts = tenants.flatMap((tenant) => tenant.attempts)
  const ended = new Map<string, number>()
  for (const { final } of attempts) {
    const name = final === null ? 'open' : JSON.parse(final).ended_by
    ended.set(name, (ended.get(name) ?? 0) + 1)
  }
  const named = (counts: ReadonlyMap<string, number>) => [...counts].map((pair) => pair.reverse().join(' ')).join(', ')
  const parts = [
    `round ${done}/${rounds}`,
    `${cluster.nodes.length} nodes, seed ${values.seed}`,
    `tasks ${attempts.length} (${attempts.filter(({ acknowledged }) => acknowledged).length} acknowledged): ${named(ended)}`,
    `calls ${tenants.reduce((sum, { browser }) => sum + browser.calls.length, 0)}`,
    `payments ${tenants.reduce((sum, { payments }) => sum + payments.length, 0)}`,
    `faults ${named(faults)}`,
    `transactions open for at most ${((await watched.longestMs()) / 1_000).toFixed(1)} s`,
    `settled within ${(Math.max(...settledMs) / 1_000).toFixed(1)} s`,
    ...(values.canary ? [`${cluster.nodes.reduce(canaryStarts, 0)} starts of the next version`] : []),
    `${wrong.length} wrong`,
  ]
  console.log(parts.join('  ·  '))
}

let done = 0
while (done < rounds && wrong.length === 0) {
  await round()
  done++
  if (done % SETTLED_EVERY !== 0 && done !== rounds) continue
  await settled()
  await tell(done)
}
if (wrong.length > 0) {
  const logged = cluster.nodes.flatMap(({ output }) => output.split('\n').filter((line) => line.startsWith('{')))
  console.log([...wrong.slice(0, 10), ...logged.slice(-20)].join('\n'))
}
for (const { browser } of tenants) browser.disconnect()
http.close()
relay.close()
await watched.close()
await cluster.close()
await closeReceivers()
process.exitCode = wrong.length > 0 ? 1 : 0
