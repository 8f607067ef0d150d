import { parseAddress } from '../../../machines/addresses.ts'
import { shardOf } from '../../../machines/placement.ts'
import type { Driver } from '../port.ts'
import { ACTORS, type ActorKept, TASKS } from '../tables.ts'

/** Rows that one process wrote for itself get their shards. */
export async function assignShards(driver: Driver): Promise<void> {
  for await (const row of driver.range(ACTORS, null)) {
    if (row.shard !== undefined) continue
    const workspaceId = workspaceIn(row) ?? (await driver.get(TASKS, parseAddress(row.address).id))?.workspaceId
    await driver.patch(ACTORS, [row.address], { shard: workspaceId === undefined ? 0 : shardOf(workspaceId) })
  }
}

function workspaceIn({ address, snapshot }: ActorKept): string | undefined {
  const { actorKind, id } = parseAddress(address)
  if (actorKind === 'workspace') return id
  return (snapshot as { context?: { workspaceId?: string } } | null)?.context?.workspaceId
}
