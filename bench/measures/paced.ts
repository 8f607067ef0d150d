import { type Figure, quantile } from '../figures.ts'
import { type Crowd, inTurns, steadily, type Testbed } from '../testbed.ts'

const AT_ONCE = 240
const STEPS = 10

/**
 * As many tasks as the model is asked for at a time, whose model over HTTP takes exactly a second, alternating with the
 * first version. The overhead is what a browser waits for the next frame after its result, less that second.
 */
export async function measurePaced(bed: Testbed): Promise<Figure[]> {
  const [atOnce, thinksMs] = [bed.size(AT_ONCE, 10), bed.size(1_000, 100)]
  const endpoint = await bed.endpoint()
  await endpoint.ask.answersAfter(thinksMs)
  const modelUrl = await endpoint.ask.url()
  const crowds = {
    now: await bed.crowd(bed.size(800, 60), { modelUrl }),
    first: await bed.crowd(bed.size(800, 60), { modelUrl, firstVersion: true }),
  }
  const load = async (crowd: Crowd) => {
    const { steps, wallMs, cpuMs, waits } = await steadily(crowd, { atOnce, seconds: bed.size(20, 4), steps: STEPS })
    return { perS: (steps / wallMs) * 1_000, cpuMs: cpuMs / steps, overhead: quantile(waits, 0.5) - thinksMs }
  }
  for (const crowd of Object.values(crowds)) await load(crowd)
  const rounds = await inTurns(bed, crowds, load)
  const of = (version: 'now' | 'first', what: 'perS' | 'cpuMs' | 'overhead') =>
    rounds.map((round) => round[version][what])
  const tasks = `${atOnce} tasks at a time, model over HTTP that takes ${thinksMs / 1_000} s`
  return [
    { what: `${tasks}: steps`, unit: 'per s', rounds: of('now', 'perS'), atLeast: 225 },
    { what: 'of the first version', unit: 'per s', rounds: of('first', 'perS') },
    { what: 'CPU of a step', unit: 'ms', rounds: of('now', 'cpuMs'), atMost: 2 },
    { what: 'of the first version', unit: 'ms', rounds: of('first', 'cpuMs') },
    { what: 'overhead of a step, p50', unit: 'ms', rounds: of('now', 'overhead'), atMost: 15 },
    { what: 'of the first version', unit: 'ms', rounds: of('first', 'overhead') },
  ]
}
