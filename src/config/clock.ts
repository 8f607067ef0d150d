import type { Clock } from '../../actors/runtime/ports.ts'

/** A longer delay of the platform's timer fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1

interface Timer {
  handle: NodeJS.Timeout
}

/** The machine's own time. Delays of any length hold; a timer alone does not keep the process. */
export const systemClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(fn, ms) {
    if (ms <= TIMER_MS_MAX) return setTimeout(fn, ms)
    const timer: Timer = { handle: setTimeout(() => again(), TIMER_MS_MAX) }
    let left = ms - TIMER_MS_MAX
    const again = () => {
      const wait = Math.min(left, TIMER_MS_MAX)
      left -= wait
      timer.handle = setTimeout(left > 0 ? again : fn, wait)
    }
    return timer
  },
  clearTimeout(id) {
    clearTimeout(id && typeof id === 'object' && 'handle' in id ? (id as Timer).handle : (id as NodeJS.Timeout))
  },
} satisfies Clock
