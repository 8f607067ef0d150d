import { get } from 'node:http'
import { spread } from '../parts/numbers.ts'
import { profiling } from '../report/profile.ts'
import { type Section, short, spreadText } from '../report/section.ts'
import { type Place, type Stage, using } from '../stage.ts'

const PER_WORKSPACE = 5
const HEALTH_MS_MAX = 120_000
const LOOK_MS = 5

interface Restart {
  /** From the start of the process until health answers 200. */
  readonly ms: number
  /** Of it, the service itself: from its configuration to its listening. */
  readonly ownMs: number
  readonly cpuMs: number
  readonly rssMb: number
}

/** `kill -9` with many kept tasks, and how long it takes until health answers; beside an empty store. */
export async function measureRestart(stage: Stage): Promise<Section> {
  const tasks = stage.size(10_000, 50)
  const kept = await stage.place()
  const empty = await stage.place()
  const runningAgain = await fill(stage, kept, tasks)
  await (await stage.service({ place: empty })).kill()
  const places: [string, Place, number][] = [
    ['an empty store', empty, 0],
    [`${short(tasks)} kept tasks`, kept, runningAgain],
  ]
  const rounds = new Map<string, Restart[]>()
  const measure = async () => {
    for (const _ of stage.rounds) {
      for (const [name, place, expected] of places) {
        rounds.set(name, [...(rounds.get(name) ?? []), await restart(stage, place, expected)])
      }
    }
  }
  await measure()
  const profiles = await profileStart(stage, kept)
  const { finished } = stage.options
  if (finished > 0) {
    await using([await stage.service({ place: kept })], (service) => service.ask.finished(finished))
    places.splice(0, places.length, [`${short(tasks)} kept, ${short(finished)} finished`, kept, runningAgain])
    await measure()
  }
  return {
    title: 'Restart after kill -9',
    tables: [
      {
        head: [
          'store',
          'until health answers, s',
          'of it the service itself, s',
          'CPU of the process, s',
          'resident, MB',
        ],
        rows: [...rounds].map(([name, all]) => [
          name,
          spreadText(spread(all.map(({ ms }) => ms / 1_000))),
          spreadText(spread(all.map(({ ownMs }) => ownMs / 1_000))),
          spreadText(spread(all.map(({ cpuMs }) => cpuMs / 1_000))),
          spreadText(spread(all.map(({ rssMb }) => rssMb))),
        ]),
      },
    ],
    notes: [
      `From the start of the process; ${PER_WORKSPACE} tasks in each workspace, whose model hangs. All of them run again when health answers.`,
      ...profiles,
    ],
    plots: [],
    figures: Object.fromEntries(rounds),
  }
}

/** Fills a store with running tasks, and kills the service. Gives how many there are. */
async function fill(stage: Stage, place: Place, tasks: number): Promise<number> {
  return using([await stage.service({ place }), await stage.load()], async (service, load) => {
    const seats = await service.ask.seats(tasks / PER_WORKSPACE, 1)
    await load.ask.connect(service.relayPort, seats)
    return (await service.ask.fill(seats, PER_WORKSPACE, 'hang')).length
  })
}

async function restart(stage: Stage, place: Place, expected: number): Promise<Restart> {
  const from = performance.now()
  return using([await stage.service({ place })], async (service) => {
    await healthy(service.httpPort)
    const ms = performance.now() - from
    const { activeTasks } = await service.ask.counts()
    if (activeTasks !== expected) throw new Error(`${activeTasks} of ${expected} tasks came back`)
    const { rssBytes, cpuMs } = await service.ask.usage(false)
    return { ms, ownMs: service.startMs, cpuMs, rssMb: rssBytes / 2 ** 20 }
  })
}

/** The start of the service on this store, looked at. */
async function profileStart(stage: Stage, place: Place): Promise<string[]> {
  if (!stage.options.profile) return []
  return using([await stage.service({ place, profile: true })], (service) =>
    profiling(stage, service, 'restart', async () => {
      await healthy(service.httpPort)
      return { count: Math.max(1, (await service.ask.counts()).activeTasks), unit: 'kept task' }
    }),
  )
}

async function healthy(port: number): Promise<void> {
  const until = performance.now() + HEALTH_MS_MAX
  const asked = () =>
    new Promise<number>((resolve) => {
      get({ host: '127.0.0.1', port, path: '/v1/health' }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      }).on('error', () => resolve(0))
    })
  while ((await asked()) !== 200) {
    if (performance.now() > until) throw new Error('Health did not answer')
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
