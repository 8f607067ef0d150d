import { type Figure, short } from '../figures.ts'
import type { Testbed } from '../testbed.ts'
import { MB } from '../usage.ts'

const PARTS = 10
const STEPS = 2
const AT_ONCE = 50

/** Many tasks through one process: the heap after the last of them against the heap after the first tenth. */
export async function measureHeap(bed: Testbed): Promise<Figure[]> {
  const tasks = bed.size(bed.options.tasks, 200)
  const { service, load, group } = await bed.crowd(bed.size(4_000, 100))
  const heaps: number[] = []
  for (let part = 0; part < PARTS; part++) {
    const size = { httpPort: service.httpPort, atOnce: AT_ONCE, seconds: 3_600, tasksMax: tasks / PARTS, steps: STEPS }
    await load.ask.tasks(group, size)
    heaps.push((await service.ask.usage(true)).heapBytes)
  }
  const [first = 1, last = 1] = [heaps[0], heaps.at(-1)]
  return [
    { what: `heap after ${short(tasks / PARTS)} tasks through one process`, unit: 'MB', rounds: [first / MB] },
    { what: `after ${short(tasks)}`, unit: 'MB', rounds: [last / MB] },
    { what: 'growth', unit: '%', rounds: [(last / first - 1) * 100], atMost: 10 },
  ]
}
