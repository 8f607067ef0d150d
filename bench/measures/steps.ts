import { type Figure, quantile } from '../figures.ts'
import { steadily, type Testbed } from '../testbed.ts'

const AT_ONCE = 250
const STEPS = 10

/** Many tasks whose model takes a second, as real ones do: the rate of steps, its CPU, and the overhead of a step. */
export async function measureSteps(bed: Testbed): Promise<Figure[]> {
  const atOnce = bed.size(AT_ONCE, 20)
  const crowd = await bed.crowd(bed.size(800, 60), { thinksMs: bed.size(1_000, 100) })
  await steadily(crowd, { atOnce, seconds: bed.size(10, 1), steps: STEPS })
  const rounds = []
  for (const _ of bed.rounds) rounds.push(await steadily(crowd, { atOnce, seconds: bed.size(20, 2), steps: STEPS }))
  const what = `${atOnce} tasks at a time, model ${bed.size(1, 0.1)} s ± 50 %`
  return [
    {
      what: `${what}: steps`,
      unit: 'per s',
      rounds: rounds.map(({ steps, wallMs }) => (steps / wallMs) * 1_000),
      atLeast: 235,
    },
    { what: 'CPU', unit: '% of a core', rounds: rounds.map(({ cpuMs, wallMs }) => (cpuMs / wallMs) * 100), atMost: 50 },
    {
      what: 'overhead of a step, p50',
      unit: 'ms',
      rounds: rounds.map(({ overheads }) => quantile(overheads, 0.5)),
      atMost: 10,
    },
    {
      what: 'overhead of a step, p99',
      unit: 'ms',
      rounds: rounds.map(({ overheads }) => quantile(overheads, 0.99)),
      atMost: 100,
    },
  ]
}
