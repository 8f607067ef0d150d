import type { ActorScope, AnyActorLogic, AnyEventObject, AnyMachineSnapshot, EventObject } from 'xstate'
import type { Address } from '../machines/addresses.ts'
import { messageOf } from './effects.ts'
import type { Log } from './ports.ts'
import { Registry, type RegistryOptions, type StartOptions } from './registry.ts'

/** Who is told of everything that the actors of a registry do. Called on the hot path: it must be quick. */
export interface Watch {
  started(address: Address, supervisor: Address | null): void
  /** `from`: who posted the event; `null` for the edge, a timer or an effect. `actor`: what its snapshot does not tell. */
  moved(
    address: Address,
    event: AnyEventObject,
    snapshot: AnyMachineSnapshot,
    from: Address | null,
    actor: object,
  ): void
  /** It is done, failed or was stopped: it will move no more. */
  gone(address: Address): void
}

type Scope = ActorScope<AnyMachineSnapshot, EventObject>

/**
 * A registry that also says who told what to whom. It looks where an actor's logic is asked for its next snapshot:
 * XState's own `inspect` makes an object for every action and microstep, of which nobody here reads most. What the
 * watch throws is logged: no actor ever sees it.
 */
export class WatchedRegistry extends Registry {
  readonly #watch: Watch
  readonly #log: Log
  readonly #watched = new WeakMap<AnyActorLogic, AnyActorLogic>()
  /** Who works at this moment, and who posted what is being delivered. */
  #at: Address | null = null
  #from: Address | null = null
  #poster: Address | null = null

  constructor(options: RegistryOptions, watch: Watch) {
    super({
      ...options,
      onRemoved: (address) => {
        options.onRemoved?.(address)
        this.#gone(address)
      },
    })
    this.#watch = watch
    this.#log = options.log
  }

  override start(address: Address, logic: AnyActorLogic, options: StartOptions): void {
    if (!this.has(address)) {
      this.#started(address, options.supervisor)
      this.#poster = this.#at
    }
    super.start(address, this.#looking(logic), options)
    this.#poster = null
  }

  override post(address: Address, event: AnyEventObject): boolean {
    // What an actor's own effect tells it, nobody told it.
    this.#poster = this.#at === address ? null : this.#at
    const found = super.post(address, event)
    this.#poster = null
    return found
  }

  override deliver(work: () => void): void {
    const from = this.#poster
    this.#poster = null
    super.deliver(() => {
      this.#from = from
      try {
        work()
      } finally {
        this.#at = null
        this.#from = null
      }
    })
  }

  /** The same logic, looked at: one for all actors that share it. */
  #looking(logic: AnyActorLogic): AnyActorLogic {
    const known = this.#watched.get(logic)
    if (known) return known
    // Not an object that inherits from the logic: an engine treats what others inherit from as one of its kind, and
    // XState's own code, which meets all machines, would run slower for every one of them.
    const looking: AnyActorLogic = {
      config: logic.config,
      getInitialSnapshot: (scope, input) => logic.getInitialSnapshot(scope, input),
      getPersistedSnapshot: (snapshot, options) => logic.getPersistedSnapshot(snapshot, options),
      ...(logic.restoreSnapshot && { restoreSnapshot: logic.restoreSnapshot.bind(logic) }),
      transition: (snapshot, event, scope) => {
        this.#at = scope.self.id as Address
        const next = logic.transition(snapshot, event, scope)
        if (event.type !== 'xstate.stop') this.#moved(scope, event, next)
        return next
      },
      start: (snapshot, scope) => {
        this.#at = scope.self.id as Address
        this.#moved(scope, BEGIN, snapshot)
        logic.start?.(snapshot, scope)
      },
    }
    this.#watched.set(logic, looking)
    return looking
  }

  #moved({ self }: Scope, event: AnyEventObject, snapshot: AnyMachineSnapshot): void {
    const address = self.id as Address
    try {
      this.#watch.moved(address, event, snapshot, this.#from, self)
    } catch (error) {
      this.#blind(address, error)
    }
  }

  #started(address: Address, supervisor: Address | null): void {
    try {
      this.#watch.started(address, supervisor)
    } catch (error) {
      this.#blind(address, error)
    }
  }

  #gone(address: Address): void {
    try {
      this.#watch.gone(address)
    } catch (error) {
      this.#blind(address, error)
    }
  }

  #blind(address: Address, error: unknown): void {
    this.#log.warn({ address, err: messageOf(error) }, 'What an actor did was not seen')
  }
}

const BEGIN = { type: 'xstate.init' }
