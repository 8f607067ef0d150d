import type { Waiting } from '../../../actors/task-service.ts'
import type { Door } from '../../../machines/records.ts'
import { type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { Random } from '../random.ts'
import type { Watch } from '../watch.ts'
import type { SimulatedBrowser } from './browser.ts'
import type { Kept } from './kept.ts'
import { anyTemper } from './model.ts'
import type { SimulatedProcess } from './process.ts'

export interface ClientsOptions {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly process: SimulatedProcess
  readonly kept: Kept
  readonly watch: Watch
  /** The sessions of every workspace. */
  readonly browsers: ReadonlyMap<string, readonly SimulatedBrowser[]>
  readonly pauseMs: number
  readonly queueing: number
  readonly asking: number
}

/** Everybody who asks something of the service: they start, cancel and read tasks, pay, and remove sessions. */
export class Clients {
  /** What was paid in, by workspace. */
  readonly payments = new Map<string, number>()
  /** Answers that a living process owes. */
  readonly owed = new Set<{ readonly what: string; readonly since: number; readonly life: { alive: boolean } }>()
  readonly #options: ClientsOptions
  readonly #unpaid = new Set<string>()
  #asking = true

  constructor(options: ClientsOptions) {
    this.#options = options
    for (const workspaceId of options.browsers.keys()) {
      this.payments.set(workspaceId, 0)
      this.#askOn(workspaceId)
    }
  }

  /** They ask for nothing new; what is paid is still delivered. */
  stop(): void {
    this.#asking = false
  }

  /** Whether every payment was delivered. */
  get settled(): boolean {
    return this.#unpaid.size === 0
  }

  /** Reads every task of every workspace once. */
  readAll(): void {
    for (const [taskId, { workspaceId }] of this.#options.kept.tasks) this.#read(workspaceId, taskId)
  }

  #askOn(workspaceId: string): void {
    const { scheduler, random, pauseMs } = this.#options
    scheduler.after(random.between(0, 2 * pauseMs), THE_WORLD, 'a client asks', () => {
      if (!this.#asking) return
      this.#ask(workspaceId)
      this.#askOn(workspaceId)
    })
  }

  #ask(workspaceId: string): void {
    const { random, kept, asking } = this.#options
    const tasks = [...kept.tasks.values()].filter((task) => task.workspaceId === workspaceId)
    if (asking > 0 && random.chance(0.5)) this.#answer(workspaceId)
    const roll = random.unit()
    if (roll < 0.5 || tasks.length === 0) this.#start(workspaceId)
    else if (roll < 0.54) for (let i = 0; i < 13; i++) this.#start(workspaceId)
    else if (roll < 0.6) this.#cancel(workspaceId, random.pick(tasks).id)
    else if (roll < 0.85) this.#read(workspaceId, random.pick(tasks).id)
    else if (roll < 0.995) this.#pay(workspaceId)
    else this.#removeSession(workspaceId)
  }

  /** A question to the process; its answer, if it lives to give one. */
  #request<T>(what: string, ask: () => Promise<T>, answered: (answer: T) => void): void {
    const { process, scheduler, watch } = this.#options
    if (!process.listening || !process.running) return
    const { life } = process.running
    const owed = { what, since: scheduler.time, life }
    this.owed.add(owed)
    const done = () => this.owed.delete(owed)
    ask().then(
      (answer) => {
        done()
        if (life.alive) answered(answer)
      },
      (error) => {
        done()
        scheduler.trace.happened(`client: ${what} failed: ${error}`)
        if (!String(error).includes('store')) watch.broken(`${what} failed: ${error?.stack}`)
      },
    )
  }

  #start(workspaceId: string): void {
    const { random, browsers, process, watch, scheduler, queueing, asking } = this.#options
    const own = random.pick(browsers.get(workspaceId) ?? [])
    const temper = anyTemper(random)
    const words = `Task ${random.hex(4)} ${temper}`
    const door: Door = random.pick(['http', 'http', 'http', 'relay', 'internal'])
    if (door === 'relay') return void own.createTask(random.uuid(), words)
    const { running } = process
    if (!running) return
    const foreign = random.pick(random.pick([...browsers.values()]))
    const browserSessionId = random.chance(0.95)
      ? own.sessionId
      : random.chance(0.5)
        ? foreign.sessionId
        : random.uuid()
    const request = {
      task: words,
      url: null,
      context: null,
      browserSessionId,
      webhookUrl: random.chance(0.5) ? 'https://client.example/hook' : null,
      ...(asking > 0 && random.chance(asking) ? { approvals: 'always' as const } : {}),
      outputSchema: random.chance(0.3) ? '{"type":"object"}' : null,
      maxSteps: random.chance(0.2) ? random.whole(1, 8) : null,
      maxTokens: random.chance(0.2) ? random.whole(500, 20_000) : null,
    }
    const waiting = door === 'http' && queueing > 0 && random.chance(queueing) ? this.#waiting() : null
    this.#request(
      'start',
      () =>
        running.taskService.startTask({
          door,
          workspaceId,
          apiKeyId: 'key',
          requestId: null,
          request,
          ...(waiting ? { waiting } : {}),
        }),
      (answer) => {
        if (answer.ok) {
          watch.acknowledge(answer.task.id)
          scheduler.trace.happened(`client: granted ${answer.task.id.slice(-4)} ${temper}`)
        } else {
          scheduler.trace.happened(`client: refused ${answer.refusal.code}`)
          const now = Math.floor(scheduler.time + process.skewMs)
          // One that would wait for the rate is not counted when it is refused for another reason.
          if (door === 'http' && !waiting?.onLimit) watch.refused(running.life, workspaceId, answer.refusal.code, now)
        }
      },
    )
  }

  #waiting(): Waiting {
    const { random } = this.#options
    const [onLimit, onAway] = random.pick([
      [true, false],
      [false, true],
      [true, true],
    ])
    const queueTtlMs = random.whole(5_000, 300_000)
    return { onLimit, onAway, priority: random.whole(1, 5), queueTtlMs, waitTtlMs: random.whole(5_000, 300_000) }
  }

  /** Somebody answers what tasks ask: some requests twice, some never. */
  #answer(workspaceId: string): void {
    const { process, random, kept, watch } = this.#options
    const { running } = process
    if (!running) return
    for (const { id, workspaceId: own } of kept.running()) {
      if (own !== workspaceId || random.chance(0.3)) continue
      const action = random.pick(['accept', 'accept', 'accept', 'decline', 'cancel'] as const)
      const once = async () => {
        const view = await running.taskService.task(workspaceId, id)
        const request = view?.inputRequest
        if (!request) return null
        if (action === 'accept') watch.accepts(request.id, request.call?.terms ?? [])
        const outcome = await running.taskService.answerInput(workspaceId, id, request.id, { action, content: null })
        if (outcome === 'accepted') watch.answered(request.id, action)
        return outcome
      }
      for (let times = random.whole(1, 2); times > 0; times--) this.#request('answer', once, () => {})
    }
  }

  #cancel(workspaceId: string, taskId: string): void {
    const { process, kept, watch, scheduler } = this.#options
    const { running } = process
    if (!running) return
    this.#request(
      'cancel',
      () => running.taskService.cancelTask(workspaceId, taskId),
      (answer) => {
        scheduler.trace.happened(`client: cancel ${taskId.slice(-4)} ${typeof answer === 'string' ? answer : 'done'}`)
        if (answer === 'not_found') watch.broken(`${taskId} is not found for a cancel`)
        if (kept.tasks.get(taskId)?.status === 'running') watch.broken(`${taskId} runs on after a cancel`)
        if (typeof answer !== 'string' && answer.endedBy !== 'cancelled') watch.broken(`${taskId} was not cancelled`)
      },
    )
  }

  #read(workspaceId: string, taskId: string): void {
    const { process, watch } = this.#options
    const { running } = process
    if (!running) return
    const look = async () => {
      const view = await running.taskService.task(workspaceId, taskId)
      return { view, turns: view && view.status !== 'running' ? await running.taskService.turns(taskId) : null }
    }
    this.#request('read', look, ({ view, turns }) => {
      if (!view) watch.broken(`${taskId} is not found`)
      else if (view.status !== 'running') watch.read(taskId, { view, turns })
    })
  }

  #pay(workspaceId: string): void {
    const { random } = this.#options
    const credits = random.whole(1, 5)
    this.payments.set(workspaceId, (this.payments.get(workspaceId) ?? 0) + credits)
    const eventId = `evt-${random.hex(8)}`
    this.#unpaid.add(eventId)
    for (let copies = random.whole(1, 2); copies > 0; copies--) this.#deliver({ eventId, workspaceId, credits })
  }

  /** The payment provider delivers until it is told that it was heard, and sometimes once more. */
  #deliver(event: { eventId: string; workspaceId: string; credits: number }): void {
    const { scheduler, random, process } = this.#options
    const { running } = process
    if (!this.#unpaid.has(event.eventId) && random.chance(0.7)) return
    if (running && process.listening) {
      const heard = () => void this.#unpaid.delete(event.eventId)
      this.#request('pay', () => running.store.ledger.credit(event), heard)
    }
    scheduler.after(random.between(500, 20_000), THE_WORLD, `payment ${event.eventId}`, () => this.#deliver(event))
  }

  #removeSession(workspaceId: string): void {
    const { random, process, browsers } = this.#options
    const { running } = process
    const own = browsers.get(workspaceId) ?? []
    if (!running || own.length < 2) return
    const { sessionId } = random.pick(own)
    this.#request(
      'remove',
      () => running.taskService.removeSession(workspaceId, null, sessionId),
      () => {},
    )
  }
}
