import { createHash } from 'node:crypto'
import type { Store } from '../../../actors/ports.ts'
import { dayOf, UsageSums } from '../usage-sums.ts'
import type { LmdbFile } from './database.ts'
import { upwards } from './table.ts'
import type { Tables, UsageRow } from './tables.ts'

/** Usage records, summed when they are asked for. */
export function usageOf(file: LmdbFile, tables: Tables): Store['usage'] {
  return {
    async record(record) {
      const { id, workspaceId, at, model, inputTokens, outputTokens, apiCalls } = record
      await file.writeIf(tables.usage.absent(id), () => {
        tables.usage.put(id, record)
        const sums = [model, inputTokens, outputTokens, apiCalls, record.taskRunId === null ? 0 : 1] as const
        tables.usageByTime.put([workspaceId, at, id], sums)
      })
    },
    async totals(workspaceId, since) {
      const sums = new UsageSums()
      const range = { ...upwards(workspaceId), from: [workspaceId, since] }
      for await (const { key, value } of tables.usageByTime.scan(range)) {
        const [model, inputTokens, outputTokens, apiCalls, tasks] = value
        sums.add(dayOf((key as number[])[1] ?? 0), model, { inputTokens, outputTokens, apiCalls }, tasks)
      }
      return sums.list()
    },
  }
}

/**
 * Puts the sum of each day and model in place of the usage records with these ids: what a workspace used is known for
 * ever, and does not grow with its tasks. Gives what does it, within a write; nothing else may roll up meanwhile.
 */
export function usageRollUp(tables: Tables, ids: readonly string[]): () => void {
  const records = ids.flatMap((id) => tables.usage.get(id) ?? [])
  const sums = new Map<string, { key: [string, number, string]; row: UsageRow }>()
  for (const { workspaceId, at, model, inputTokens, outputTokens, apiCalls, taskRunId } of records) {
    const key: [string, number, string] = [workspaceId, dayOf(at), `sum ${hashOf(model)}`]
    const name = key.join(' ')
    const [, input, output, calls, tasks] = sums.get(name)?.row ?? tables.usageByTime.get(key) ?? [model, 0, 0, 0, 0]
    const count = tasks + (taskRunId === null ? 0 : 1)
    sums.set(name, { key, row: [model, input + inputTokens, output + outputTokens, calls + apiCalls, count] })
  }
  return () => {
    for (const { key, row } of sums.values()) tables.usageByTime.put(key, row)
    for (const { id, workspaceId, at } of records) {
      tables.usageByTime.remove([workspaceId, at, id])
      tables.usage.remove(id)
    }
  }
}

/** A model's name may be longer than a key. */
const hashOf = (model: string) => createHash('sha256').update(model).digest('hex').slice(0, 16)

/** Credits and the free tier. A transaction sees what every earlier one did, in any process. */
export function ledgerOf(file: LmdbFile, tables: Tables): Store['ledger'] {
  const creditsOf = (workspaceId: string) => tables.credits.get(workspaceId) ?? 0
  const freeUsedOf = (workspaceId: string, month: string) => tables.freeUsed.get([workspaceId, month]) ?? 0
  return {
    get: (workspaceId, month) => ({ freeUsed: freeUsedOf(workspaceId, month), credits: creditsOf(workspaceId) }),

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
        return 'applied'
      }),
  }
}
