import { type AnyEventObject, fromCallback } from 'xstate'
import type { Address } from '../machines/addresses.ts'
import type { AlarmInput } from '../machines/effects.ts'
import type { Awaitable, Clock } from './ports.ts'

/** What runs the actors, as their effects see it. */
export interface Runtime {
  readonly clock: Clock
  /** Does something that sends to actors; what they post meanwhile is delivered afterwards, never nested. */
  deliver(work: () => void): void
}

/** Whether something is still wanted. */
export interface Wanted {
  readonly aborted: boolean
  /** Who is told, once, that it is not: one at a time. */
  onAbort(listener: (() => void) | null): void
}

/** What an effect is given beside its input. */
export interface EffectTools extends Wanted {
  /** Aborted when the effect is not wanted any more. Made only when asked for. */
  signal(): AbortSignal
}

type Work = (tools: EffectTools) => Awaitable<AnyEventObject | null>

/**
 * One effect under way, which answers by one event, or by none. A throw or rejection becomes `effect.crashed`: it never
 * reaches the process. What comes after it was stopped is dropped. An answer that is there at once is sent at once.
 */
class Run implements EffectTools {
  readonly #clock: Clock
  readonly #send: (event: AnyEventObject) => void
  #controller: AbortController | undefined
  #listener: (() => void) | null = null
  #answered = false
  #stopped = false

  constructor({ clock }: Pick<Runtime, 'clock'>, send: (event: AnyEventObject) => void) {
    this.#clock = clock
    this.#send = send
  }

  get aborted(): boolean {
    return this.#stopped
  }

  onAbort(listener: (() => void) | null): void {
    this.#listener = listener
  }

  signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#stopped) this.#controller.abort()
    return this.#controller.signal
  }

  begin(work: Work): void {
    try {
      const result = work(this)
      if (result instanceof Promise)
        result.then(
          (event) => this.#answer(event),
          (error) => this.#crash(error),
        )
      else this.#answer(result)
    } catch (error) {
      this.#crash(error)
    }
  }

  stop(): void {
    this.#stopped = true
    // An abort is dear: what has answered needs none.
    if (this.#answered) return
    this.#listener?.()
    this.#controller?.abort()
  }

  #answer(event: AnyEventObject | null): void {
    this.#answered = true
    if (!this.#stopped && event) this.#send(event)
  }

  #crash(error: unknown): void {
    this.#answer({ type: 'effect.crashed', message: messageOf(error), at: this.#clock.now() })
  }
}

/** An effect as an actor, for a state to invoke. It is stopped when the state is left. */
export const answering = <Input>(
  runtime: Runtime,
  run: (input: Input, tools: EffectTools) => Awaitable<AnyEventObject | null>,
) =>
  fromCallback<AnyEventObject, Input>(({ input, sendBack }) => {
    const running = new Run(runtime, (event) => runtime.deliver(() => sendBack(event)))
    running.begin((tools) => run(input, tools))
    return () => running.stop()
  })

/**
 * Effects that entry actions begin, one at a time for each actor: on the path of every step, where an invoked actor
 * costs more than all that it does. One ends with its answer, with the next one, or with its actor.
 */
export class Errands {
  readonly #runtime: Pick<Runtime, 'clock'>
  readonly #post: (to: Address, event: AnyEventObject) => void
  readonly #running = new Map<Address, Run>()

  constructor(runtime: Pick<Runtime, 'clock'>, post: (to: Address, event: AnyEventObject) => void) {
    this.#runtime = runtime
    this.#post = post
  }

  begin(address: Address, work: Work): void {
    this.stop(address)
    const running = new Run(this.#runtime, (event) => this.#post(address, event))
    this.#running.set(address, running)
    running.begin(work)
  }

  /** What it answers from now on is dropped. */
  stop(address: Address): void {
    const running = this.#running.get(address)
    if (!running) return
    this.#running.delete(address)
    running.stop()
  }
}

/** Rings on the runtime's clock, at an absolute time or after a while. Gives what calls it off. */
function ringing({ clock }: Pick<Runtime, 'clock'>, input: AlarmInput, ring: (event: AnyEventObject) => void) {
  const at = input.at ?? clock.now() + input.inMs
  let timer: unknown
  const arm = () => {
    const left = at - clock.now()
    timer = clock.setTimeout(
      () => {
        // A clock that was set back rings too early: wait for the rest.
        if (clock.now() < at && input.at !== undefined) arm()
        else ring({ type: input.event, at: clock.now() })
      },
      Math.min(Math.max(0, left), TIMER_MS_MAX),
    )
  }
  arm()
  return () => clock.clearTimeout(timer)
}

/** An alarm as an actor, for a state to invoke. It comes back with the snapshot that it was kept in. */
export const alarm = (runtime: Pick<Runtime, 'clock'>) =>
  fromCallback<AnyEventObject, AlarmInput>(({ input, sendBack }) => ringing(runtime, input, sendBack))

/**
 * Alarms that entry actions set, one at a time for each actor: for the wait that every task has, where an invoked actor
 * is dear. One is over when it rings, when the next is set, or with its actor; after a restart it is set again.
 */
export class Alarms {
  readonly #runtime: Pick<Runtime, 'clock'>
  readonly #post: (to: Address, event: AnyEventObject) => void
  readonly #callOff = new Map<Address, () => void>()

  constructor(runtime: Pick<Runtime, 'clock'>, post: (to: Address, event: AnyEventObject) => void) {
    this.#runtime = runtime
    this.#post = post
  }

  set(address: Address, input: AlarmInput): void {
    this.stop(address)
    const ring = (event: AnyEventObject) => {
      this.#callOff.delete(address)
      this.#post(address, event)
    }
    this.#callOff.set(address, ringing(this.#runtime, input, ring))
  }

  stop(address: Address): void {
    this.#callOff.get(address)?.()
    this.#callOff.delete(address)
  }
}

/** A longer delay of the platform's timer fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** The message of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Runs something that takes a signal, for so long at most: `late` when it has not answered by then, whether or not it
 * heeds its signal, or when it is not wanted any more. The time counts from here.
 */
export function within<T>(
  clock: Clock,
  ms: number,
  wanted: Wanted,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T | 'late'> {
  if (wanted.aborted) return Promise.resolve('late')
  const limit = new AbortController()
  return new Promise<T | 'late'>((resolve, reject) => {
    const over = () => {
      clock.clearTimeout(timer)
      wanted.onAbort(null)
    }
    const pass = () => {
      over()
      resolve('late')
      limit.abort()
    }
    const timer = clock.setTimeout(pass, ms)
    wanted.onAbort(pass)
    try {
      run(limit.signal).then(resolve, reject).finally(over)
    } catch (error) {
      over()
      reject(error)
    }
  })
}

/** Wanted until the signal aborts. */
export const wantedUntil = (signal: AbortSignal): Wanted => ({
  get aborted() {
    return signal.aborted
  },
  onAbort(listener) {
    signal.onabort = listener
  },
})
