import type { Store } from '../../../actors/ports.ts'
import { LEDGER_CHANGES_REMEMBERED_MAX } from '../../../machines/limits.ts'
import { dayOf, UsageSums } from '../usage-sums.ts'
import { insertOnce } from './client.ts'
import type { ChangeDoc, Collections, LedgerDoc } from './collections.ts'

type Taken = 'free' | 'credit'

/** Usage records, summed when they are asked for. */
export function usageOf({ usage }: Collections): Store['usage'] {
  return {
    async record(record) {
      await insertOnce(usage, { _id: record.id, ...record })
    },
    async totals(workspaceId, since) {
      const sums = new UsageSums()
      for await (const record of usage.find({ workspaceId, at: { $gte: since } })) {
        sums.add(dayOf(record.at), record.model, record, record.taskRunId === null ? 0 : 1)
      }
      return sums.list()
    },
  }
}

/**
 * Credits and the free tier, without transactions: a change is applied by one guarded update of the workspace's ledger,
 * which names the change in the same write, and is noted as done in a document of its own afterwards. So a change that was
 * cut short is found in the ledger, and one of long ago in its document. Between the two, LEDGER_CHANGES_REMEMBERED_MAX
 * other changes of the same workspace would have to happen for it to be applied twice: a workspace starts ten tasks a minute.
 */
export function ledgerOf({ ledger, changes }: Collections): Store['ledger'] {
  const known = new Set<string>()
  async function ensure(workspaceId: string): Promise<void> {
    if (known.has(workspaceId)) return
    await insertOnce(ledger, { _id: workspaceId, credits: 0, free: {}, changes: [] })
    known.add(workspaceId)
  }

  /** Changes numbers of a ledger under the name of the change, unless it has one of these names, or the guard fails. */
  async function apply(workspaceId: string, name: string, names: string[], guard: object, by: Record<string, number>) {
    const { matchedCount } = await ledger.updateOne({ _id: workspaceId, changes: { $nin: names }, ...guard } as never, {
      $inc: by,
      $push: { changes: { $each: [name], $slice: -LEDGER_CHANGES_REMEMBERED_MAX } },
    })
    return matchedCount > 0
  }

  const done = (id: string, fields: Partial<ChangeDoc>) => changes.updateOne({ _id: id }, { $set: fields })

  async function take(charge: Parameters<Store['ledger']['charge']>[0]): Promise<Taken | 'already' | 'uncovered'> {
    const { taskId, workspaceId, month, freePerMonth } = charge
    const names = [`free:${taskId}`, `credit:${taskId}`]
    const free = `free.${month}`
    for (;;) {
      const some = freePerMonth > 0
      const underLimit = { [free]: { $not: { $gte: freePerMonth } } }
      if (some && (await apply(workspaceId, `free:${taskId}`, names, underLimit, { [free]: 1 }))) return 'free'
      const creditOnly = { credits: { $gt: 0 }, ...(some ? { [free]: { $gte: freePerMonth } } : {}) }
      if (await apply(workspaceId, `credit:${taskId}`, names, creditOnly, { credits: -1 })) return 'credit'
      const now = await ledger.findOne({ _id: workspaceId })
      if (takenBy(now, taskId)) return 'already'
      // Otherwise a place was given back between the two attempts.
      if (!now || (now.credits < 1 && (now.free[month] ?? 0) >= freePerMonth)) return 'uncovered'
    }
  }

  return {
    async get(workspaceId, month) {
      const kept = await ledger.findOne({ _id: workspaceId })
      return { freeUsed: kept?.free[month] ?? 0, credits: kept?.credits ?? 0 }
    },

    async charge(charge) {
      const { taskId, workspaceId, month } = charge
      const id = `task:${taskId}`
      const fresh = await insertOnce(changes, { _id: id, workspaceId, month, took: null, refunded: false })
      const change = fresh ? null : await changes.findOne({ _id: id })
      if (change?.took) return 'already'
      const cutShort = change && takenBy(await ledger.findOne({ _id: change.workspaceId }), taskId)
      if (cutShort) {
        await done(id, { took: cutShort })
        return 'already'
      }
      if (change && change.month !== month) await changes.updateOne({ _id: id, took: null }, { $set: { month } })
      await ensure(workspaceId)
      const took = await take(charge)
      if (took === 'free' || took === 'credit') await done(id, { took })
      return took
    },

    async refund(taskId) {
      const id = `task:${taskId}`
      const change = await changes.findOne({ _id: id })
      if (!change || change.refunded) return
      const { workspaceId, month } = change
      const took = change.took ?? takenBy(await ledger.findOne({ _id: workspaceId }), taskId)
      if (!took) return
      const name = `refund:${taskId}`
      await apply(workspaceId, name, [name], {}, took === 'free' ? { [`free.${month}`]: -1 } : { credits: 1 })
      await done(id, { took, refunded: true })
    },

    async credit({ eventId, workspaceId, credits }) {
      const id = `event:${eventId}`
      const fresh = await insertOnce(changes, { _id: id, workspaceId, month: null, took: null, refunded: false })
      if (!fresh && (await changes.findOne({ _id: id }))?.took) return 'already'
      await ensure(workspaceId)
      const applied = await apply(workspaceId, id, [id], {}, { credits })
      await done(id, { took: 'event' })
      return applied ? 'applied' : 'already'
    },
  }
}

/** What the ledger remembers to have given for a task. */
function takenBy(ledger: LedgerDoc | null, taskId: string): Taken | null {
  if (ledger?.changes.includes(`free:${taskId}`)) return 'free'
  return ledger?.changes.includes(`credit:${taskId}`) ? 'credit' : null
}
