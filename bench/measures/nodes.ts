import { hasNats, type NatsServer, startNats } from '../../test/support/nats.ts'
import { type Figure, median, quantile } from '../figures.ts'
import { type OpenService, type Testbed, wait } from '../testbed.ts'
import { between } from '../usage.ts'

const STEPS = 10
const AT_ONCE = 48
const SECONDS = 8
/** A part of the load in which it gets under way, and one before its end, in ms. */
const RAMP_MS = 1_500
const END_MS = 250
/** Until each node owns its part. */
const SETTLED_MS = 10_000

/**
 * One process over MongoDB, then 1, 2 and 3 nodes with a nats-server: CPU of a step in all processes of the service, and how
 * long browsers wait for the next frame at the 50th and 99th of 100. Each browser is connected to one node, and its tasks
 * are started at the next. TEST_MONGODB_URL names a real server; without it what MongoDB costs means nothing.
 */
export async function measureNodes(bed: Testbed): Promise<Figure[]> {
  if (!hasNats) throw new Error('No nats-server is installed')
  const modelUrl = await (await bed.endpoint()).ask.url()
  const nats = await startNats()
  const single = await measured(bed, modelUrl, 1, null)
  const figures = figuresOf('one process', single)
  for (const count of [1, 2, 3]) {
    const nodes = await measured(bed, modelUrl, count, nats)
    figures.push(...figuresOf(`${count} ${count === 1 ? 'node' : 'nodes'}`, nodes), {
      what: 'CPU against one process',
      unit: '',
      rounds: nodes.map(({ cpuMs }) => cpuMs / median(single.map((each) => each.cpuMs))),
      atMost: count < 3 ? 1.3 : 1.5,
    })
  }
  await nats.kill()
  return figures
}

type Round = Awaited<ReturnType<typeof oneRound>>

async function measured(bed: Testbed, modelUrl: string, count: number, nats: NatsServer | null): Promise<Round[]> {
  const mongodbUrl = await bed.mongodb()
  const services: OpenService[] = []
  for (let n = 0; n < count; n++)
    services.push(await bed.service({ modelUrl, mongodbUrl, ...(nats && { natsUrl: nats.url }) }))
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
  const round = () => oneRound(bed, load, services, groups)
  // What is hot is compiled in the first.
  await round()
  const rounds: Round[] = []
  for (const _ of bed.rounds) rounds.push(await round())
  for (const each of [...services, load]) await each.kill()
  return rounds
}

async function oneRound(
  bed: Testbed,
  load: Awaited<ReturnType<Testbed['load']>>,
  services: readonly OpenService[],
  groups: readonly number[],
) {
  const [seconds, atOnce] = [bed.size(SECONDS, 3), bed.size(AT_ONCE, 6) / groups.length]
  const loading = groups.map((group, n) => {
    const { httpPort = 0 } = services[(n + 1) % services.length] ?? {}
    return load.ask.tasks(group, { httpPort, atOnce, seconds, tasksMax: 1e9, steps: STEPS })
  })
  const look = async () => {
    const used = () => Promise.all(services.map(({ ask }) => ask.usage(false)))
    const waits = async () => (await Promise.all(groups.map((group) => load.ask.waits(group)))).flat()
    await wait(RAMP_MS)
    await waits()
    const before = await used()
    await wait(seconds * 1_000 - RAMP_MS - END_MS)
    const after = await used()
    const taken = await waits()
    const cpuMs = after.reduce((sum, use, n) => sum + between(before[n] as typeof use, use).cpuMs, 0)
    return { cpuMs: cpuMs / taken.length, p50: quantile(taken, 0.5), p99: quantile(taken, 0.99) }
  }
  const [looked] = await Promise.all([look(), ...loading])
  return looked
}

const figuresOf = (who: string, rounds: readonly Round[]): Figure[] => [
  { what: `${who}: CPU of a step`, unit: 'ms', rounds: rounds.map(({ cpuMs }) => cpuMs) },
  { what: 'wait for the next frame, p50', unit: 'ms', rounds: rounds.map(({ p50 }) => p50) },
  { what: 'p99', unit: 'ms', rounds: rounds.map(({ p99 }) => p99) },
]
