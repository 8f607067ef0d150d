import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { Test } from './contract.ts'

export function limitsContract(test: Test): void {
  test('[O9] limits of a workspace are replaced as a whole, seen by others, and gone when none are set', async ({
    store,
    other,
    seen,
  }) => {
    const [workspaceId, unset] = [randomUUID(), randomUUID()]
    const ofAll = async () => {
      for await (const each of seen.limits.all()) if (each.workspaceId === workspaceId) return each.limits
      return null
    }
    assert.equal([await store.limits.get(unset), await ofAll()], [{}, null])
    await store.limits.put(workspaceId, { runningTasks: 0, maxCostUsdMax: 0.5 })
    assert.equal(await seen.limits.get(workspaceId), { runningTasks: 0, maxCostUsdMax: 0.5 })
    await other.limits.put(workspaceId, { startsPerMinute: 100 })
    assert.equal(
      [await seen.limits.get(workspaceId), await ofAll()],
      [{ startsPerMinute: 100 }, { startsPerMinute: 100 }],
    )
    await store.limits.put(workspaceId, {})
    await store.limits.put(unset, {})
    assert.equal([await seen.limits.get(workspaceId), await ofAll()], [{}, null])
  })
}
