import type { ActorSystem } from './runtime/actor-system.ts'

/** [T23] The id of the workspace's first key, or of the workspace itself if it has no keys. */
export async function payingKey(system: Pick<ActorSystem, 'ports'>, workspaceId: string): Promise<string> {
  const [first] = await system.ports.store.keys.list(workspaceId)
  return first?.id ?? workspaceId
}
