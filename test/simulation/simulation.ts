import { MINUTE_MS, SECOND_MS, TASK_STUCK_MS } from '../../machines/limits.ts'
import { ENDPOINTS, SESSIONS } from '../../src/stores/tables.ts'
import { anEndpoint } from '../support/webhook-memory.ts'
import { checkActors, checkDeadlines, checkEnd, checkStamps, isQuiet } from './checks.ts'
import { SimulatedDatabase } from './database/database.ts'
import { Kept } from './database/kept.ts'
import { onlySimulated } from './engine/platform.ts'
import { Scheduler, THE_WORLD } from './engine/scheduler.ts'
import { Violation } from './engine/trace.ts'
import { SimulatedBrowser } from './outside/browser.ts'
import { Clients } from './outside/clients.ts'
import { simulatedModel, simulatedTools } from './outside/model.ts'
import { pair } from './outside/pairing.ts'
import { SimulatedProcess } from './outside/process.ts'
import { simulatedReceiver } from './outside/receiver.ts'
import { type Plan, planOf, QUIET_FRAMES } from './plan.ts'
import { Random } from './random.ts'
import { Trouble } from './trouble.ts'
import { Watch } from './watch.ts'

const START_AT = Date.UTC(2026, 10, 30, 22)

export interface Outcome {
  readonly seed: number
  /** What two runs of a seed are compared by. */
  readonly hash: string
  readonly steps: number
  readonly lives: number
  readonly tasks: number
  readonly completed: number
  readonly executions: number
}

export interface SimulateOptions {
  /** Makes the plan of the seed another one. */
  readonly change?: Partial<Plan>
  /** Is told every line of what happens. */
  readonly heard?: (line: string) => void
}

/** Runs one seed to its end. Throws a `Violation` that names the seed, the step, and what happened last. */
export async function simulate(seed: number, { change, heard }: SimulateOptions = {}): Promise<Outcome> {
  const random = new Random(seed)
  const plan = { ...planOf(random), ...change }
  const scheduler = new Scheduler(START_AT, heard)
  return onlySimulated(scheduler, async () => run(seed, plan, random, scheduler))
}

