import { createHash } from 'node:crypto'
import type { Store } from '../../../actors/runtime/ports.ts'
import type { Ms, UsageRecord } from '../../../machines/records.ts'
import { NO_USAGE, type Usage, withUsage } from '../../../machines/usage.ts'
import { dayOf, UsageSums } from '../usage-sums.ts'
import { insertOnce } from './client.ts'
import type { Collections, Fenced } from './collections.ts'
import { type Fence, notAfter } from './fence.ts'

/** What a workspace used of a model on a day, of records that are removed. */
export interface UsageSumDoc extends Fenced, Usage {
  /** `<workspace>:<day>:<hash of the model>` */
  _id: string
  workspaceId: string
  /** Midnight. */
  at: Ms
  model: string
  /** How many records were a task's. */
  tasks: number
  /** The records that it took last. */
  added: string[]
  version: number
}

/** Usage records, summed when they are asked for. */
export function usageOf(all: Collections, fence: Fence): Store['usage'] {
  const { usage, usageSums } = all
  const rolledUp = (workspaceId: string, since: Ms) => usageSums.find({ workspaceId, at: { $gte: since } }).toArray()
  const versions = (docs: readonly UsageSumDoc[]) => docs.map(({ _id, version }) => `${_id} ${version}`).sort()
  return {
    async record(record) {
      await insertOnce(usage, { _id: record.id, ...record })
    },
    async totals(workspaceId, since) {
      for (;;) {
        const kept = await rolledUp(workspaceId, since)
        const added = new Set(kept.flatMap((sum) => sum.added))
        const sums = new UsageSums()
        for (const sum of kept) sums.add(sum.at, sum.model, sum, sum.tasks)
        for await (const record of usage.find({ workspaceId, at: { $gte: since } })) {
          if (!added.has(record.id)) sums.add(dayOf(record.at), record.model, record, record.taskRunId === null ? 0 : 1)
        }
        // Nothing was rolled up between the two reads.
        const now = await rolledUp(workspaceId, since)
        if (String(versions(now)) === String(versions(kept))) return sums.list()
      }
    },
    async retire(before, limit) {
      if (limit < 1) return 0
      const old = { taskRunId: null, at: { $lt: before } }
      const records = await usage.find(old).sort({ at: 1 }).limit(limit).toArray()
      await rollUp(all, fence, records)
      return records.length
    },
  }
}

/**
 * Puts the sum of each day and model in place of usage records: what a workspace used is known for ever, and does not grow
 * with its tasks. A sum names the records that it took last, until it takes others: those count no more, whether or not
 * they are removed yet, so a roll-up that is cut short anywhere neither loses nor doubles one.
 */
export async function rollUp({ usage, usageSums }: Collections, fence: Fence, records: readonly UsageRecord[]) {
  const { epoch } = fence.next()
  const bySum = new Map<string, UsageRecord[]>()
  for (const record of records) {
    const id = `${record.workspaceId}:${dayOf(record.at)}:${hashOf(record.model)}`
    bySum.set(id, [...(bySum.get(id) ?? []), record])
  }
  for (const [_id, own] of bySum) {
    const [{ workspaceId, at, model }] = own as [UsageRecord]
    for (;;) {
      const sum = await usageSums.findOne({ _id })
      if (sum === null) {
        const none = { ...NO_USAGE, tasks: 0, added: [], version: 0, epoch }
        await insertOnce(usageSums, { _id, workspaceId, at: dayOf(at), model, ...none })
        continue
      }
      if ((sum.epoch ?? 0) > epoch) fence.refuse()
      await usage.deleteMany({ _id: { $in: sum.added } })
      const left = own.filter(({ id }) => !sum.added.includes(id))
      if (left.length === 0) break
      const tasks = sum.tasks + left.filter(({ taskRunId }) => taskRunId !== null).length
      const added = left.map(({ id }) => id)
      const next = {
        ...left.reduce(withUsage, withUsage(sum, NO_USAGE)),
        tasks,
        added,
        version: sum.version + 1,
        epoch,
      }
      const { matchedCount } = await usageSums.updateOne(
        { _id, version: sum.version, ...notAfter(epoch) } as never,
        { $set: next } as never,
      )
      if (matchedCount === 0) continue
      await usage.deleteMany({ _id: { $in: added } })
      break
    }
  }
}

/** A model's name may have any length. */
const hashOf = (model: string) => createHash('sha256').update(model).digest('hex').slice(0, 16)
