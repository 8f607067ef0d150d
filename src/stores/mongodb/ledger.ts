import type { Store } from '../../../actors/runtime/ports.ts'
import type { Ms } from '../../../machines/records.ts'
import { insertOnce } from './client.ts'
import type { ChangeDoc, Collections, LedgerDoc } from './collections.ts'
import { type Fence, notAfter } from './fence.ts'

/** What a change adds to a workspace's ledger, and the name that it goes by there. */
interface Booking {
  readonly name: string
  readonly by: Readonly<Record<string, number>>
}

/**
 * Credits and the free tier, without transactions. A change is noted first (`ledger_changes`), then booked by one update
 * of the workspace's ledger, which names it there, then noted as done, and last its name is taken from the ledger again.
 * So a change that was cut short anywhere is found: in the ledger when it was booked, in its note when it was done.
 * A booking is made on the version of the ledger that was read, and counts it up: one that arrives after its retry
 * changes nothing. Without a fence (payments come to any node) the version alone is the guard.
 */
export function ledgerOf({ ledger, changes }: Collections, fence: Fence | null): Store['ledger'] {
  const inTurn = turns()

  /** Books what `decide` makes of a ledger and the note of the change; nothing when that is `null`. */
  const book = (
    id: string,
    workspaceId: string,
    decide: (now: LedgerDoc, noted: ChangeDoc | null) => Booking | null,
  ): Promise<void> =>
    inTurn(workspaceId, async () => {
      const own = fence?.next().epoch ?? null
      for (;;) {
        const now = await ledger.findOne({ _id: workspaceId })
        const epoch = own ?? now?.epoch ?? 0
        if (now === null) {
          await insertOnce(ledger, { _id: workspaceId, credits: 0, free: {}, changes: [], version: 0, epoch })
          continue
        }
        if ((now.epoch ?? 0) > epoch) fence?.refuse()
        // After the ledger: a name that was taken from it before is noted as done.
        const decided = decide(now, await changes.findOne({ _id: id }))
        if (decided === null) return
        const asRead = { _id: workspaceId, version: now.version ?? { $exists: false }, ...notAfter(epoch) }
        const { matchedCount } = await ledger.updateOne(asRead as never, {
          $inc: { ...decided.by, version: 1 },
          $set: { epoch },
          $push: { changes: decided.name },
        })
        if (matchedCount > 0) return
      }
    })

  const note = (id: string, workspaceId: string, of: { month: string | null; at?: Ms }) =>
    insertOnce(changes, { _id: id, workspaceId, ...of, took: null, refunded: false })

  /** Notes that a change is done. From then on the ledger need not name it. */
  async function finish(id: string, workspaceId: string, name: string, fields: Partial<ChangeDoc>) {
    await changes.updateOne({ _id: id }, { $set: fields })
    await forget(workspaceId, name)
  }
  const forget = (workspaceId: string, name: string) =>
    ledger.updateOne({ _id: workspaceId, changes: name }, { $pull: { changes: name } })

  return {
    async get(workspaceId, month) {
      const kept = await ledger.findOne({ _id: workspaceId })
      return { freeUsed: kept?.free[month] ?? 0, credits: kept?.credits ?? 0 }
    },

    async charge({ taskId, workspaceId, month, freePerMonth }) {
      const id = `task:${taskId}`
      await note(id, workspaceId, { month })
      let before: Taken | null = null
      let taken: Taken | null = null
      await book(id, workspaceId, (now, noted) => {
        before = takenBy(now, taskId, noted)
        if (before) return null
        const free = (now.free[month] ?? 0) < freePerMonth
        taken = free || now.credits > 0 ? { took: free ? 'free' : 'credit', month } : null
        return taken && { name: nameOf(taskId, taken), by: free ? { [`free.${month}`]: 1 } : { credits: -1 } }
      })
      const done = before ?? (taken as Taken | null)
      if (!done) return 'uncovered'
      await finish(id, workspaceId, nameOf(taskId, done), done)
      return before ? 'already' : done.took
    },

    async refund(taskId) {
      const id = `task:${taskId}`
      const name = `refund:${taskId}`
      const { workspaceId } = (await changes.findOne({ _id: id })) ?? {}
      if (workspaceId === undefined) return
      let taken: Taken | null = null
      await book(id, workspaceId, (now, noted) => {
        taken = takenBy(now, taskId, noted)
        if (!taken || noted?.refunded || now.changes.includes(name)) return null
        return { name, by: taken.took === 'free' ? { [`free.${taken.month}`]: -1 } : { credits: 1 } }
      })
      const { took, month } = (taken as Taken | null) ?? {}
      if (!took || !month) return
      await finish(id, workspaceId, name, { took, month, refunded: true })
      await forget(workspaceId, nameOf(taskId, { took, month }))
    },

    async credit({ eventId, workspaceId, credits }) {
      const id = `event:${eventId}`
      await note(id, workspaceId, { month: null, at: Date.now() })
      let before = false
      await book(id, workspaceId, (now, noted) => {
        before = noted?.took === 'event' || now.changes.includes(id)
        return before ? null : { name: id, by: { credits } }
      })
      await finish(id, workspaceId, id, { took: 'event' })
      return before ? 'already' : 'applied'
    },

    async retire(before, limit) {
      if (limit < 1) return 0
      const old = await changes
        .find({ took: 'event', at: { $lt: before } })
        .sort({ at: 1 })
        .limit(limit)
        .toArray()
      if (old.length === 0) return 0
      return (await changes.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } })).deletedCount
    },
  }
}

/** What a task took: a free place of a month, or a credit. */
interface Taken {
  readonly took: 'free' | 'credit'
  readonly month: string
}

const nameOf = (taskId: string, { took, month }: Taken) => `${took}:${taskId}:${month}`

/** What a task took: as the note of its charge says, or as the ledger names it. */
function takenBy({ changes }: LedgerDoc, taskId: string, noted: ChangeDoc | null): Taken | null {
  const kept = noted?.took && noted.month ? [`${noted.took}:${taskId}:${noted.month}`] : []
  for (const change of [...kept, ...changes]) {
    const [took, task, month] = change.split(':')
    if (task === taskId && month !== undefined && (took === 'free' || took === 'credit')) return { took, month }
  }
  return null
}

/** Runs what has the same key one after the other. */
function turns(): <T>(key: string, run: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, run) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(run, run)
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}
