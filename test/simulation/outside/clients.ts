import { EVENTS_PER_TASK_MAX } from '../../../src/stores/limits.ts'
import { THE_WORLD } from '../engine/scheduler.ts'
import { Asking, type ClientsOptions } from './asking.ts'
import { Starts } from './starts.ts'

/** Everybody who asks something of the service: they start, cancel and read tasks, pay, and remove sessions. */
export class Clients {
  /** What was paid in, by workspace. */
  readonly payments = new Map<string, number>()
  readonly #options: ClientsOptions
  readonly #unpaid = new Set<string>()
  readonly #asks: Asking
  readonly #starts: Starts
  #asking = true

  constructor(options: ClientsOptions) {
    this.#options = options
    this.#asks = new Asking(options)
    this.#starts = new Starts(options, this.#asks)
    for (const workspaceId of options.browsers.keys()) {
      this.payments.set(workspaceId, 0)
      this.#askOn(workspaceId)
    }
  }

  get owed(): Asking['owed'] {
    return this.#asks.owed
  }

  /** They ask for nothing new; what is paid is still delivered. */
  stop(): void {
    this.#asking = false
  }

  /** Whether every payment was delivered, and no start is sent again. */
  get settled(): boolean {
    return this.#unpaid.size === 0 && this.#starts.open.size === 0
  }

  /** Reads every task of every workspace once. */
  readAll(): void {
    for (const [taskId, { workspaceId }] of this.#options.kept.tasks) this.#read(workspaceId, taskId)
  }

  /** Whatever runs is cancelled. */
  cancelAll(): void {
    for (const { id, workspaceId } of this.#options.kept.running()) this.#cancel(workspaceId, id)
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
    if (roll < 0.5 || tasks.length === 0) this.#starts.start(workspaceId)
    else if (roll < 0.54) for (let i = 0; i < 13; i++) this.#starts.start(workspaceId)
    else if (roll < 0.6) this.#cancel(workspaceId, random.pick(tasks).id)
    else if (roll < 0.85) this.#read(workspaceId, random.pick(tasks).id)
    else if (roll < 0.995) this.#pay(workspaceId)
    else this.#removeSession(workspaceId)
  }

  /** Somebody answers what tasks ask: some requests twice, some never. */
  #answer(workspaceId: string): void {
    const { reach, random, kept, watch } = this.#options
    const at = reach()
    if (!at) return
    for (const { id, workspaceId: own } of kept.running()) {
      if (own !== workspaceId || random.chance(0.3)) continue
      const action = random.pick(['accept', 'accept', 'accept', 'decline', 'cancel'] as const)
      const once = async () => {
        const view = await at.taskService.task(workspaceId, id)
        const request = view?.inputRequest
        if (!request) return null
        if (action === 'accept') watch.accepts(request.id)
        const outcome = await at.taskService.answerInput(workspaceId, id, request.id, { action, content: null })
        if (outcome === 'accepted') watch.answered(request.id, action)
        return outcome
      }
      for (let times = random.whole(1, 2); times > 0; times--) this.#asks.request('answer', at, once, () => {})
    }
  }

  #cancel(workspaceId: string, taskId: string): void {
    const { reach, kept, watch, scheduler } = this.#options
    const at = reach()
    if (!at) return
    this.#asks.request(
      'cancel',
      at,
      () => at.taskService.cancelTask(workspaceId, taskId),
      (answer) => {
        scheduler.trace.happened(`client: cancel ${taskId.slice(-4)} ${typeof answer === 'string' ? answer : 'done'}`)
        if (answer === 'not_found' && kept.tasks.has(taskId)) watch.broken(`${taskId} is not found for a cancel`)
        if (kept.tasks.get(taskId)?.status === 'running') watch.broken(`${taskId} runs on after a cancel`)
        if (typeof answer !== 'string' && answer.endedBy !== 'cancelled') watch.broken(`${taskId} was not cancelled`)
      },
    )
  }

  #read(workspaceId: string, taskId: string): void {
    const { reach, kept, watch } = this.#options
    const at = reach()
    if (!at) return
    const look = async () => {
      const view = await at.taskService.task(workspaceId, taskId)
      const turns = view && view.status !== 'running' ? await at.taskService.turns(taskId) : null
      return { view, turns, events: await at.taskService.events.ofTask(taskId, 0, EVENTS_PER_TASK_MAX) }
    }
    this.#asks.request('read', at, look, ({ view, turns, events }) => {
      watch.viewed(taskId, events, view !== null && view.status !== 'running')
      if (!view && kept.tasks.has(taskId)) watch.broken(`${taskId} is not found`)
      else if (view && view.status !== 'running') watch.read(taskId, { view, turns })
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
    const { scheduler, random, reach } = this.#options
    if (!this.#unpaid.has(event.eventId) && random.chance(0.7)) return
    const at = reach()
    if (at) {
      const heard = () => void this.#unpaid.delete(event.eventId)
      this.#asks.request('pay', at, () => at.store.ledger.credit(event), heard)
    }
    scheduler.after(random.between(500, 20_000), THE_WORLD, `payment ${event.eventId}`, () => this.#deliver(event))
  }

  #removeSession(workspaceId: string): void {
    const { random, reach, browsers } = this.#options
    const at = reach()
    const own = browsers.get(workspaceId) ?? []
    if (!at || own.length < 2) return
    const { sessionId } = random.pick(own)
    this.#asks.request(
      'remove',
      at,
      () => at.taskService.removeSession(workspaceId, null, sessionId),
      () => {},
    )
  }
}