async function run(seed: number, plan: Plan, random: Random, scheduler: Scheduler): Promise<Outcome> {
  const watch: Watch = new Watch(() => kept)
  const kept = new Kept({
    broken: watch.broken,
    granted: (record) => watch.granted(record),
    logged: (record) => watch.logged(record),
  })
  let trouble: Trouble | null = null
  const inTrouble = () => trouble === null || trouble.isOn

  /** A bug in an adapter: it throws where it promises not to. */
  const mayThrow = (port: string): true => {
    if (inTrouble() && plan.bugs > 0 && random.chance(plan.bugs)) throw new Error(`A bug of the ${port}`)
    return true
  }

  const { rows } = kept
  const database = new SimulatedDatabase({
    ...{ scheduler, random, rows },
    strike({ life }, _, [what = '']) {
      const isWrite = what !== 'read' && what !== 'webhook'
      if (!isWrite || process.running?.life !== life || !inTrouble() || !random.chance(plan.deathAtWrite)) return 'none'
      process.die('at a write')
      return 'gone'
    },
  })
  const process: SimulatedProcess = new SimulatedProcess({
    scheduler,
    random,
    database,
    rows,
    model: simulatedModel({
      scheduler,
      random,
      broken: watch.broken,
      trouble: () => ({ faults: inTrouble() ? plan.modelFaults : 0, bugs: inTrouble() ? plan.bugs : 0 }),
      hurried: () => plan.brief || !inTrouble(),
    }),
    webhook: simulatedReceiver({ scheduler, random, watch, inTrouble }),
    billing: plan.billing,
    watchOutbox: (outbox) => {
      const watched = watch.outbox(outbox)
      return { ...watched, send: (sessionId, frame) => mayThrow('outbox') && watched.send(sessionId, frame) }
    },
    tools: { ...simulatedTools, check: (...asked) => mayThrow('toolbox') && simulatedTools.check(...asked) },
    watchLog: (level, fields, message) => {
      if (plan.bugs === 0 && level === 'error' && message.startsWith('An actor failed'))
        watch.broken(`${message} ${JSON.stringify(fields)}`)
      if (
        message === 'A browser could not be registered' &&
        !String((fields as { err: unknown }).err).includes('store')
      ) {
        watch.broken(`${message} ${String((fields as { err: unknown }).err)}`)
      }
      if (message === 'A delivery failed') watch.broken(`${message} ${String((fields as { err: unknown }).err)}`)
    },
  })

  const browsers = new Map<string, SimulatedBrowser[]>()
  const rivals: SimulatedBrowser[] = []
  for (let w = 1; w <= plan.workspaces; w++) {
    const workspaceId = `workspace-${w}`
    const own = Array.from({ length: plan.browsersEach }, (_, b) => {
      const { record, token } = pair(random, workspaceId, START_AT)
      kept.put(SESSIONS, record)
      const session = { sessionId: record.id, token }
      if (plan.rivals && b === 0) rivals.push(browserOf(`rival-${w}`, session))
      return browserOf(`browser-${w}-${b + 1}`, session)
    })
    browsers.set(workspaceId, own)
    for (const browser of own) browser.start()
    if (random.chance(0.5)) kept.put(ENDPOINTS, anEndpoint({ id: workspaceId, workspaceId }))
  }
  for (const rival of rivals)
    scheduler.after(random.between(0, plan.troubleMs), THE_WORLD, 'rival', () => rival.start())

  function browserOf(name: string, session: { sessionId: string; token: string }): SimulatedBrowser {
    const protocol = random.chance(0.7) ? 2 : 1
    const frames = () => (inTrouble() ? plan.frames : QUIET_FRAMES)
    return new SimulatedBrowser({
      ...session,
      name,
      protocol,
      scheduler,
      random,
      // A browser without a memory believes the network, which doubles nothing.
      network: { scheduler, random, trouble: protocol === 1 ? () => ({ ...frames(), doubled: 0 }) : frames },
      service: () =>
        process.listening && process.running
          ? { life: process.running.life, handlers: process.running.relay.handlers }
          : null,
      executed: (requestId) => watch.executed(requestId),
      watch,
      trouble: () => (inTrouble() ? plan.slowCalls : 0),
    })
  }

  process.start()
  const clients = new Clients({
    scheduler,
    random,
    reach: () =>
      process.running && {
        ...process.running,
        listening: process.listening,
        now: () => Math.floor(scheduler.time + process.skewMs),
      },
    kept,
    watch,
    browsers,
    pauseMs: plan.pauseMs,
    queueing: plan.queueing,
    asking: plan.asking,
  })
  trouble = new Trouble({
    plan,
    scheduler,
    random,
    process,
    database,
    browsers: [...rivals, ...[...browsers.values()].flat()],
  })

  // Ages are told by the wall clock: where it jumps they mean nothing.
  const callAge = () => (plan.clockJumpEveryMs === null ? scheduler.time : 0)
  const look = (): boolean => {
    process.look()
    watch.places()
    if (process.listening && process.running) {
      checkActors(process.running, kept, watch, callAge())
      if (plan.clockJumpEveryMs === null) {
        checkStamps(process.running, kept, watch, scheduler.time)
        checkDeadlines(process.running, watch, scheduler.time, process.listeningSince)
      }
    }
    return watch.breaches.length > 0
  }
  const verdict = () => {
    const [first] = watch.breaches
    if (first === undefined) return
    const last = scheduler.trace.last.map((line) => `  ${line}`).join('\n')
    throw new Violation(
      `seed ${seed}, step ${scheduler.steps}: ${watch.breaches.join('; ')}\n${last}\nseed ${seed}: ${first}`,
    )
  }

  await scheduler.run(START_AT + plan.troubleMs, look)
  verdict()
  trouble.stop()
  clients.stop()
  // Long enough for the last sweep, twice.
  const end = scheduler.time + TASK_STUCK_MS + 12 * MINUTE_MS
  // A frame that a browser sent in the last moment is still on its way, and may start a task.
  const arrived = scheduler.time + plan.frames.delayMs + SECOND_MS
  const quiet = () =>
    scheduler.time > arrived &&
    process.listening &&
    process.running !== null &&
    isQuiet(process.running, kept) &&
    clients.settled
  await scheduler.run(end, () => look() || quiet())
  verdict()
  clients.readAll()
  await scheduler.run(scheduler.time + 10 * SECOND_MS, look)
  // What was asked in the last moment is still on its way.
  for (const { what, life, since } of clients.owed)
    if (life.alive && scheduler.time - since > SECOND_MS) watch.broken(`a client waits for ever for its ${what}`)
  if (process.running) {
    checkEnd(process.running, kept, watch, plan, clients.payments, trouble.jumpedMs + process.downMs + MINUTE_MS)
  } else watch.broken('the process does not run')
  verdict()
  // What still waits belongs to nobody any more.
  if (process.running) process.running.life.alive = false
  const tasks = [...kept.tasks.values()]
  return {
    seed,
    hash: scheduler.trace.hash,
    steps: scheduler.steps,
    lives: process.starts,
    tasks: tasks.length,
    completed: tasks.filter(({ status }) => status === 'complete').length,
    executions: watch.executions.size,
  }
}
