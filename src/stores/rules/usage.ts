import { createHash } from 'node:crypto'
import type { Store, UsageParts, UsageTotal } from '../../../actors/runtime/ports.ts'
import { DAY_MS } from '../../../machines/limits.ts'
import type { Ms, Usage, UsageRecord } from '../../../machines/records.ts'
import { NO_USAGE, withUsage } from '../../../machines/usage.ts'
import { collected, type Driver, insertOnce, type Transaction } from '../port.ts'
import { USAGE, USAGE_SUMS, type UsageSum } from '../tables.ts'

/** Usage records, summed when they are asked for. */
export const usageOf = (driver: Driver): Store['usage'] => ({
  async record(record) {
    await insertOnce(driver, (tx) => tx.insert(USAGE, record))
  },
  async totals(workspaceId, since, by = []) {
    const sums = new UsageSums()
    const partsOf = ({ apiKeyId, outcome }: Partial<Pick<UsageRecord, 'apiKeyId' | 'outcome'>>) => ({
      ...(by.includes('key') ? { keyId: apiKeyId ?? null } : {}),
      ...(by.includes('outcome') ? { outcome: outcome ?? null } : {}),
    })
    const range = { of: [workspaceId], from: since }
    for await (const { at, model, tasks, ...usage } of driver.range(USAGE_SUMS, 'by-age', range))
      sums.add(at, model, usage, tasks, partsOf(usage))
    for await (const record of driver.range(USAGE, 'by-age', range))
      sums.add(dayOf(record.at), record.model, record, record.taskRunId === null ? 0 : 1, partsOf(record))
    return sums.list()
  },
  async retire(before, limit) {
    const old = await collected(driver.range(USAGE, 'of-requests', { to: before, limit }))
    await driver.transact(async (tx) => rollUp(tx, await Promise.all(old.map(({ id }) => tx.get(USAGE, id)))))
    return old.length
  },
})

/**
 * Puts the sum of each day, model, key and outcome in place of usage records: what a workspace used is known for ever, and does not grow
 * with its tasks.
 */
export async function rollUp(tx: Transaction, records: readonly (UsageRecord | null)[]): Promise<void> {
  const sums = new Map<string, UsageSum>()
  for (const record of records) {
    if (record === null) continue
    const { workspaceId, model, taskRunId, apiKeyId, outcome } = record
    const at = dayOf(record.at)
    const id = `${workspaceId}:${at}:${hashOf(JSON.stringify([model, apiKeyId, outcome]))}`
    const sum = { id, workspaceId, at, model, apiKeyId, ...(outcome === undefined ? {} : { outcome }) }
    const before = sums.get(id) ?? (await tx.get(USAGE_SUMS, id)) ?? { ...NO_USAGE, ...sum, tasks: 0 }
    const tasks = before.tasks + (taskRunId === null ? 0 : 1)
    sums.set(id, { ...withUsage(before, record), ...sum, tasks })
    tx.remove(USAGE, record.id)
  }
  for (const sum of sums.values()) tx.put(USAGE_SUMS, sum)
}

/** A model's name may have any length. */
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** The UTC midnight at or before. */
const dayOf = (at: Ms): Ms => Math.floor(at / DAY_MS) * DAY_MS

/** Adds usage up by day, model, and whatever else is given to tell it apart. */
class UsageSums {
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
