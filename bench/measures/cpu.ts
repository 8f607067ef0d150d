import type { Figure } from '../figures.ts'
import { type Crowd, inTurns, steadily, type Testbed } from '../testbed.ts'

/** Tasks at a time. Of a few, a step costs what the loop costs that waits for them: its CPU has no budget. */
const LEVELS = [5, 50, 200]
const STEPS = 10
const WARM_UP_TASKS = 2_000

/** CPU of a step and rate of tasks with a model over HTTP and browsers that answer at once, alternating with the first version. */
export async function measureCpu(bed: Testbed): Promise<Figure[]> {
  const modelUrl = await (await bed.endpoint()).ask.url()
  const browsers = bed.size(1_500, 60)
  const crowds = {
    now: await bed.crowd(browsers, { modelUrl }),
    first: await bed.crowd(browsers, { modelUrl, firstVersion: true }),
  }
  // Counted in tasks: on a busy machine seconds are not enough for the engine to compile what is hot.
  const warmUp = { atOnce: 50, seconds: 300, tasksMax: bed.size(WARM_UP_TASKS, 10), steps: STEPS }
  for (const { service, load, group } of Object.values(crowds)) {
    await load.ask.tasks(group, { httpPort: service.httpPort, ...warmUp })
  }

  const figures: Figure[] = []
  for (const atOnce of bed.size(LEVELS, [5])) {
    const load = async (crowd: Crowd) => {
      const { cpuMs, wallMs, steps } = await steadily(crowd, { atOnce, seconds: bed.size(5, 1), steps: STEPS })
      return { cpuMs: cpuMs / steps, tasksPerS: (steps / STEPS / wallMs) * 1_000 }
    }
    const rounds = await inTurns(bed, crowds, load)
    const of = (version: 'now' | 'first', what: 'cpuMs' | 'tasksPerS') => rounds.map((round) => round[version][what])
    const ratio = (what: 'cpuMs' | 'tasksPerS') => rounds.map(({ now, first }) => now[what] / first[what])
    figures.push(
      { what: `model over HTTP, ${atOnce} tasks at a time: CPU of a step`, unit: 'ms', rounds: of('now', 'cpuMs') },
      { what: 'of the first version', unit: 'ms', rounds: of('first', 'cpuMs') },
      { what: 'ratio', unit: '', rounds: ratio('cpuMs'), ...(atOnce < 50 ? {} : { atMost: 1.4 }) },
      { what: 'tasks of ten steps', unit: 'per s', rounds: of('now', 'tasksPerS') },
      { what: 'of the first version', unit: 'per s', rounds: of('first', 'tasksPerS') },
      { what: 'ratio', unit: '', rounds: ratio('tasksPerS'), atLeast: 0.75 },
    )
  }
  return figures
}
