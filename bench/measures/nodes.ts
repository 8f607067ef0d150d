import { hasNats, type NatsServer, startNats } from '../../test/support/nats.ts'
import { type Figure, median, quantile } from '../figures.ts'
import type { LoadCalls } from '../load.ts'
import type { Remote } from '../remote.ts'
import { type OpenService, type Testbed, wait } from '../testbed.ts'
import { between, type Usage } from '../usage.ts'

const STEPS = 10
const AT_ONCE = 48
const SECONDS = 8
/** A part of the load in which it gets under way, and one before its end, in ms. */
const RAMP_MS = 1_500
const END_MS = 250
/** Until each node owns its part. */
const SETTLED_MS = 10_000
const IDLE_S = 10
/** In each node: of fewer the engine has not compiled what is hot, and a step of three nodes would cost what three starts cost. */
const WARM_UP_TASKS = 500
const WARM_UP_S = 300
const READS = ['find', 'aggregate', 'getMore']

/**
 * One process over MongoDB, then 1, 2 and 3 nodes with a nats-server: CPU of a step in all processes of the service, and how
 * long browsers wait for the next frame at the 50th and 99th of 100. Each browser is connected to one node, and its tasks
 * are started at the next. What each asks of MongoDB, for a step and while nothing is to be done, is counted in processes of
 * their own. TEST_MONGODB_URL names a real server; without it what MongoDB costs means nothing.
 */
export async function measureNodes(bed: Testbed): Promise<Figure[]> {
  if (!hasNats) throw new Error('No nats-server is installed')
  const modelUrl = await (await bed.endpoint()).ask.url()
  const nats = await startNats()
  const single = await measured(bed, modelUrl, 1, null)
  const figures = [...figuresOf('one process', single), ...(await requestsOf(bed, modelUrl, 1, null))]
  for (const count of [1, 2, 3]) {
    const nodes = await measured(bed, modelUrl, count, nats)
    figures.push(...figuresOf(`${count} ${count === 1 ? 'node' : 'nodes'}`, nodes), {
      what: 'CPU against one process',
      unit: '',
      rounds: nodes.map(({ cpuMs }) => cpuMs / median(single.map((each) => each.cpuMs))),
      atMost: count < 3 ? 1.3 : 1.5,
    })
    figures.push(...(await requestsOf(bed, modelUrl, count, nats)))
  }
  await nats.kill()
  return figures
}

type Round = Awaited<ReturnType<typeof oneRound>>

async function measured(bed: Testbed, modelUrl: string, count: number, nats: NatsServer | null): Promise<Round[]> {
  const { services, load, groups } = await nodesWithBrowsers(bed, modelUrl, count, nats)
  await Promise.all(tasksAtTheNext(load, services, groups, AT_ONCE, WARM_UP_S, bed.size(WARM_UP_TASKS, 3)))
  const rounds: Round[] = []
  for (const _ of bed.rounds) rounds.push(await oneRound(bed, load, services, groups))
  for (const each of [...services, load]) await each.kill()
  return rounds
}

async function requestsOf(bed: Testbed, modelUrl: string, count: number, nats: NatsServer | null): Promise<Figure[]> {
  const { services, load, groups } = await nodesWithBrowsers(bed, modelUrl, count, nats, true)
  const { commands, steps } = await oneRound(bed, load, services, groups)
  await wait(bed.size(SETTLED_MS, 1_000))
  await Promise.all(services.map(({ ask }) => ask.count()))
  const before = await usedBy(services)
  const seconds = bed.size(IDLE_S, 2)
  await wait(seconds * 1_000)
  const idle = await commandsOf(services)
  const after = await usedBy(services)
  for (const each of [...services, load]) await each.kill()

  const reads = idle.filter((command) => READS.includes(command)).length
  const each = (sum: number) => [sum / count / seconds]
  return [
    { what: 'commands to MongoDB of a step', unit: '', rounds: [commands / steps] },
    { what: 'idle: reads of each', unit: 'per s', rounds: each(reads) },
    { what: 'idle: other commands of each', unit: 'per s', rounds: each(idle.length - reads) },
    { what: 'idle: CPU of each', unit: 'ms per s', rounds: each(cpuMsOf(before, after)) },
  ]
}

