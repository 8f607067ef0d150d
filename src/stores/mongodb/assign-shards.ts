import { parseAddress } from '../../../machines/addresses.ts'
import { shardOf } from '../../../machines/placement.ts'
import type { ActorDoc, Collections } from './collections.ts'

/** Rows and running tasks that one process wrote for itself get their shards. */
export async function assignShards({ actors, tasks }: Collections): Promise<void> {
  const unassigned = { shard: { $exists: false } }
  for await (const { _id, workspaceId } of tasks.find({ status: 'running', ...unassigned })) {
    await tasks.updateOne({ _id }, { $set: { shard: shardOf(workspaceId) } })
  }
  for await (const row of actors.find({ snapshot: { $exists: true }, ...unassigned })) {
    const workspaceId = workspaceIn(row) ?? (await tasks.findOne({ _id: parseAddress(row._id).id }))?.workspaceId
    await actors.updateOne({ _id: row._id }, { $set: { shard: workspaceId === undefined ? 0 : shardOf(workspaceId) } })
  }
}

function workspaceIn({ _id, snapshot }: ActorDoc): string | undefined {
  const { actorKind, id } = parseAddress(_id)
  if (actorKind === 'workspace') return id
  return (JSON.parse(snapshot) as { context?: { workspaceId?: string } } | null)?.context?.workspaceId
}
