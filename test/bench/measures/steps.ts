import type { BareCalls } from '../bare.ts'
import type { LoadCalls } from '../load.ts'
import type { Written } from '../parts/meter.ts'
import { spread } from '../parts/numbers.ts'
import type { Remote } from '../remote.ts'
import { profiling } from '../report/profile.ts'
import { type Section, short, spreadText, type Table } from '../report/section.ts'
import { type OpenService, type Stage, using } from '../stage.ts'
import { crowd, steadily } from './steady.ts'

/** One level of one round. Times in ms. */
interface Figures {
  readonly at: number
  readonly tasksPerS: number
  readonly stepsPerS: number
  readonly ownP50: number
  readonly ownP99: number
  readonly tripP50: number
  readonly tripP99: number
  readonly taskP50: number
  readonly cpuPerStep: number
  /** On the JavaScript thread, where the system tells; the rest is the store's and the collector's. */
  readonly mainPerStep: number
  readonly commitsPerS: number
  readonly rowsPerStep: number
  /** The same writes on a bare store, or what the model's client costs by itself. */
  readonly reference: number
  /** CPU of the service less that of the model's client. */
  readonly cpuLessClient: number
}

const STEPS = 10

/** Tasks and steps a second, our own time of a step, and the CPU that it costs, beside the bare store and bare machines. */
export async function measureSteps(stage: Stage): Promise<Section> {
  return using([await stage.bare()], async (bare) => {
    const inProcess = await withModelInProcess(stage, bare)
    const overHttp = await withModelOverHttp(stage)
    const { at } = stage.options
    const of = (rounds: readonly Figures[], pick: (figures: Figures) => number) =>
      at.map((level) => spread(rounds.filter((each) => each.at === level).map(pick)).median)
    return {
      title: `Tasks of ${STEPS} steps`,
      tables: [
        table('in the process', inProcess.rounds, stage, ['bare store, steps/s', (f) => f.reference]),
        table('over HTTP', overHttp.rounds, stage, ['its client alone, ms/step', (f) => f.reference]),
      ],
      notes: [
        `Bare machines (task and call, nothing around them): ${spreadText(spread(inProcess.transitions))} transitions/s, ${spreadText(spread(inProcess.bareSteps))} steps/s.`,
        ...(overHttp.rounds.length === 0
          ? []
          : [
              `CPU of the service above its model client's own: ${at.map((level, n) => `${short(of(overHttp.rounds, (f) => f.cpuLessClient)[n] ?? 0)} ms a step at ${level}`).join(', ')}.`,
            ]),
        `Rows written: ${short(inProcess.rounds[0]?.rowsPerStep ?? 0)} a step.`,
        ...inProcess.notes,
        ...overHttp.notes,
      ],
      plots: [
        {
          file: 'steps.svg',
          title: 'Steps a second',
          x: 'tasks at a time',
          y: 'steps/s',
          places: at.map(String),
          lines: [
            { name: 'bare store, same rows', values: of(inProcess.rounds, (f) => f.reference) },
            { name: 'model in the process', values: of(inProcess.rounds, (f) => f.stepsPerS) },
            { name: 'model over HTTP', values: of(overHttp.rounds, (f) => f.stepsPerS) },
          ],
        },
      ],
      figures: { inProcess, overHttp },
    }
  })
}

async function withModelInProcess(stage: Stage, bare: Remote<BareCalls>) {
  return using([await stage.service(), await stage.load()], async (service, load) => {
    const group = await crowd(stage, service, load)
    const written = await writesOfOneTask(service, load, group)
    await run(service, load, group, stage.options.at[0] ?? 5, stage.size(3, 1))
    const rounds: Figures[] = []
    const transitions: number[] = []
    const bareSteps: number[] = []
    const held = new Set<number>()
    for (const _ of stage.rounds) {
      for (const at of stage.options.at) {
        const place = await stage.place()
        const tasks = stage.size(at < 20 ? 300 : 1_000, 40)
        const { stepsPerS } = await bare.ask.store(place, written, { tasks, atOnce: at, steps: STEPS })
        const { figures, heldBack } = await run(service, load, group, at, stage.size(4, 1))
        rounds.push({ ...figures, reference: stepsPerS })
        if (heldBack) held.add(at)
      }
      const machines = await bare.ask.transitions(stage.size(1, 0.2))
      transitions.push(machines.perS)
      bareSteps.push(machines.stepsPerS)
    }
    const notes = [...held].map((at) => `At ${at} the limits of the workspaces held the load back.`)
    notes.push(...(await profileOf(stage, service, load, group, 'model in the process')))
    return { rounds, transitions, bareSteps, notes }
  })
}

