import { spread } from '../parts/numbers.ts'
import { between, type Usage } from '../parts/usage.ts'
import { profiling } from '../report/profile.ts'
import { percent, type Section, short, spreadText } from '../report/section.ts'
import { type Stage, using } from '../stage.ts'

const CONNECTIONS = 64
/** One after the other on each connection, as clients of HTTP do: pipelining is a discipline of benches. */
const DEPTH = 1
const END_MS_MAX = 20_000

interface Read {
  readonly what: string
  readonly perS: number
  readonly cpuUs: number
  readonly bytes: number
}

/** GET of a task, authenticated, beside the socket library's bare hello: requests a second, and CPU of the server for one. */
export async function measureReads(stage: Stage): Promise<Section> {
  const seconds = stage.size(2, 0.3)
  return using([await stage.service(), await stage.load(), await stage.bare()], async (service, load, bare) => {
    const seats = await service.ask.seats(2, 1)
    await load.ask.connect(service.relayPort, seats)
    const [first, second] = seats
    if (!first || !second) throw new Error('No seats were made')
    const [finished] = await service.ask.fill([first], 1, 10)
    const until = performance.now() + END_MS_MAX
    while ((await service.ask.counts()).activeTasks > 0) {
      if (performance.now() > until) throw new Error('The task did not end')
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const [running] = await service.ask.fill([second], 1, 'hang')
    const hello = await bare.ask.hello(stage.options.transport)

    const rounds: Read[] = []
    const read = async (
      what: string,
      target: { port: number; path: string; key: string | null },
      usage: () => Promise<Usage>,
      measured: boolean,
    ) => {
      const before = await usage()
      const {
        perS,
        requests,
        bytesPerAnswer: bytes,
      } = await load.ask.pipelined({
        ...target,
        connections: CONNECTIONS,
        depth: DEPTH,
        seconds: measured ? seconds : seconds / 2,
      })
      const { cpuMs } = between(before, await usage())
      if (measured) rounds.push({ what, perS, cpuUs: (cpuMs * 1_000) / requests, bytes })
      return { count: requests, unit: 'request', bytes }
    }
    const port = service.httpPort
    const ofService = () => service.ask.usage(false)
    const readFinished = (measured: boolean) =>
      read('finished', { port, path: `/v1/tasks/${finished}`, key: first.key }, ofService, measured)
    const readRunning = (measured: boolean) =>
      read('running', { port, path: `/v1/tasks/${running}`, key: second.key }, ofService, measured)
    const { bytes } = await readFinished(false)
    const large = await bare.ask.hello(stage.options.transport, bytes)
    const all = async (measured: boolean) => {
      await read('hello', { port: hello, path: '/', key: null }, bare.ask.usage, measured)
      await read('large hello', { port: large, path: '/', key: null }, bare.ask.usage, measured)
      await readFinished(measured)
      await readRunning(measured)
    }
    await all(false)
    for (const _ of stage.rounds) await all(true)
    const profiles = [
      ...(await profiling(stage, service, 'reading a finished task', () => readFinished(false))),
      ...(await profiling(stage, service, 'reading a running task', () => readRunning(false))),
    ]

    const of = (what: string) => rounds.filter((each) => each.what === what)
    const share = (what: string) => spread(of(what).map(({ perS }, n) => perS / (of('hello')[n]?.perS ?? 1)))
    const dearer = (what: string) => spread(of(what).map(({ cpuUs }, n) => (of('hello')[n]?.cpuUs ?? 1) / cpuUs))
    const row = (what: string, name: string) => [
      name,
      spreadText(spread(of(what).map(({ perS }) => perS))),
      spreadText(spread(of(what).map(({ cpuUs }) => cpuUs))),
      short(of(what)[0]?.bytes ?? 0),
      percent(share(what).median),
      percent(dearer(what).median),
    ]
    return {
      title: 'Reading a task',
      tables: [
        {
          head: ['GET', 'requests/s', 'CPU of the server, µs', 'bytes', 'rate against hello', 'by CPU against hello'],
          rows: [
            row('hello', `bare hello of ${stage.options.transport}`),
            row('large hello', 'the same of the size of a finished task'),
            row('finished', 'finished task'),
            row('running', 'running task'),
          ],
        },
      ],
      notes: [
        `${CONNECTIONS} connections, one request under way on each; the generator reads no header but the first, and may be the slower part: then the CPU tells more than the rate.`,
        ...profiles,
      ],
      plots: [],
      figures: { rounds, rateAgainstHello: { finished: share('finished'), running: share('running') } },
    }
  })
}
