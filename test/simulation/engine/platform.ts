import { Random } from '../random.ts'
import type { Scheduler } from './scheduler.ts'
import { Violation } from './trace.ts'

/**
 * Runs something with nothing of the platform's own time and chance in reach: they would differ from run to run. A
 * promise that is rejected and handled by nobody is a breach, too.
 */
export async function onlySimulated<T>(scheduler: Scheduler, run: () => Promise<T>): Promise<T> {
  const real = { setTimeout, setInterval, setImmediate, Date, random: Math.random }
  const chance = new Random(1)
  const wrong: string[] = []
  const forbidden = (name: string) => () => {
    wrong.push(`${name} of the platform was used: ${new Error(name).stack}`)
    throw new Error(`${name} is not simulated`)
  }
  const rejected = (reason: unknown) => {
    wrong.push(`a promise was rejected and nobody heard: ${reason instanceof Error ? reason.stack : reason}`)
  }
  process.on('unhandledRejection', rejected)
  Object.assign(globalThis, {
    setTimeout: forbidden('setTimeout'),
    setInterval: forbidden('setInterval'),
    setImmediate: forbidden('setImmediate'),
    Date: dateOf(() => Math.floor(scheduler.time)),
  })
  Math.random = () => chance.unit()
  try {
    const result = await run()
    if (wrong[0] !== undefined) throw new Violation(wrong[0])
    return result
  } catch (error) {
    throw wrong[0] === undefined ? error : new Violation(`${wrong[0]}\n${error}`)
  } finally {
    const { random, ...others } = real
    Object.assign(globalThis, others)
    Math.random = random
    process.off('unhandledRejection', rejected)
  }
}

/** `Date` with a clock of its own. */
function dateOf(now: () => number): DateConstructor {
  const simulated = class extends Date {
    constructor(...given: [] | [number]) {
      super(...((given.length > 0 ? given : [now()]) as [number]))
    }
    static override now = now
  }
  Object.defineProperty(simulated, 'name', { value: 'Date' })
  return simulated as unknown as DateConstructor
}