async function withModelOverHttp(stage: Stage) {
  return using([await stage.endpoint(), await stage.load()], async (endpoint, load) =>
    using([await stage.service({ modelUrl: await endpoint.ask.url() })], async (service) => {
      const group = await crowd(stage, service, load)
      await run(service, load, group, stage.options.at[0] ?? 5, stage.size(3, 1))
      const rounds: Figures[] = []
      for (const _ of stage.rounds) {
        for (const at of stage.options.at) {
          // Before and after: what the machine gives changes by the second.
          const alone = () => service.ask.clientCost({ tasks: stage.size(300, 5), atOnce: at, steps: STEPS })
          const before = await alone()
          const { figures, callsPerStep } = await run(service, load, group, at, stage.size(4, 0.7))
          const after = await alone()
          const reference = ((before.cpuMsPerCall + after.cpuMsPerCall) / 2) * callsPerStep
          rounds.push({ ...figures, reference, cpuLessClient: figures.cpuPerStep - reference })
        }
      }
      const notes = await profileOf(stage, service, load, group, 'model over HTTP')
      return { rounds, notes }
    }),
  )
}

/** What is written for one task that is alone. */
async function writesOfOneTask(service: OpenService, load: Remote<LoadCalls>, group: number): Promise<Written[]> {
  const one = { httpPort: service.httpPort, atOnce: 1, seconds: 30, tasksMax: 1, steps: STEPS }
  await load.ask.load(group, one)
  await service.ask.record(true)
  await load.ask.load(group, one)
  // Its last step records are written a moment after its end.
  await new Promise((resolve) => setTimeout(resolve, 200))
  return service.ask.record(false)
}

async function run(service: OpenService, load: Remote<LoadCalls>, group: number, at: number, seconds: number) {
  const { metered, used, loaded } = await steadily(service, load, { group, atOnce: at, seconds, steps: STEPS })
  const perS = (count: number) => (count / used.wallMs) * 1_000
  const cpuPerStep = used.cpuMs / metered.steps
  const figures: Figures = {
    at,
    // Tasks that begin together end together: those that end within a round are off by up to a wave of them.
    tasksPerS: perS(metered.steps / STEPS),
    stepsPerS: perS(metered.steps),
    ownP50: metered.own.p50,
    ownP99: metered.own.p99,
    tripP50: loaded.roundTripMs.p50,
    tripP99: loaded.roundTripMs.p99,
    taskP50: loaded.taskMs.p50,
    cpuPerStep,
    mainPerStep: (used.mainMs ?? used.cpuMs) / metered.steps,
    commitsPerS: perS(metered.commits),
    rowsPerStep: metered.rows / metered.steps,
    reference: 0,
    cpuLessClient: cpuPerStep,
  }
  return { figures, heldBack: loaded.heldBack, callsPerStep: metered.modelCalls / metered.steps }
}

async function profileOf(stage: Stage, service: OpenService, load: Remote<LoadCalls>, group: number, what: string) {
  return profiling(stage, service, what, async () => {
    const { tasks } = await load.ask.load(group, {
      httpPort: service.httpPort,
      atOnce: 50,
      seconds: stage.size(4, 0.7),
      tasksMax: 1_000_000,
      steps: STEPS,
    })
    return { count: tasks * STEPS, unit: 'step' }
  })
}

type Pick = (figures: Figures) => number

function table(model: string, rounds: readonly Figures[], stage: Stage, [name, pick]: [string, Pick]): Table {
  const columns: readonly (readonly [string, Pick])[] = [
    ['tasks/s', (f) => f.tasksPerS],
    ['steps/s', (f) => f.stepsPerS],
    ['own time p50, ms', (f) => f.ownP50],
    ['own time p99, ms', (f) => f.ownP99],
    ['task p50, ms', (f) => f.taskP50],
    ['CPU, ms/step', (f) => f.cpuPerStep],
    ['of it main thread', (f) => f.mainPerStep],
    ['steps/s it allows', (f) => 1_000 / f.mainPerStep],
    ['commits/s', (f) => f.commitsPerS],
    [name, pick],
  ]
  return {
    head: [`model ${model}, tasks at a time`, ...columns.map(([head]) => head)],
    rows: stage.options.at.map((at) => {
      const own = rounds.filter((figures) => figures.at === at)
      return [String(at), ...columns.map(([, of]) => spreadText(spread(own.map(of))))]
    }),
  }
}
