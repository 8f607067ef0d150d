import type { Figure } from '../figures.ts'
import { type Testbed, wait } from '../testbed.ts'

const SETTLE_MS = 2_000

/** The memory of an idle connected session: what many of one workspace take on top of a few. */
export async function measureSessions(bed: Testbed): Promise<Figure[]> {
  const [few, many] = bed.size([200, 10_200], [20, 120]) as [number, number]
  const [service, load] = [await bed.service(), await bed.load()]
  const browsers = await service.ask.seats(1, many)
  const residentWith = async (from: number, to: number) => {
    await load.ask.connect(service.relayPort, browsers.slice(from, to))
    await wait(bed.size(SETTLE_MS, 200))
    return (await service.ask.usage(true)).rssBytes
  }
  const before = await residentWith(0, few)
  const after = await residentWith(few, many)
  const lost = await load.ask.lost()
  if (lost > 0) throw new Error(`${lost} idle browsers were disconnected`)
  const what = `resident memory of an idle connected session, ${many - few} of them`
  return [{ what, unit: 'KB', rounds: [(after - before) / (many - few) / 1_024], atMost: 10 }]
}
