import type { Store } from '../../../actors/runtime/ports.ts'
import { type Driver, removeEach, type Transaction } from '../port.ts'
import { CHANGES, LEDGER, type LedgerRow } from '../tables.ts'

/** Credits and the free tier. */
export function ledgerOf(driver: Driver): Store['ledger'] {
  const read = async (reader: Pick<Transaction, 'get'>, workspaceId: string): Promise<LedgerRow> =>
    (await reader.get(LEDGER, workspaceId)) ?? { workspaceId, credits: 0, free: {} }
  const withFree = (row: LedgerRow, month: string, by: number) => ({
    ...row,
    free: { ...row.free, [month]: (row.free[month] ?? 0) + by },
  })
  return {
    async get(workspaceId, month) {
      const { free, credits } = await read(driver, workspaceId)
      return { freeUsed: free[month] ?? 0, credits }
    },

    charge: ({ taskId, workspaceId, month, freePerMonth }) =>
      driver.transact(async (tx) => {
        const id = `task:${taskId}`
        if (await tx.get(CHANGES, id)) return 'already'
        const row = await read(tx, workspaceId)
        const took = (row.free[month] ?? 0) < freePerMonth ? 'free' : 'credit'
        if (took === 'credit' && row.credits < 1) return 'uncovered'
        tx.put(LEDGER, took === 'free' ? withFree(row, month, 1) : { ...row, credits: row.credits - 1 })
        tx.put(CHANGES, { id, workspaceId, month, took, refunded: false })
        return took
      }),

    refund: (taskId) =>
      driver.transact(async (tx) => {
        const change = await tx.get(CHANGES, `task:${taskId}`)
        if (!change || change.refunded || change.month === null) return
        const row = await read(tx, change.workspaceId)
        tx.put(LEDGER, change.took === 'free' ? withFree(row, change.month, -1) : { ...row, credits: row.credits + 1 })
        tx.put(CHANGES, { ...change, refunded: true })
      }),

    credit: ({ eventId, workspaceId, credits }) =>
      driver.transact(async (tx) => {
        const id = `event:${eventId}`
        if (await tx.get(CHANGES, id)) return 'already'
        const row = await read(tx, workspaceId)
        tx.put(LEDGER, { ...row, credits: row.credits + credits })
        tx.put(CHANGES, { id, workspaceId, month: null, took: 'event', refunded: false, at: Date.now() })
        return 'applied'
      }),

    retire: (before, limit) => removeEach(driver, CHANGES, driver.keys(CHANGES, 'payments', { to: before, limit })),
  }
}
