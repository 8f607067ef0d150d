import type { UsageParts, UsageTotal } from '../../actors/runtime/ports.ts'
import { DAY_MS } from '../../machines/limits.ts'
import type { Ms, Usage } from '../../machines/records.ts'
import { NO_USAGE, withUsage } from '../../machines/usage.ts'

/** The UTC midnight at or before. */
export const dayOf = (at: Ms): Ms => Math.floor(at / DAY_MS) * DAY_MS

/** Adds usage up by day, model, and whatever else is given to tell it apart. */
export class UsageSums {
  readonly #sums = new Map<string, UsageTotal>()

  add(day: Ms, model: string, usage: Usage, tasks: number, parts: UsageParts = {}): void {
    const key = JSON.stringify([day, model, parts])
    const sum = this.#sums.get(key)
    this.#sums.set(key, {
      day,
      model,
      ...parts,
      tasks: (sum?.tasks ?? 0) + tasks,
      ...withUsage(sum ?? NO_USAGE, usage),
    })
  }

  /** By day, then model, then key and outcome. */
  list(): UsageTotal[] {
    const rest = ({ model, keyId, outcome }: UsageTotal) => JSON.stringify([model, keyId, outcome])
    return [...this.#sums.values()].sort((a, b) => a.day - b.day || (rest(a) < rest(b) ? -1 : 1))
  }
}
