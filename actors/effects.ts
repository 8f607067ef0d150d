import { type AnyEventObject, fromCallback } from 'xstate'
import type { AlarmInput } from '../machines/effects.ts'
import type { Awaitable, Clock } from './ports.ts'

/** What runs the actors, as their effects see it. */
export interface Runtime {
  readonly clock: Clock
  /** Does something that sends to actors; what they post meanwhile is delivered afterwards, never nested. */
  deliver(work: () => void): void
}

/** What an effect is given beside its input. */
export interface EffectTools {
  /** Aborted when the state that invoked the effect is left. Made only when asked for. */
  readonly signal: () => AbortSignal
}

/**
 * An effect that answers by one event, or by none. A throw or rejection becomes `effect.crashed`: it never reaches
 * the process. What comes after the state was left is dropped. An answer that is there at once is sent at once.
 */
export const answering = <Input>(
  runtime: Runtime,
  run: (input: Input, tools: EffectTools) => Awaitable<AnyEventObject | null>,
) =>
  fromCallback<AnyEventObject, Input>(({ input, sendBack }) => {
    let stopped = false
    let answered = false
    let controller: AbortController | undefined
    const signal = () => {
      controller ??= new AbortController()
      if (stopped) controller.abort()
      return controller.signal
    }
    const answer = (event: AnyEventObject | null) => {
      answered = true
      if (!stopped && event) runtime.deliver(() => sendBack(event))
    }
    const crash = (error: unknown) =>
      answer({ type: 'effect.crashed', message: messageOf(error), at: runtime.clock.now() })
    try {
      const result = run(input, { signal })
      if (result instanceof Promise) result.then(answer, crash)
      else answer(result)
    } catch (error) {
      crash(error)
    }
    return () => {
      stopped = true
      // An abort is dear: what has answered needs none.
      if (!answered) controller?.abort()
    }
  })

/** An alarm on the runtime's clock: at an absolute time, or after a while. */
export const alarm = ({ clock }: Pick<Runtime, 'clock'>) =>
  fromCallback<AnyEventObject, AlarmInput>(({ input, sendBack }) => {
    const at = input.at ?? clock.now() + input.inMs
    let timer: unknown
    const arm = () => {
      const left = at - clock.now()
      timer = clock.setTimeout(
        () => {
          // A clock that was set back rings too early: wait for the rest.
          if (clock.now() < at && input.at !== undefined) arm()
          else sendBack({ type: input.event, at: clock.now() })
        },
        Math.min(Math.max(0, left), TIMER_MS_MAX),
      )
    }
    arm()
    return () => clock.clearTimeout(timer)
  })

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
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T | 'late'> {
  if (signal.aborted) return Promise.resolve('late')
  const limit = new AbortController()
  return new Promise<T | 'late'>((resolve, reject) => {
    const over = () => {
      clock.clearTimeout(timer)
      signal.removeEventListener('abort', pass)
    }
    const pass = () => {
      over()
      resolve('late')
      limit.abort()
    }
    const timer = clock.setTimeout(pass, ms)
    signal.addEventListener('abort', pass, { once: true })
    try {
      run(limit.signal).then(resolve, reject).finally(over)
    } catch (error) {
      over()
      reject(error)
    }
  })
}
