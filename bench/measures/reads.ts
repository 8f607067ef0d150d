import type { Figure } from '../figures.ts'
import { type Testbed, wait } from '../testbed.ts'
import { between, type Usage } from '../usage.ts'

const CONNECTIONS = 64

/** An authenticated `GET /v1/tasks/:id` against the smallest answer of the socket library: their rates, and their CPU. */
export async function measureReads(bed: Testbed): Promise<Figure[]> {
  const [service, load, hello] = [await bed.service(), await bed.load(), await bed.hello()]
  const browsers = await service.ask.seats(2, 1)
  await load.ask.connect(service.relayPort, browsers)
  const [one, other] = browsers
  if (!one || !other) throw new Error('No browsers were paired')
  const [finished] = await service.ask.startTasks([one], 1, 10)
  while ((await service.ask.activeTasks()) > 0) await wait(10)
  const [running] = await service.ask.startTasks([other], 1, 'hang')

  const ofService = () => service.ask.usage(false)
  const read = async (target: { port: number; path: string; key: string | null }, usage: () => Promise<Usage>) => {
    const before = await usage()
    const { requests, perS } = await load.ask.get({ ...target, connections: CONNECTIONS, seconds: bed.size(3, 0.3) })
    return { perS, cpuUs: (between(before, await usage()).cpuMs * 1_000) / requests }
  }
  const port = service.httpPort
  const helloPort = await hello.ask.port()
  const all = async () => ({
    hello: await read({ port: helloPort, path: '/', key: null }, hello.ask.usage),
    running: await read({ port, path: `/v1/tasks/${running}`, key: other.key }, ofService),
    finished: await read({ port, path: `/v1/tasks/${finished}`, key: one.key }, ofService),
  })
  await all()
  const rounds: Awaited<ReturnType<typeof all>>[] = []
  for (const _ of bed.rounds) rounds.push(await all())
  const against = (kind: 'running' | 'finished'): Figure[] => [
    {
      what: `GET of a ${kind} task, rate against the hello`,
      unit: '%',
      rounds: rounds.map((round) => (round[kind].perS / round.hello.perS) * 100),
      atLeast: 25,
    },
    {
      what: `GET of a ${kind} task, CPU of the hello against its own`,
      unit: '%',
      rounds: rounds.map((round) => (round.hello.cpuUs / round[kind].cpuUs) * 100),
    },
  ]
  return [
    { what: 'bare JSON hello of the socket library', unit: 'per s', rounds: rounds.map(({ hello }) => hello.perS) },
    ...against('running'),
    ...against('finished'),
  ]
}
