import { type Actor, type AnyActorLogic, type AnyEventObject, type AnyMachineSnapshot, createActor } from 'xstate'
import { type ActorKind, type Address, parseAddress } from '../../machines/addresses.ts'
import { messageOf, type Runtime, steadyNow } from './effects.ts'
import type { Clock, Log } from './ports.ts'

export interface RegistryOptions {
  readonly clock: Clock
  readonly log: Log
  /** A persistent actor changed: its row is to be written. */
  readonly onChange?: (address: Address, supervisor: Address | null) => void
  /** A persistent actor is gone: its row is to be removed. */
  readonly onGone?: (address: Address, supervisor: Address | null) => void
  /** However an actor ended. */
  readonly onRemoved?: (address: Address) => void
  readonly watch?: Watch
}

/** Sees every actor begin, before its first transition, and end. It must not throw. */
export interface Watch {
  started(address: Address, supervisor: Address | null, actor: Actor<AnyActorLogic>, registry: Registry): void
  /** `isStopped`: it was stopped where it is, and has not ended. */
  gone(address: Address, isStopped: boolean): void
}

export interface StartOptions {
  readonly input?: unknown
  /** A persisted snapshot to resume from; the caller must not use it any more. */
  readonly snapshot?: unknown
  /** The actor that receives `child.done` and `child.failed`. */
  readonly supervisor: Address | null
  /** Whether its row is written and removed. */
  readonly persistent?: boolean
  /** The first event of a restored actor. What it changes is not written: after another restart the event is sent again. */
  readonly resume?: AnyEventObject
}

interface Entry {
  /** `null` until the start has been carried out. */
  actor: Actor<AnyActorLogic> | null
  readonly supervisor: Address | null
  readonly persistent: boolean
  readonly startedAt: number
  readonly waiters: ((output: unknown) => void)[]
}

/**
 * Every live actor by its address. Actors never hold each other: they post to addresses, and an event without a receiver is a
 * dead letter. Each actor is a root of its own, so that starting, stopping and persisting one costs the same however
 * many there are. Supervision is carried by events: the supervisor's machine decides.
 */
export class Registry implements Runtime {
  readonly #entries = new Map<Address, Entry>()
  readonly #counts = new Map<ActorKind, number>()
  readonly #deliveries = new DeliveryQueue((error) => this.#options.log.error({ err: error }, 'A delivery failed'))
  /** The clock of the actors: what a timer triggers is delivered like a post. */
  readonly clock: Clock
  readonly #options: RegistryOptions
  /** The event that the actor is handling; `null` while it starts. */
  event: AnyEventObject | null = null
  /** Events without a receiver. */
  deadLetters = 0

  constructor(options: RegistryOptions) {
    this.#options = options
    const { clock } = options
    this.clock = {
      now: () => clock.now(),
      monotonic: () => steadyNow(clock),
      setTimeout: (fn, ms) => clock.setTimeout(() => this.deliver(fn), ms),
      clearTimeout: (id) => clock.clearTimeout(id),
    }
  }

  /**
   * Starts an actor at an address that is free. Throws when it is taken: that is a bug. `logic` is called when the current
   * delivery is done: XState makes no machine inside an action of another.
   */
  start(address: Address, logic: () => AnyActorLogic, options: StartOptions): void {
    if (this.#entries.has(address)) throw new Error(`${address} is running already`)
    const { supervisor, persistent = false } = options
    const entry: Entry = { actor: null, supervisor, persistent, startedAt: this.clock.now(), waiters: [] }
    this.#entries.set(address, entry)
    const { actorKind } = parseAddress(address)
    this.#counts.set(actorKind, this.count(actorKind) + 1)
    this.#deliveries.add(() => this.#begin(address, entry, logic, options), address)
  }

  /** Delivers an event, or counts a dead letter. False if there is no such actor. */
  post(address: Address, event: AnyEventObject, from = this.#deliveries.receiver): boolean {
    if (!this.#entries.has(address)) return this.#deadLetter(address, event)
    const send = () => {
      const actor = this.#entries.get(address)?.actor
      this.event = event
      if (actor) actor.send(event)
      else this.#deadLetter(address, event)
    }
    this.#deliveries.add(send, address, from)
    return true
  }

  /** Runs `work`, which sends `event` to actors, after the current delivery; then delivers what it led to. */
  deliver(work: () => void, event: AnyEventObject | null = null): void {
    this.#deliveries.add(() => {
      this.event = event
      work()
    })
  }