const usedBy = (services: readonly OpenService[]): Promise<Usage[]> =>
  Promise.all(services.map(({ ask }) => ask.usage(false)))
/** Of all processes together. */
const cpuMsOf = (before: readonly Usage[], after: readonly Usage[]): number =>
  after.reduce((sum, use, n) => sum + between(before[n] as Usage, use).cpuMs, 0)

/** What they have asked of MongoDB since it is counted; nothing in processes that are not counted. */
const commandsOf = async (services: readonly OpenService[]): Promise<string[]> =>
  (await Promise.all(services.map(({ ask }) => ask.counted()))).flatMap(({ roundTrips }) =>
    roundTrips.map(({ command }) => command),
  )

async function nodesWithBrowsers(
  bed: Testbed,
  modelUrl: string,
  count: number,
  nats: NatsServer | null,
  counted = false,
) {
  const mongodbUrl = await bed.mongodb()
  const services: OpenService[] = []
  for (let n = 0; n < count; n++)
    services.push(await bed.service({ modelUrl, mongodbUrl, counted, ...(nats && { natsUrl: nats.url }) }))
  if (nats) await wait(bed.size(SETTLED_MS, 5_000))
  const load = await bed.load()
  const seats = (await services[0]?.ask.seats(bed.size(600, 30), 1)) ?? []
  const groups: number[] = []
  for (const [n, { relayPort }] of services.entries())
    groups.push(
      await load.ask.connect(
        relayPort,
        seats.filter((_, at) => at % count === n),
      ),
    )
  return { services, load, groups }
}

/** So many tasks at a time over all groups; those of each are started at the node after its own. */
const tasksAtTheNext = (
  load: Remote<LoadCalls>,
  services: readonly OpenService[],
  groups: readonly number[],
  atOnce: number,
  seconds: number,
  tasksMax = 1e9,
) =>
  groups.map((group, n) => {
    const { httpPort = 0 } = services[(n + 1) % services.length] ?? {}
    return load.ask.tasks(group, { httpPort, atOnce: atOnce / groups.length, seconds, tasksMax, steps: STEPS })
  })

async function oneRound(
  bed: Testbed,
  load: Remote<LoadCalls>,
  services: readonly OpenService[],
  groups: readonly number[],
) {
  const seconds = bed.size(SECONDS, 3)
  const loading = tasksAtTheNext(load, services, groups, bed.size(AT_ONCE, 6), seconds)
  const look = async () => {
    const waits = async () => (await Promise.all(groups.map((group) => load.ask.waits(group)))).flat()
    await wait(RAMP_MS)
    await waits()
    await Promise.all(services.map(({ ask }) => ask.count()))
    const before = await usedBy(services)
    await wait(seconds * 1_000 - RAMP_MS - END_MS)
    const after = await usedBy(services)
    const commands = await commandsOf(services)
    const taken = await waits()
    const [p50, p99] = [quantile(taken, 0.5), quantile(taken, 0.99)]
    return { cpuMs: cpuMsOf(before, after) / taken.length, p50, p99, steps: taken.length, commands: commands.length }
  }
  const [looked] = await Promise.all([look(), ...loading])
  return looked
}

const figuresOf = (who: string, rounds: readonly Round[]): Figure[] => [
  { what: `${who}: CPU of a step`, unit: 'ms', rounds: rounds.map(({ cpuMs }) => cpuMs) },
  { what: 'wait for the next frame, p50', unit: 'ms', rounds: rounds.map(({ p50 }) => p50) },
  { what: 'p99', unit: 'ms', rounds: rounds.map(({ p99 }) => p99) },
]
