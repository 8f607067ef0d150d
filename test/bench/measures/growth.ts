import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { STEPS_MAX } from '../../../machines/limits.ts'
import type { LoadCalls } from '../load.ts'
import { quantile, spread } from '../parts/numbers.ts'
import type { Remote } from '../remote.ts'
import { percent, type Section, short, spreadText } from '../report/section.ts'
import { type OpenService, type Stage, using } from '../stage.ts'
import { crowd, steadily } from './steady.ts'

/** What grows: the step with the length of its task, with the number of live actors, and memory with finished tasks. */
export async function measureGrowth(stage: Stage): Promise<Section> {
  const lengths = []
  for (const atOnce of [1, 20]) lengths.push(await byLength(stage, atOnce))
  const actors = await byActors(stage)
  const leak = await byTasks(stage)
  return {
    title: 'Growth',
    tables: [
      {
        head: ['own time of a step, p50', 'ms', 'of the first'],
        rows: [
          ...lengths.flatMap(({ atOnce, first, last, ratio }) => [
            [`first steps of a task (2 to 5), ${atOnce} at a time`, spreadText(first), '1.00'],
            [`last steps (${STEPS_MAX - 4} to ${STEPS_MAX - 1}), ${atOnce} at a time`, spreadText(last), short(ratio)],
          ]),
        ],
      },
      {
        head: ['live actors', 'own time p50, ms', 'p99, ms', 'CPU, ms/step'],
        rows: actors.map(({ actors: count, p50, p99, cpu }) => [short(count), ...[p50, p99, cpu].map(spreadText)]),
      },
      {
        head: ['tasks through one process', 'heap after collection, MB', 'resident, MB', 'store, MB'],
        rows: leak.looks.map(({ tasks, heapMb, rssMb, storeMb }) => [
          short(tasks),
          short(heapMb),
          short(rssMb),
          short(storeMb),
        ]),
      },
    ],
    notes: [
      `Heap after ${short(leak.tasks)} tasks against after the first tenth: ${signed(leak.growth)}; against after half of them: ${signed(leak.growthFromHalf)}. The last transitions of every workspace and session, which the inspector shows, fill their places meanwhile.`,
      'With one task at a time a step waits for no other. With twenty it does.',
      'The live actors beside those that work are workspaces, connected sessions, and tasks that their user has taken over.',
    ],
    plots: [
      {
        file: 'growth.svg',
        title: `Own time of a step over a task of ${STEPS_MAX - 1} steps`,
        x: 'step of the task',
        y: 'ms (p50)',
        places: (lengths[0]?.curve ?? []).map((_, n) => String(n + 2)),
        lines: lengths.map(({ atOnce, curve }) => ({ name: `tasks at a time: ${atOnce}`, values: curve })),
      },
    ],
    figures: { lengths, actors, leak },
  }
}

/** Tasks of as many steps as there may be: the last answers. */
async function byLength(stage: Stage, atOnce: number) {
  const steps = STEPS_MAX - 1
  return using([await stage.service(), await stage.load()], async (service, load) => {
    const group = await crowd(stage, service, load, stage.size(1_000, 60))
    const run = (seconds: number) => steadily(service, load, { group, atOnce, seconds, steps, byStep: true })
    await run(stage.size(4, 1))
    const curves: (readonly number[])[] = []
    for (const _ of stage.rounds) {
      const { metered } = await run(stage.size(6, 2))
      // The first frame of a task answers no result; what follows its last call is its ending.
      curves.push(metered.byStep.slice(2, steps + 1))
    }
    const curve = (curves[0] ?? []).map((_, step) => spread(curves.map((each) => each[step] ?? 0)).median)
    const middle = (part: readonly number[]) =>
      quantile(
        [...part].sort((a, b) => a - b),
        0.5,
      )
    const first = spread(curves.map((each) => middle(each.slice(0, 4))))
    const last = spread(curves.map((each) => middle(each.slice(-4))))
    return { atOnce, first, last, ratio: last.median / first.median, curve }
  })
}

/** The same load beside few and beside many live actors, in turn: a busy moment of the machine meets both. */
async function byActors(stage: Stage) {
  const counts = stage.size([0, 10_000], [0, 60])
  const services = await Promise.all(counts.map(() => stage.service()))
  return using([...services, await stage.load()], async (...remotes) => {
    const load = remotes.at(-1) as Remote<LoadCalls>
    const sides = []
    for (const [index, others] of counts.entries()) {
      const service = services[index] as OpenService
      if (others > 0) await makeActors(service, load, others)
      const group = await crowd(stage, service, load, stage.size(1_200, 60))
      const run = async (seconds: number) => {
        const { metered, used } = await steadily(service, load, { group, atOnce: 50, seconds, steps: 10 })
        return { p50: metered.own.p50, p99: metered.own.p99, cpu: used.cpuMs / metered.steps }
      }
      await run(stage.size(4, 1))
      sides.push({ actors: others + 100, run, rounds: [] as Awaited<ReturnType<typeof run>>[] })
    }
    for (const _ of stage.rounds) for (const { run, rounds } of sides) rounds.push(await run(stage.size(4, 1)))
    return sides.map(({ actors, rounds }) => ({
      actors,
      p50: spread(rounds.map(({ p50 }) => p50)),
      p99: spread(rounds.map(({ p99 }) => p99)),
      cpu: spread(rounds.map(({ cpu }) => cpu)),
    }))
  })
}

/** Workspaces of one session and three tasks each, which their users have taken over. */
async function makeActors(service: OpenService, load: Remote<LoadCalls>, count: number): Promise<void> {
  const tasksEach = 3
  const seats = await service.ask.seats(Math.ceil(count / (tasksEach + 2)), 1)
  await load.ask.connect(service.relayPort, seats)
  await service.ask.fill(seats, tasksEach, STEPS_MAX - 1, true)
  const { activeTasks } = await service.ask.counts()
  if (activeTasks !== seats.length * tasksEach) throw new Error(`${activeTasks} tasks are paused`)
}

const signed = (share: number) => `${share >= 0 ? '+' : '−'}${percent(Math.abs(share))}`

const LOOKS = 10

/** Many tasks through one process: does its heap level off? */
async function byTasks(stage: Stage) {
  const { leak } = stage.options
  const place = await stage.place()
  return using([await stage.service({ place }), await stage.load()], async (service, load) => {
    // Enough workspaces for as many starts a minute as there may be.
    const group = await crowd(
      stage,
      service,
      load,
      Math.min(3_000, Math.max(stage.size(1_000, 60), Math.ceil(leak / 10))),
    )
    const looks: { tasks: number; heapMb: number; rssMb: number; storeMb: number }[] = []
    for (let look = 1; look <= LOOKS; look++) {
      const tasksMax = Math.ceil(leak / LOOKS)
      await load.ask.load(group, { httpPort: service.httpPort, atOnce: 50, seconds: 600, tasksMax, steps: 10 })
      const { heapBytes, rssBytes } = await service.ask.usage(true)
      const mb = (bytes: number) => bytes / 2 ** 20
      looks.push({
        tasks: look * tasksMax,
        heapMb: mb(heapBytes),
        rssMb: mb(rssBytes),
        storeMb: mb(sizeOf(place.dataDir)),
      })
    }
    const since = (look: number) => (looks.at(-1)?.heapMb ?? 0) / (looks[look - 1]?.heapMb ?? 1) - 1
    return { tasks: leak, looks, growth: since(1), growthFromHalf: since(LOOKS / 2) }
  })
}

function sizeOf(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  } catch {
    // MongoDB: its size is its own business.
    return 0
  }
}