  /** The actor that posted what is being delivered; `null` for the edge, a timer, an effect, and the receiver itself. */
  get sender(): Address | null {
    return this.#deliveries.sender
  }

  has(address: Address): boolean {
    return this.#entries.has(address)
  }

  /** The present snapshot of a machine, or `undefined`. */
  snapshot(address: Address): AnyMachineSnapshot | undefined {
    return this.#entries.get(address)?.actor?.getSnapshot() as AnyMachineSnapshot | undefined
  }

  /** The persisted form of the snapshot. */
  persisted(address: Address): unknown {
    return this.#entries.get(address)?.actor?.getPersistedSnapshot()
  }

  /** Resolves to the actor's output when it is done; to `undefined` when it failed, was stopped, or is not there. */
  whenDone(address: Address): Promise<unknown> {
    const entry = this.#entries.get(address)
    if (!entry) return Promise.resolve(undefined)
    return new Promise((resolve) => void entry.waiters.push(resolve))
  }

  /** Resolves when the actor's snapshot fulfils the condition, at once if it does; also when the actor is gone. */
  until(address: Address, fulfils: (snapshot: AnyMachineSnapshot) => boolean): Promise<void> {
    return new Promise((resolve) =>
      // After what is being delivered now: the actor has begun then.
      this.deliver(() => {
        const actor = this.#entries.get(address)?.actor
        if (!actor || fulfils(actor.getSnapshot() as AnyMachineSnapshot)) return resolve()
        const observer = actor.subscribe((now: AnyMachineSnapshot) => fulfils(now) && resolve())
        void this.whenDone(address).then(() => {
          observer.unsubscribe()
          resolve()
        })
      }),
    )
  }

  /** Stops an actor without telling its supervisor. Its row stays. */
  stop(address: Address): void {
    const entry = this.#entries.get(address)
    if (!entry) return
    this.#remove(address, true)
    entry.actor?.stop()
    this.#settle(entry, undefined)
  }

