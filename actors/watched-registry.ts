import type { AnyActorLogic, AnyEventObject, AnyMachineSnapshot, InspectionEvent } from 'xstate'
import type { Address } from '../machines/addresses.ts'
import { Registry, type RegistryOptions, type StartOptions } from './registry.ts'

export interface Moved {
  /** Who posted the event; `null` for the edge, a timer or an effect. */
  readonly from: Address | null
  readonly event: AnyEventObject
  readonly snapshot: AnyMachineSnapshot
  /** The actor itself, for what its snapshot does not tell. */
  readonly actor: InspectionEvent['actorRef']
}

/** Who is told of everything that the actors of a registry do. Called on the hot path: it must be quick and never throw. */
export interface Watch {
  started(address: Address, supervisor: Address | null): void
  moved(address: Address, move: Moved): void
  /** It was stopped: it will move no more. */
  stopped(address: Address): void
}

/** A registry that also says who told what to whom. */
export class WatchedRegistry extends Registry {
  readonly #watch: Watch
  /** Who works at this moment, and who posted what is being delivered. */
  #at: Address | null = null
  #from: Address | null = null
  #poster: Address | null = null

  constructor(options: RegistryOptions, watch: Watch) {
    super({ ...options, inspect: (address, event) => this.#seen(address, event) })
    this.#watch = watch
  }

  override start(address: Address, logic: AnyActorLogic, options: StartOptions): void {
    if (!this.has(address)) this.#watch.started(address, options.supervisor)
    this.#poster = this.#at
    super.start(address, logic, options)
    this.#poster = null
  }

  override post(address: Address, event: AnyEventObject): boolean {
    this.#poster = this.#at
    const found = super.post(address, event)
    this.#poster = null
    return found
  }

  override deliver(work: () => void): void {
    const from = this.#poster
    this.#poster = null
    super.deliver(() => {
      this.#from = from
      this.#at = null
      try {
        work()
      } finally {
        this.#at = null
      }
    })
  }

  override stop(address: Address): void {
    super.stop(address)
    this.#watch.stopped(address)
  }

  #seen(address: Address, event: InspectionEvent): void {
    if (event.type === '@xstate.event') {
      if (event.rootId === event.actorRef.sessionId) this.#at = address
    } else if (event.type === '@xstate.snapshot' && event.rootId === event.actorRef.sessionId) {
      const { actorRef: actor, event: moving } = event
      this.#watch.moved(address, {
        from: this.#from,
        event: moving,
        snapshot: event.snapshot as AnyMachineSnapshot,
        actor,
      })
    }
  }
}
