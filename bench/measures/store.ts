import type { Counted } from '../counted/counts.ts'
import { inARow, type Step, startsOf, stepsOf } from '../counted/parts.ts'
import { type Figure, median, quantile } from '../figures.ts'
import { type ServiceOptions, steadily, type Testbed, wait } from '../testbed.ts'

/** Long enough that all that is behind a frame or an answer is done before the next result or start. */
const PAUSE_MS = 250
const STEPS = 5
const TASKS = 6
const BUSY = 50
const BUSY_STEPS = 10
const KB = 1_024

/**
 * What a step and a start ask of the store and which files they pass, counted on one task at a time whose browser waits
 * until all is quiet; and what a step writes to the disk while many tasks are busy. The model is over HTTP.
 */
export async function measureStore(bed: Testbed): Promise<Figure[]> {
  const modelUrl = await (await bed.endpoint()).ask.url()
  const embedded = await alone(bed, { modelUrl })
  const remote = await alone(bed, { modelUrl, mongodbUrl: await bed.mongodb() })
  const lmdb: Counted[] = []
  const mongodb: Counted[] = []
  for (const _ of bed.rounds) {
    lmdb.push(await embedded.counted())
    mongodb.push(await remote.counted())
  }
  const passed = await embedded.passed()

  // On a busy machine transactions that wait for each other share a commit: those that met it least busy count.
  const mostOf = (rounds: readonly Counted[], count: (step: Step) => number) =>
    rounds.map((round) => quantile(stepsOf(round).map(count), 0.9))
  const of = (rounds: readonly Counted[], count: (step: Step) => number) =>
    rounds.map((round) => median(stepsOf(round).map(count)))
  const beforeFrame = ({ roundTrips, call }: Step) => inARow(roundTrips.filter(({ to }) => to <= call.at))
  const before201 = mongodb.map((round) => {
    const [first = 0, ...later] = startsOf(round).map(inARow)
    return { first, later: median(later) }
  })
  const files = (all: readonly (readonly string[])[]) => [median(all.map(({ length }) => length))]
  const lmdbRows: Figure[] = [
    {
      what: 'LMDB: transactions of a step, each fsynced',
      unit: '',
      rounds: mostOf(lmdb, ({ result, next }) => next.transactions - result.transactions),
      atMost: 2,
    },
    {
      what: 'of these, before its frame leaves',
      unit: '',
      rounds: mostOf(lmdb, ({ result, call }) => call.transactions - result.transactions),
      atMost: 1,
    },
    {
      what: 'puts and removes of a step',
      unit: '',
      rounds: of(lmdb, ({ result, next }) => next.tableWrites - result.tableWrites),
      atMost: 6,
    },
    { ...(await bytesOfStep(bed, modelUrl)), unit: 'KB', atMost: 60 },
  ]
  return [
    ...lmdbRows,
    {
      what: 'MongoDB: round trips of a step',
      unit: '',
      rounds: of(mongodb, ({ roundTrips }) => roundTrips.length),
      atMost: 5,
    },
    { what: 'in a row before its frame leaves', unit: '', rounds: of(mongodb, beforeFrame), atMost: 2 },
    {
      what: 'in a row before a start is answered 201',
      unit: '',
      rounds: before201.map(({ later }) => later),
      atMost: 3,
    },
    { what: 'before the first start of a workspace is', unit: '', rounds: before201.map(({ first }) => first) },
    { what: 'files that a POST /v1/tasks passes until its 201', unit: '', rounds: files(passed.starts), atMost: 60 },
    { what: 'files that a tool result passes until the next call', unit: '', rounds: files(passed.steps), atMost: 45 },
  ]
}

/** A service that is counted, in which one task runs at a time. */
async function alone(bed: Testbed, options: ServiceOptions) {
  const [service, load] = [await bed.service({ ...options, counted: true }), await bed.load()]
  /** Tasks of one new workspace. */
  const run = async () => {
    const group = await load.ask.connect(service.relayPort, await service.ask.seats(1, 1), PAUSE_MS)
    for (let task = 0; task < bed.size(TASKS, 2); task++) {
      await wait(PAUSE_MS)
      await load.ask.tasks(group, { httpPort: service.httpPort, atOnce: 1, seconds: 60, tasksMax: 1, steps: STEPS })
    }
    await wait(PAUSE_MS)
  }
  return {
    async counted() {
      await service.ask.count()
      await run()
      const counted = await service.ask.counted()
      if (stepsOf(counted).length === 0 || startsOf(counted).length === 0) throw new Error('No step or start was seen')
      const toLmdb = counted.moments.some(({ tableWrites, transactions }) => tableWrites > 0 && transactions > 0)
      // A driver that is not the counting one would keep every budget.
      if (!toLmdb && counted.roundTrips.length === 0) throw new Error('No driver has told what it did')
      return counted
    },
    /** Code that runs for the first time is left out. */
    async passed() {
      await run()
      await service.ask.notePassed()
      await run()
      const { starts, steps } = await service.ask.passed()
      if (steps.length === 0 || starts.length === 0) throw new Error('No step or start was seen')
      return { starts, steps }
    },
  }
}

async function bytesOfStep(bed: Testbed, modelUrl: string): Promise<Pick<Figure, 'what' | 'rounds'>> {
  const atOnce = bed.size(BUSY, 5)
  const crowd = await bed.crowd(bed.size(600, 30), { modelUrl, counted: true })
  const rounds: number[] = []
  const load = { atOnce, seconds: bed.size(5, 1), steps: BUSY_STEPS }
  await steadily(crowd, load)
  for (const _ of bed.rounds) {
    const { diskBytes, steps } = await steadily(crowd, load)
    if (diskBytes === 0) throw new Error('LMDB has not told what it wrote')
    rounds.push(diskBytes / steps / KB)
  }
  return { what: `to the disk for a step, ${atOnce} tasks busy`, rounds }
}