  /** Ends those of the actors that are running, as if they had failed. */
  fail(addresses: readonly Address[], error: Error): void {
    for (const [address, entry] of addresses.map((each) => [each, this.#entries.get(each)] as const)) {
      if (entry) this.deliver(() => this.#failed(address, entry, error))
      entry?.actor?.stop()
    }
  }

  stopAll(): void {
    for (const address of [...this.#entries.keys()]) this.stop(address)
  }

  count(actorKind: ActorKind): number {
    return this.#counts.get(actorKind) ?? 0
  }

  /** Read-only access to the running actors, for inspection. */
  *list(): Iterable<{ address: Address; supervisor: Address | null; startedAt: number }> {
    for (const [address, { supervisor, startedAt }] of this.#entries) yield { address, supervisor, startedAt }
  }

  #begin(address: Address, entry: Entry, logic: () => AnyActorLogic, { input, snapshot, resume }: StartOptions): void {
    // Stopped again before it began.
    if (this.#entries.get(address) !== entry) return
    let resumed = resume === undefined
    let isTransient = false
    try {
      const actor = createActor(logic(), {
        clock: this.clock,
        id: address,
        ...(snapshot === undefined ? { input } : { snapshot: snapshot as never }),
      })
      entry.actor = actor
      actor.subscribe({
        next: (now: AnyMachineSnapshot) => {
          // Entering such a state changes nothing that is kept; what happens while it lasts does, like a pause.
          const isEntry = now.hasTag('transient') && !isTransient
          isTransient = now.hasTag('transient')
          if (entry.persistent && resumed && !isEntry) this.#options.onChange?.(address, entry.supervisor)
        },
        error: (error: unknown) => this.#deliveries.attempt(() => this.#failed(address, entry, error)),
        complete: () => this.#deliveries.attempt(() => this.#done(address, entry)),
      })
      this.#options.watch?.started(address, entry.supervisor, actor, this)
      this.event = null
      actor.start()
      this.event = resume ?? null
      if (resume) actor.send(resume)
      resumed = true
    } catch (error) {
      // A snapshot that does not fit its machine.
      this.#failed(address, entry, error)
    }
  }

  #done(address: Address, entry: Entry): void {
    if (this.#entries.get(address) !== entry) return
    this.#remove(address)
    if (entry.persistent) this.#options.onGone?.(address, entry.supervisor)
    const output = (entry.actor?.getSnapshot() as AnyMachineSnapshot | undefined)?.output
    const { supervisor } = entry
    if (supervisor) this.post(supervisor, { type: 'child.done', address, output, at: this.clock.now() }, address)
    this.#settle(entry, output)
  }

  #failed(address: Address, entry: Entry, error: unknown): void {
    if (this.#entries.get(address) !== entry) return
    this.#remove(address)
    const err = { message: messageOf(error), stack: error instanceof Error ? error.stack : undefined }
    this.#options.log.error({ address, err }, 'An actor failed')
    if (entry.persistent) this.#options.onGone?.(address, entry.supervisor)
    if (entry.supervisor) {
      const context = (entry.actor?.getSnapshot() as AnyMachineSnapshot | undefined)?.context
      const failed = { type: 'child.failed', address, message: err.message, context, at: this.clock.now() }
      this.post(entry.supervisor, failed, address)
    }
    this.#settle(entry, undefined)
  }

  #remove(address: Address, isStopped = false): void {
    this.#entries.delete(address)
    const { actorKind } = parseAddress(address)
    this.#counts.set(actorKind, this.count(actorKind) - 1)
    this.#options.onRemoved?.(address)
    this.#options.watch?.gone(address, isStopped)
  }

  #settle(entry: Entry, output: unknown): void {
    for (const resolve of entry.waiters.splice(0)) resolve(output)
  }

  #deadLetter(address: Address, event: AnyEventObject): false {
    this.deadLetters++
    this.#options.log.debug({ address, event: event.type }, 'A dead letter')
    return false
  }
}

interface Delivery {
  readonly work: () => void
  readonly to: Address | null
  readonly from: Address | null
}

/**
 * Deliveries to actors, in order and never nested: what an actor posts while it works is delivered when it is done.
 * Therefore the sender is known: it is the actor that is handling an event.
 */
class DeliveryQueue {
  readonly #queue: Delivery[] = []
  readonly #onError: (error: unknown) => void
  #current: Delivery | undefined

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** The actor that is handling an event now; `null` if there is none, or it is not known. */
  get receiver(): Address | null {
    return this.#current?.to ?? null
  }

  /** The actor that posted what is being delivered; `null` if that was the receiver itself. */
  get sender(): Address | null {
    const { to = null, from = null } = this.#current ?? {}
    return from === to ? null : from
  }

  /** Runs `work` after all that waits already, at once if nothing does. */
  add(work: () => void, to: Address | null = null, from: Address | null = to === null ? null : this.receiver): void {
    this.#queue.push({ work, to, from })
    if (this.#current) return
    try {
      for (this.#current = this.#queue.shift(); this.#current; this.#current = this.#queue.shift()) {
        this.attempt(this.#current.work)
      }
    } finally {
      this.#current = undefined
    }
  }

  /**
   * An exception in a machine ends that machine. An exception here is a bug in the service: it is reported and does not
   * end the process.
   */
  attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#onError(error)
    }
  }
}
