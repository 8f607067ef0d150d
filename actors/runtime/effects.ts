import { type AnyEventObject, fromCallback } from 'xstate'
import type { Address } from '../../machines/addresses.ts'
import type { AlarmInput, Post } from '../../machines/effects.ts'
import type { Ms } from '../../machines/records.ts'
import type { Clock, Log } from './ports.ts'

/** What runs the actors, as their effects see it. */
export interface Runtime {
  readonly clock: Clock
  /** Does something that sends `event` to actors; what they post meanwhile is delivered afterwards, never nested. */
  deliver(work: () => void, event?: AnyEventObject): void
}

/** Whether what an effect does is still wanted. Its signal is made when it is first read: most effects need none. */
export interface Cancellation {
  readonly cancelled: boolean
  readonly signal: AbortSignal
}

type Effect = (cancellation: Cancellation) => Promise<AnyEventObject | null>

/**
 * Runs an effect, which answers by one event, or by none; a throw or rejection becomes `effect.crashed` and never
 * reaches the process. Gives what ends it: then its signal aborts, and what it answers afterwards is dropped.
 */
function begin({ clock }: Pick<Runtime, 'clock'>, effect: Effect, send: (event: AnyEventObject) => void): () => void {
  const controller = new AbortController()
  let answered = false
  let cancelled = false
  const cancellation: Cancellation = {
    get cancelled() {
      return cancelled
    },
    get signal() {
      return controller.signal
    },
  }
  const answer = (event: AnyEventObject | null) => {
    answered = true
    if (event && !cancelled) send(event)
  }
  const crash = (error: unknown) => answer({ type: 'effect.crashed', message: messageOf(error), at: clock.now() })
  try {
    effect(cancellation).then(answer, crash)
  } catch (error) {
    crash(error)
  }
  return () => {
    cancelled = true
    // Aborting makes an error with a stack: an effect that has answered needs none.
    if (!answered) controller.abort()
  }
}

/**
 * An effect as an actor, for a state to invoke: it ends with its state, and is run again with its input after a
 * restart.
 */
export const answering = <Input>(
  runtime: Runtime,
  run: (input: Input, cancellation: Cancellation) => Promise<AnyEventObject | null>,
) =>
  fromCallback<AnyEventObject, Input>(({ input, sendBack }) =>
    begin(
      runtime,
      (cancellation) => run(input, cancellation),
      (event) => runtime.deliver(() => sendBack(event), event),
    ),
  )

/** An effect on the store: when that does not answer it ends with `store.failed`, and the machine decides what follows. */
export const answeringStore = <Input>(
  { registry, ports: { log } }: { readonly registry: Runtime; readonly ports: { readonly log: Log } },
  waits: string,
  run: (input: Input) => Promise<AnyEventObject>,
) =>
  answering<Input>(registry, async (input) => {
    try {
      return await run(input)
    } catch (error) {
      log.warn({ err: messageOf(error) }, waits)
      return { type: 'store.failed', message: messageOf(error) }
    }
  })

/** The actions by which a machine reaches other machines. */
export const posting = ({
  registry,
}: {
  readonly registry: { post(to: Address, event: AnyEventObject): unknown }
}) => ({
  post: (_: unknown, { to, event }: Post) => void registry.post(to, event),
  postAll: (_: unknown, posts: readonly Post[]) => {
    for (const { to, event } of posts) registry.post(to, event)
  },
})

/**
 * The effects of `during`: begun by the entry of a state and ended by its exit, one at a time for each actor. Only for
 * the two that every step has (decision 10); everything else is invoked.
 */
export class EntryEffects {
  readonly #runtime: Pick<Runtime, 'clock'>
  readonly #post: (to: Address, event: AnyEventObject) => void
  readonly #ends = new Map<Address, () => void>()

  constructor(runtime: Pick<Runtime, 'clock'>, post: (to: Address, event: AnyEventObject) => void) {
    this.#runtime = runtime
    this.#post = post
  }

  begin(address: Address, effect: Effect): void {
    this.end(address)
    this.#ends.set(
      address,
      begin(this.#runtime, effect, (event) => this.#post(address, event)),
    )
  }

  /** Its state was left, or its actor is gone. */
  end(address: Address): void {
    this.#ends.get(address)?.()
    this.#ends.delete(address)
  }
}

/**
 * A wait as an actor, for a state to invoke: fires on the runtime's clock, at an absolute time or after a delay. It
 * is restored with its snapshot.
 */
export const alarm = (runtime: Runtime) =>
  fromCallback<AnyEventObject, AlarmInput>(({ input, sendBack }) => {
    const { clock } = runtime
    const at = input.at ?? clock.now() + input.inMs
    let timer: unknown
    let over = false
    const ring = (event: AnyEventObject) => runtime.deliver(() => over || sendBack(event), event)
    const arm = () => {
      timer = clock.setTimeout(
        () => {
          // A clock that was set back rings too early: wait for the rest.
          if (clock.now() < at && input.at !== undefined) arm()
          else ring({ type: input.event, at: clock.now() })
        },
        Math.min(Math.max(0, at - clock.now()), TIMER_MS_MAX),
      )
    }
    arm()
    return () => {
      over = true
      clock.clearTimeout(timer)
    }
  })

/** Resolves at a time of the clock, or as soon as the signal aborts. One that is set back reaches it later. */
export async function waitUntil(clock: Clock, at: Ms, signal: AbortSignal): Promise<void> {
  do await waitFor(clock, at - clock.now(), signal)
  while (clock.now() < at && !signal.aborted)
}

/** Resolves after so long, however the clock is set, or as soon as the signal aborts. */
export async function waitFor(clock: Clock, ms: Ms, signal: AbortSignal): Promise<void> {
  await within(clock, Math.max(0, ms), signal, () => new Promise<never>(() => {}))
}

/** For lengths of time: milliseconds that no setting of the clock moves. */
export const steadyNow = (clock: Pick<Clock, 'now' | 'monotonic'>): Ms => clock.monotonic?.() ?? clock.now()

/** A longer delay of the platform's timer fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** The message of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Runs `run` for at most `ms`. Resolves to `late` if it has not settled by then, whether or not it obeys its signal, or if
 * `cancelled` aborts first. Each call of `renew` restarts the time. A clock that is set changes none of it.
 */
export function within<T>(
  clock: Clock,
  ms: number,
  cancelled: AbortSignal,
  run: (signal: AbortSignal, renew: () => void) => Promise<T>,
): Promise<T | 'late'> {
  if (cancelled.aborted) return Promise.resolve('late')
  const limit = new AbortController()
  let since = steadyNow(clock)
  const renew = () => {
    since = steadyNow(clock)
  }
  return new Promise<T | 'late'>((resolve, reject) => {
    const over = () => {
      clock.clearTimeout(timer)
      cancelled.removeEventListener('abort', pass)
    }
    const pass = () => {
      over()
      resolve('late')
      limit.abort()
    }
    const rings = () => {
      const leftMs = since + ms - steadyNow(clock)
      if (leftMs > 0) timer = clock.setTimeout(rings, Math.min(leftMs, ms))
      else pass()
    }
    let timer = clock.setTimeout(rings, ms)
    cancelled.addEventListener('abort', pass)
    try {
      run(limit.signal, renew).then(resolve, reject).finally(over)
    } catch (error) {
      over()
      reject(error)
    }
  })
}
