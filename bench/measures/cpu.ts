import type { Figure } from '../figures.ts'
import { type Crowd, steadily, type Testbed } from '../testbed.ts'

const LEVELS = [50, 200]
const STEPS = 10
const WARM_UP_TASKS = 2_000

/** CPU of a step with a model over HTTP and browsers that answer at once, alternating with the first version. */
export async function measureCpu(bed: Testbed): Promise<Figure[]> {
  const modelUrl = await (await bed.endpoint()).ask.url()
  const browsers = bed.size(1_500, 60)
  const now = await bed.crowd(browsers, { modelUrl })
  const first = await bed.crowd(browsers, { modelUrl, firstVersion: true })
  const perStep = async (crowd: Crowd, atOnce: number) => {
    const { cpuMs, steps } = await steadily(crowd, { atOnce, seconds: bed.size(5, 1), steps: STEPS })
    return cpuMs / steps
  }
  // Counted in tasks: on a busy machine seconds are not enough for the engine to compile what is hot.
  const warmUp = { atOnce: 50, seconds: 300, tasksMax: bed.size(WARM_UP_TASKS, 10), steps: STEPS }
  for (const { service, load, group } of [now, first]) {
    await load.ask.tasks(group, { httpPort: service.httpPort, ...warmUp })
  }

  const figures: Figure[] = []
  for (const atOnce of bed.size(LEVELS, [5])) {
    const rounds: { now: number; first: number }[] = []
    for (const round of bed.rounds) {
      // Each begins every other round, so that a slow minute of the machine meets both.
      const order = round % 2 === 0 ? [now, first] : [first, now]
      const measured = [await perStep(order[0] as Crowd, atOnce), await perStep(order[1] as Crowd, atOnce)]
      if (round % 2 === 1) measured.reverse()
      rounds.push({ now: measured[0] as number, first: measured[1] as number })
    }
    figures.push(
      {
        what: `model over HTTP, ${atOnce} tasks at a time: CPU of a step`,
        unit: 'ms',
        rounds: rounds.map((round) => round.now),
      },
      { what: 'of the first version', unit: 'ms', rounds: rounds.map((round) => round.first) },
      { what: 'ratio', unit: '', rounds: rounds.map((round) => round.now / round.first), atMost: 1.25 },
    )
  }
  return figures
}
