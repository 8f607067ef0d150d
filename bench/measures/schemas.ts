import { type Figure, median } from '../figures.ts'
import { type Testbed, wait } from '../testbed.ts'

const STARTS = 1_000
const STARTS_PER_S = 100
const STARTS_AT_ONCE = 16
const STEPS = 10
const TASKS = 20
const WARM_UP_TASKS = 100
/** A workspace may start ten tasks in a minute, and twenty in a month: those of the others are spread over many. */
const BROWSERS = 1_000
/** Meanwhile whatever was being compiled is done. */
const PAUSE_MS = 3_000

/**
 * One tenant sends many starts, each with a schema that is hard to compile: how long the tasks of the others take meanwhile,
 * one after the other, against none and against as many starts without a schema.
 */
export async function measureSchemas(bed: Testbed): Promise<Figure[]> {
  const modelUrl = await (await bed.endpoint()).ask.url()
  const { service, load, group } = await bed.crowd(bed.size(BROWSERS, 30), { modelUrl })
  const { httpPort } = service
  // A process of its own: what times the others does not wait for what the greedy one makes.
  const greedy = await bed.load()
  const run = (tasksMax: number) => load.ask.tasks(group, { httpPort, atOnce: 1, seconds: 300, tasksMax, steps: STEPS })
  const beside = async (schemas: 'hard' | 'none', perS: number | null) => {
    const [seat] = await service.ask.seats(1, 1)
    if (!seat) throw new Error('No browser was paired')
    await greedy.ask.connect(service.relayPort, [seat])
    const starts = { httpPort, seat, count: bed.size(STARTS, 20), atOnce: STARTS_AT_ONCE, perS, schemas }
    let isSending = true
    const sent = greedy.ask.starts(starts).finally(() => {
      isSending = false
    })
    const took: number[] = []
    while (isSending) took.push(...(await run(1)))
    const answers = await sent
    if (!answers[429]) throw new Error(`The starts were answered ${JSON.stringify(answers)}: none was too many`)
    await wait(bed.size(PAUSE_MS, 10))
    return median(took)
  }
  await run(bed.size(WARM_UP_TASKS, 2))
  for (const schemas of ['none', 'hard'] as const) await beside(schemas, null)
  const rounds: { alone: number; none: number; hard: number; noneFast: number; hardFast: number }[] = []
  for (const _ of bed.rounds)
    rounds.push({
      alone: median(await run(bed.size(TASKS, 2))),
      none: await beside('none', STARTS_PER_S),
      hard: await beside('hard', STARTS_PER_S),
      noneFast: await beside('none', null),
      hardFast: await beside('hard', null),
    })
  const figure = (what: string, value: (round: (typeof rounds)[number]) => number, more = {}): Figure => ({
    ...{ what, unit: 'ms', rounds: rounds.map(value), ...more },
  })
  const starts = `${STARTS} starts of another tenant`
  return [
    figure(`a task of ${STEPS} steps, alone`, ({ alone }) => alone),
    figure(`beside ${starts}, ${STARTS_PER_S} per s`, ({ none }) => none),
    figure('each of them with a hard schema', ({ hard }) => hard),
    figure('ratio', ({ hard, alone }) => hard / alone, { unit: '', atMost: 1.5 }),
    figure(`beside ${starts}, as fast as they are answered`, ({ noneFast }) => noneFast),
    figure('each of them with a hard schema', ({ hardFast }) => hardFast),
    figure('ratio of the two', ({ hardFast, noneFast }) => hardFast / noneFast, { unit: '', atMost: 1.5 }),
  ]
}
