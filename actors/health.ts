import type { SnapshotFrom } from 'xstate'
import { type Address, parseAddress, serviceAddress } from '../machines/addresses.ts'
import { HEALTH_REASONS } from '../machines/failures.ts'
import { COMMITS_FAILING_MS_MAX } from '../machines/limits.ts'
import type { serviceMachine } from '../machines/service.ts'
import type { Health } from './front.ts'
import type { World } from './world.ts'

const serviceOf = ({ registry }: World) =>
  registry.snapshot(serviceAddress) as SnapshotFrom<typeof serviceMachine> | undefined

/** Why the service cannot do its work; store, relay and disk are asked elsewhere. */
export function health(world: World): Health {
  const service = serviceOf(world)
  const parts = service?.context.gaveUp.map((address) => parseAddress(address).noun) ?? []
  const reason = !service?.hasTag('admitting')
    ? service?.matches('starting')
      ? HEALTH_REASONS.starting
      : HEALTH_REASONS.stopping
    : parts.length > 0
      ? HEALTH_REASONS.gaveUp(parts)
      : failsToCommit(world)
        ? HEALTH_REASONS.notSaved
        : null
  return { ok: reason === null, reason }
}

/** [H8] Commits have failed for so long that it is no hiccup. */
function failsToCommit({ keeper, ports }: World): boolean {
  const { failingSince } = keeper
  return failingSince !== null && ports.clock.now() - failingSince >= COMMITS_FAILING_MS_MAX
}

/** [D14] Whether an actor failed more often than it may. */
export const gaveUp = (world: World, address: Address): boolean =>
  serviceOf(world)?.context.gaveUp.includes(address) ?? false
