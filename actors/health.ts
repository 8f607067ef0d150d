import type { SnapshotFrom } from 'xstate'
import { type Address, parseAddress, serviceAddress } from '../machines/addresses.ts'
import { HEALTH_REASONS } from '../machines/failures.ts'
import type { serviceMachine } from '../machines/service.ts'
import { COMMITS_FAILING_MS_MAX } from './limits.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import type { Health } from './task-service.ts'

const serviceOf = ({ registry }: ActorSystem) =>
  registry.snapshot(serviceAddress) as SnapshotFrom<typeof serviceMachine> | undefined

/** [H8] Why the actors do not work, if they do not; store and relay are checked elsewhere. */
export function health(system: ActorSystem): Health {
  const service = serviceOf(system)
  const parts = service?.context.gaveUp.map((address) => parseAddress(address).actorKind) ?? []
  const reason = !service?.hasTag('admitting')
    ? service?.matches('starting')
      ? HEALTH_REASONS.starting
      : HEALTH_REASONS.stopping
    : parts.length > 0
      ? HEALTH_REASONS.gaveUp(parts)
      : failsToCommit(system)
        ? HEALTH_REASONS.notSaved
        : null
  return { ok: reason === null, reason }
}

/** [H8] Commits have failed for longer than a passing problem lasts. */
function failsToCommit({ snapshotWriter, ports }: ActorSystem): boolean {
  const { failingSince } = snapshotWriter
  return failingSince !== null && ports.clock.now() - failingSince >= COMMITS_FAILING_MS_MAX
}

/** [D14] Whether an actor failed more often than it may. */
export const gaveUp = (system: ActorSystem, address: Address): boolean =>
  serviceOf(system)?.context.gaveUp.includes(address) ?? false
