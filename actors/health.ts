import type { SnapshotFrom } from 'xstate'
import { type Address, parseAddress, serviceAddress } from '../machines/addresses.ts'
import { HEALTH_REASONS } from '../machines/failures.ts'
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
      : null
  return { ok: reason === null, reason }
}

/** [D14] Whether an actor failed more often than it may. */
export const gaveUp = (world: World, address: Address): boolean =>
  serviceOf(world)?.context.gaveUp.includes(address) ?? false
