import { parseAddress, workspaceAddress } from '../machines/addresses.ts'
import { type WorkspaceLimits, withDefaults } from '../machines/workspace-limits.ts'
import type { WorkspaceContext } from '../machines/workspace-types.ts'
import type { ActorSystem } from './runtime/actor-system.ts'

/** [O9] Reads the current limits of a workspace, and sends them to its actor if they have changed. */
export async function readLimits(system: ActorSystem, workspaceId: string): Promise<WorkspaceLimits> {
  const limits = withDefaults(await system.ports.store.limits.get(workspaceId))
  learn(system, workspaceId, limits)
  return limits
}

/** For workspaces with a queue: while starts wait for a slot or for the rate limit, nothing else reads the limits. */
export async function refreshLimits(system: ActorSystem): Promise<void> {
  for (const { address } of [...system.registry.list()]) {
    const { actorKind, id } = parseAddress(address)
    if (actorKind !== 'workspace') continue
    const known = system.registry.snapshot(address)?.context as WorkspaceContext | undefined
    if (known && known.queue.starts.length > 0) await readLimits(system, id)
  }
}

function learn({ registry }: ActorSystem, workspaceId: string, limits: WorkspaceLimits): void {
  const address = workspaceAddress(workspaceId)
  const known = registry.snapshot(address)?.context as WorkspaceContext | undefined
  const names = Object.keys(limits) as (keyof WorkspaceLimits)[]
  if (known && names.some((name) => known.limits[name] !== limits[name]))
    registry.post(address, { type: 'limits.changed', limits })
}
