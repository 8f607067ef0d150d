import { PING_EVERY_MS } from '../../../machines/limits.ts'
import { between } from '../parts/usage.ts'
import { percent, type Section, short } from '../report/section.ts'
import { type Stage, using } from '../stage.ts'

const SETTLE_MS = 2_000
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** What an idle connected session costs: memory, time to connect, pings. All of them are of one workspace. */
export async function measureSessions(stage: Stage): Promise<Section> {
  const [warm, few, many] = stage.size([200, 1_000, 10_000], [20, 50, 100]) as [number, number, number]
  const pingMs = stage.size(PING_EVERY_MS, 500)
  return using([await stage.service(), await stage.load()], async (service, load) => {
    const seats = await service.ask.seats(1, many)
    const settled = async () => {
      await wait(stage.size(SETTLE_MS, 200))
      return service.ask.usage(true)
    }
    const connect = (from: number, to: number) => load.ask.connect(service.relayPort, seats.slice(from, to))

    await connect(0, warm)
    const atWarm = await settled()
    await connect(warm, few)
    const atFew = await settled()
    await connect(few, many)
    const atMany = await settled()

    const quiet = await service.ask.usage(false)
    await wait(pingMs)
    const pings = between(quiet, await service.ask.usage(false))
    const lost = await load.ask.lost()
    if (lost > 0) throw new Error(`${lost} idle browsers were disconnected`)

    await load.ask.disconnect()
    await wait(stage.size(SETTLE_MS, 200))
    const before = await service.ask.usage(false)
    const { ms } = await connect(0, many)
    const connecting = between(before, await service.ask.usage(false))

    const each = (at: typeof atFew, count: number) => ({
      rss: (at.rssBytes - atWarm.rssBytes) / (count - warm) / 1_024,
      heap: (at.heapBytes - atWarm.heapBytes) / (count - warm) / 1_024,
    })
    const figures = {
      kbEach: { [few]: each(atFew, few), [many]: each(atMany, many) },
      connectMs: ms,
      connectCpuMs: connecting.cpuMs,
      pingShareOfCore: pings.cpuMs / pings.wallMs,
      rssMb: atMany.rssBytes / 2 ** 20,
    }
    const row = (count: number, { rss, heap }: { rss: number; heap: number }) => [short(count), short(rss), short(heap)]
    return {
      title: 'Idle sessions of one workspace',
      tables: [
        {
          head: ['sessions', 'resident, KB each', 'heap after collection, KB each'],
          rows: [row(few, each(atFew, few)), row(many, each(atMany, many))],
        },
        {
          head: [`${short(many)} sessions`, 'value'],
          rows: [
            ['time for all to connect, s', short(ms / 1_000)],
            ['CPU of the service for it, s', short(connecting.cpuMs / 1_000)],
            ['pings for all, of one core', percent(figures.pingShareOfCore)],
            ['resident in all, MB', short(figures.rssMb)],
          ],
        },
      ],
      notes: [
        `Memory is what came on top of ${warm} sessions, after a full collection. Pings: the CPU of ${pingMs / 1_000} s, in which each session is pinged once.`,
      ],
      plots: [],
      figures,
    }
  })
}
