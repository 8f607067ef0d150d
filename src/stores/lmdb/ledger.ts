import { createHash } from 'node:crypto'
import type { Store } from '../../../actors/runtime/ports.ts'
import type { Ms } from '../../../machines/records.ts'
import { NO_USAGE, type Usage, withUsage } from '../../../machines/usage.ts'
import { dayOf, UsageSums } from '../usage-sums.ts'
import type { LmdbFile } from './database.ts'
import { upwards } from './table.ts'
import type { Tables, UsageRow } from './tables.ts'

/** Usage records, summed when they are asked for. */
export function usageOf(file: LmdbFile, tables: Tables): Store['usage'] {
  return {
    async record(record) {
      const { id, workspaceId, at, model, taskRunId } = record
      await file.writeIf(tables.usage.absent(id), () => {
        tables.usage.put(id, record)
        tables.usageByTime.put([workspaceId, at, id], rowOf(model, record, taskRunId === null ? 0 : 1))
        if (taskRunId === null) tables.usageOfRequests.put([at, id], 1)
      })
    },
    async retire(before, limit) {
      const keys = await oldest(tables.usageOfRequests, before, limit)
      if (keys.length === 0) return 0
      const rollUp = usageRollUp(
        tables,
        keys.map(([, id]) => id),
      )
      await file.write(() => {
        rollUp()
        for (const key of keys) tables.usageOfRequests.remove(key)
      })
      return keys.length
    },
    async totals(workspaceId, since) {
      const sums = new UsageSums()
      const range = { ...upwards(workspaceId), from: [workspaceId, since] }
      for await (const { key, value } of tables.usageByTime.scan(range)) {
        const [model, , , , tasks] = value
        sums.add(dayOf((key as number[])[1] ?? 0), model, usageIn(value), tasks)
      }
      return sums.list()
    },
  }
}

/** The first keys of a table by time, at most `limit`. */
async function oldest(table: Tables['usageOfRequests'], before: Ms, limit: number): Promise<[Ms, string][]> {
  const keys: [Ms, string][] = []
  if (limit < 1) return keys
  for await (const { key } of table.scan({ from: [0], to: [before] })) {
    keys.push(key as [Ms, string])
    if (keys.length === limit) break
  }
  return keys
}

/**
 * Puts the sum of each day and model in place of the usage records with these ids: what a workspace used is known for
 * ever, and does not grow with its tasks. Gives what does it, within a write; nothing else may roll up meanwhile.
 */
export function usageRollUp(tables: Tables, ids: readonly string[]): () => void {
  const records = ids.flatMap((id) => tables.usage.get(id) ?? [])
  const sums = new Map<string, { key: [string, number, string]; row: UsageRow }>()
  for (const record of records) {
    const { workspaceId, at, model, taskRunId } = record
    const key: [string, number, string] = [workspaceId, dayOf(at), `sum ${hashOf(model)}`]
    const name = key.join(' ')
    const before = sums.get(name)?.row ?? tables.usageByTime.get(key) ?? rowOf(model, NO_USAGE, 0)
    const tasks = before[4] + (taskRunId === null ? 0 : 1)
    sums.set(name, { key, row: rowOf(model, withUsage(usageIn(before), record), tasks) })
  }
  return () => {
    for (const { key, row } of sums.values()) tables.usageByTime.put(key, row)
    for (const { id, workspaceId, at } of records) {
      tables.usageByTime.remove([workspaceId, at, id])
      tables.usage.remove(id)
    }
  }
}

const rowOf = (model: string, usage: Usage, tasks: number): UsageRow => {
  const { inputTokens, outputTokens, apiCalls, cachedTokens = 0, cacheWriteTokens = 0 } = usage
  return [model, inputTokens, outputTokens, apiCalls, tasks, cachedTokens, cacheWriteTokens]
}

const usageIn = ([
  ,
  inputTokens,
  outputTokens,
  apiCalls,
  ,
  cachedTokens = 0,
  cacheWriteTokens = 0,
]: UsageRow): Usage => ({
  inputTokens,
  outputTokens,
  apiCalls,
  cachedTokens,
  cacheWriteTokens,
})

/** A model's name may be longer than a key. */
const hashOf = (model: string) => createHash('sha256').update(model).digest('hex').slice(0, 16)

/** Credits and the free tier. A transaction sees what every earlier one did, in any process. */
export function ledgerOf(file: LmdbFile, tables: Tables): Store['ledger'] {
  const creditsOf = (workspaceId: string) => tables.credits.get(workspaceId) ?? 0
  const freeUsedOf = (workspaceId: string, month: string) => tables.freeUsed.get([workspaceId, month]) ?? 0
  return {
    get: async (workspaceId, month) => ({ freeUsed: freeUsedOf(workspaceId, month), credits: creditsOf(workspaceId) }),

    charge: ({ taskId, workspaceId, month, freePerMonth }) =>
      file.transact(() => {
        if (tables.charges.has(taskId)) return 'already'
        const used = freeUsedOf(workspaceId, month)
        const credits = creditsOf(workspaceId)
        const took = used < freePerMonth ? 'free' : 'credit'
        if (took === 'credit' && credits < 1) return 'uncovered'
        if (took === 'free') tables.freeUsed.put([workspaceId, month], used + 1)
        else tables.credits.put(workspaceId, credits - 1)
        tables.charges.put(taskId, { workspaceId, month, took, refunded: false })
        return took
      }),

    refund: (taskId) =>
      file.transact(() => {
        const charge = tables.charges.get(taskId)
        if (!charge || charge.refunded) return
        const { workspaceId, month } = charge
        if (charge.took === 'free') tables.freeUsed.put([workspaceId, month], freeUsedOf(workspaceId, month) - 1)
        else tables.credits.put(workspaceId, creditsOf(workspaceId) + 1)
        tables.charges.put(taskId, { ...charge, refunded: true })
      }),

    credit: ({ eventId, workspaceId, credits }) =>
      file.transact(() => {
        if (tables.creditEvents.has(eventId)) return 'already'
        tables.credits.put(workspaceId, creditsOf(workspaceId) + credits)
        tables.creditEvents.put(eventId, 1)
        tables.creditEventsByTime.put([Date.now(), eventId], 1)
        return 'applied'
      }),

    async retire(before, limit) {
      const keys = await oldest(tables.creditEventsByTime, before, limit)
      if (keys.length === 0) return 0
      await file.write(() => {
        for (const key of keys) {
          tables.creditEvents.remove(key[1])
          tables.creditEventsByTime.remove(key)
        }
      })
      return keys.length
    },
  }
}
