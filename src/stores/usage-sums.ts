import type { UsageTotal } from '../../actors/runtime/ports.ts'
import { DAY_MS } from '../../machines/limits.ts'
import type { Ms, Usage } from '../../machines/records.ts'
import { NO_USAGE, withUsage } from '../../machines/usage.ts'

/** The UTC midnight at or before. */
export const dayOf = (at: Ms): Ms => Math.floor(at / DAY_MS) * DAY_MS

/** Adds usage up by day and model. */
export class UsageSums {
  readonly #sums = new Map<string, UsageTotal>()

  add(day: Ms, model: string, usage: Usage, tasks: number): void {
    const key = `${day} ${model}`
    const sum = this.#sums.get(key)
    this.#sums.set(key, {
      day,
      model,
      tasks: (sum?.tasks ?? 0) + tasks,
      ...withUsage(sum ?? NO_USAGE, usage),
    })
  }

  /** By day, then model. */
  list(): UsageTotal[] {
    return [...this.#sums.values()].sort((a, b) => a.day - b.day || (a.model < b.model ? -1 : 1))
  }
}
