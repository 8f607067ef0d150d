import {
  type Actor,
  type AnyActorLogic,
  type AnyEventObject,
  type AnyMachineSnapshot,
  createActor,
  type InspectionEvent,
} from 'xstate'
import { type Address, type Noun, parseAddress } from '../machines/addresses.ts'
import { messageOf } from './effects.ts'
import type { Clock, Log } from './ports.ts'

export interface RegistryOptions {
  readonly clock: Clock
  readonly log: Log
  /** A kept actor changed: its row is to be written. */
  readonly onChange?: (address: Address) => void
  /** A kept actor is gone: its row is to be removed. */
  readonly onGone?: (address: Address) => void
  /** Every inspection event of every actor. A throw is logged and ignored. */
  readonly inspect?: (address: Address, event: InspectionEvent) => void
  /** An event found nobody. */
  readonly onDeadLetter?: (address: Address, event: AnyEventObject) => void
}

export interface StartOptions {
  readonly input?: unknown
  /** A persisted snapshot to go on from; it is the actor's from now on. */
  readonly snapshot?: unknown
  /** Who hears `child.done` and `child.failed`. */
  readonly supervisor: Address | null
  /** Whether its row is written and removed. */
  readonly kept?: boolean
}

interface Entry {
  readonly actor: Actor<AnyActorLogic>
  readonly supervisor: Address | null
  readonly kept: boolean
  readonly startedAt: number
  waiters: ((output: unknown) => void)[] | null
}

/**
 * Every live actor by its address. Actors never hold each other: they post to addresses, and what finds nobody is a
 * dead letter. Each actor is a root of its own, so that starting, stopping and persisting one costs the same however
 * many there are. Supervision is carried by events: the supervisor's machine decides.
 *
 * Delivery is in order and never nested: what an actor posts while it works is delivered when it is done.
 */
export class Registry {
  readonly #entries = new Map<Address, Entry>()
  readonly #counts = new Map<Noun, number>()
  readonly #queue: { to: Address; event: AnyEventObject }[] = []
  readonly #options: RegistryOptions
  #draining = false
  #deadLetters = 0

  constructor(options: RegistryOptions) {
    this.#options = options
  }

  /** Starts an actor at an address that is free. Throws when it is taken: that is a bug. */
  start(address: Address, logic: AnyActorLogic, options: StartOptions): void {
    if (this.#entries.has(address)) throw new Error(`${address} is running already`)
    const { clock, inspect } = this.#options
    const actor = createActor(logic, {
      clock,
      id: address,
      ...(options.snapshot === undefined ? { input: options.input } : { snapshot: options.snapshot as never }),
      ...(inspect ? { inspect: (event: InspectionEvent) => this.#inspected(address, event) } : {}),
    })
    const kept = options.kept ?? false
    const entry: Entry = { actor, supervisor: options.supervisor, kept, startedAt: clock.now(), waiters: null }
    this.#entries.set(address, entry)
    const { noun } = parseAddress(address)
    this.#counts.set(noun, this.count(noun) + 1)
    actor.subscribe({
      next: kept
        ? (snapshot: AnyMachineSnapshot) => {
            if (!snapshot.hasTag('unkept')) this.#options.onChange?.(address)
          }
        : () => {},
      error: (error: unknown) => this.#failed(address, entry, error),
      complete: () => this.#done(address, entry),
    })
    this.#run(() => actor.start())
  }

  /** Delivers an event, or counts a dead letter. False when nobody is there. */
  post(address: Address, event: AnyEventObject): boolean {
    if (!this.#entries.has(address)) {
      this.#deadLetter(address, event)
      return false
    }
    this.#queue.push({ to: address, event })
    this.#drain()
    return true
  }

  has(address: Address): boolean {
    return this.#entries.has(address)
  }

  /** The present snapshot of a machine, or `undefined`. */
  snapshot(address: Address): AnyMachineSnapshot | undefined {
    return this.#entries.get(address)?.actor.getSnapshot() as AnyMachineSnapshot | undefined
  }

  /** The snapshot as it is kept. */
  persisted(address: Address): unknown {
    return this.#entries.get(address)?.actor.getPersistedSnapshot()
  }

  /** Resolves to the actor's output when it is done; to `undefined` when it failed, was stopped, or is not there. */
  whenDone(address: Address): Promise<unknown> {
    const entry = this.#entries.get(address)
    if (!entry) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      entry.waiters ??= []
      entry.waiters.push(resolve)
    })
  }

  /** Stops an actor without telling its supervisor. Its row stays. */
  stop(address: Address): void {
    const entry = this.#entries.get(address)
    if (!entry) return
    this.#remove(address, entry)
    entry.actor.stop()
    this.#settle(entry, undefined)
  }

  stopAll(): void {
    for (const address of [...this.#entries.keys()]) this.stop(address)
  }

  count(noun: Noun): number {
    return this.#counts.get(noun) ?? 0
  }

  get deadLetters(): number {
    return this.#deadLetters
  }

  /** What is alive, for those who look: never changed through here. */
  *list(): Iterable<{ address: Address; supervisor: Address | null; startedAt: number }> {
    for (const [address, { supervisor, startedAt }] of this.#entries) yield { address, supervisor, startedAt }
  }

  #run(work: () => void): void {
    const outermost = !this.#draining
    this.#draining = true
    try {
      work()
    } finally {
      if (outermost) {
        this.#draining = false
        this.#drain()
      }
    }
  }

  #drain(): void {
    if (this.#draining) return
    this.#draining = true
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        const entry = this.#entries.get(next.to)
        if (entry) entry.actor.send(next.event)
        else this.#deadLetter(next.to, next.event)
      }
    } finally {
      this.#draining = false
    }
  }

  #done(address: Address, entry: Entry): void {
    if (this.#entries.get(address) !== entry) return
    this.#remove(address, entry)
    if (entry.kept) this.#options.onGone?.(address)
    const { output } = entry.actor.getSnapshot() as AnyMachineSnapshot
    if (entry.supervisor) {
      this.post(entry.supervisor, { type: 'child.done', address, output, at: this.#options.clock.now() })
    }
    this.#settle(entry, output)
  }

  #failed(address: Address, entry: Entry, error: unknown): void {
    if (this.#entries.get(address) !== entry) return
    this.#remove(address, entry)
    const message = messageOf(error)
    const stack = error instanceof Error ? error.stack : undefined
    this.#options.log.error({ address, err: { message, stack } }, 'An actor failed')
    if (entry.kept) this.#options.onGone?.(address)
    const { context } = entry.actor.getSnapshot() as AnyMachineSnapshot
    if (entry.supervisor) {
      const at = this.#options.clock.now()
      this.post(entry.supervisor, { type: 'child.failed', address, message, context, at })
    }
    this.#settle(entry, undefined)
  }

  #remove(address: Address, _entry: Entry): void {
    this.#entries.delete(address)
    const { noun } = parseAddress(address)
    this.#counts.set(noun, this.count(noun) - 1)
  }

  #settle(entry: Entry, output: unknown): void {
    const waiters = entry.waiters
    entry.waiters = null
    for (const resolve of waiters ?? []) resolve(output)
  }

  #deadLetter(address: Address, event: AnyEventObject): void {
    this.#deadLetters++
    this.#options.onDeadLetter?.(address, event)
    this.#options.log.debug({ address, event: event.type }, 'A dead letter')
  }

  #inspected(address: Address, event: InspectionEvent): void {
    try {
      this.#options.inspect?.(address, event)
    } catch (error) {
      this.#options.log.warn({ address, err: messageOf(error) }, 'The inspector failed')
    }
  }
}
