import type { Store } from '../../../actors/runtime/ports.ts'
import type { SetLimits } from '../../../machines/workspace-limits.ts'
import type { Driver } from '../port.ts'
import { LIMITS, type LimitsRow } from '../tables.ts'

/** [O9] Limits of workspaces. */
export function limitsOf(driver: Driver): Store['limits'] {
  const change = (workspaceId: string, next: (kept: LimitsRow) => LimitsRow) =>
    driver.transact(async (tx) => tx.put(LIMITS, next((await tx.get(LIMITS, workspaceId)) ?? { workspaceId })))
  return {
    get: async (workspaceId) => limitsIn(await driver.get(LIMITS, workspaceId)),
    put: (workspaceId, { own, ...set }) => change(workspaceId, (kept) => ({ ...kept, set, ...(own ? { own } : {}) })),
    putOwn: (workspaceId, own) => change(workspaceId, (kept) => ({ ...kept, own })),
    async *all() {
      for await (const row of driver.range(LIMITS, null)) {
        const limits = limitsIn(row)
        if (Object.keys(limits).length > 0) yield { workspaceId: row.workspaceId, limits }
      }
    },
  }
}

const limitsIn = (row: LimitsRow | null): SetLimits => {
  const { set = {}, own = {} } = row ?? {}
  return Object.keys(own).length > 0 ? { ...set, own } : { ...set }
}
