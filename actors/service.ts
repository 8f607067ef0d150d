import type { SnapshotFrom } from 'xstate'
import { type ActorKind, type Address, closingAddress, parseAddress, serviceAddress } from '../machines/addresses.ts'
import { serviceMachine } from '../machines/service.ts'
import { HEALTH_REASONS } from '../machines/texts.ts'
import { COMMITS_FAILING_MS_MAX } from './limits.ts'
import { isQueued } from './queue.ts'
import type { ActorSystem, Messages } from './runtime/actor-system.ts'
import { answering } from './runtime/effects.ts'
import { recover } from './runtime/recovery.ts'
import type { Health } from './task-service.ts'
import { webhooksAnswered } from './webhook-calls.ts'
import { reopenWorkspace } from './workspace.ts'

/** Runs the service: restores what was saved, and on a stop ends every running task. */
export const serviceActor = (system: ActorSystem) => {
  const { clock, log } = system.ports
  return serviceMachine.provide({
    actors: {
      recover: answering<undefined>(system.registry, async () => {
        const { resume, ...recovered } = await recover(system)
        await system.webhooks.start()
        if (recovered.tasks + recovered.closings + recovered.closed > 0)
          log.info(recovered, 'Went on with what was kept')
        resume()
        return { type: 'service.recovered', at: clock.now() }
      }),
      drain: answering<undefined>(system.registry, async () => {
        await drain(system)
        return { type: 'service.drained', at: clock.now() }
      }),
    },
    actions: {
      restart: (_, failed) => {
        const { actorKind, id } = parseAddress(failed.address)
        if (failed.gaveUp) system.ports.log.error({ address: failed.address, err: failed.message }, 'An actor gave up')
        if (actorKind === 'workspace') reopenWorkspace(system, id, failed)
      },
    },
  })
}

/** [T31, D10] Ends every running task with `Task interrupted by server shutdown.` and waits for their final writes. */
async function drain(system: ActorSystem): Promise<void> {
  // [T59] What is queued stays queued.
  for (const address of addresses(system, 'workspace')) system.registry.post(address, { type: 'workspace.stop' })
  // Starts that were under way are decided; new ones are refused already. What follows is outside of the delivery that
  // began this: a post made within one would be carried out only after it.
  await Promise.all([...system.starts.values()].map(({ over }) => over))
  const at = system.ports.clock.now()
  const tasks = addresses(system, 'task').filter((address) => !isQueued(system, parseAddress(address).id))
  for (const address of tasks) system.registry.post(address, { type: 'task.shutdown', at })
  const closings = [
    ...addresses(system, 'closing'),
    ...tasks.map((address) => closingAddress(parseAddress(address).id)),
  ]
  await Promise.all(closings.map((address) => system.registry.until(address, (closing) => closing.hasTag('written'))))
  await system.snapshotWriter.barrier()
  // [D10] Webhooks that are not answered by the limit are kept: the next process calls them again.
  await Promise.all(closings.map((address) => system.registry.whenDone(address)))
  await webhooksAnswered(system)
  await system.snapshotWriter.barrier()
}

const addresses = (system: ActorSystem, actorKind: ActorKind): Address[] =>
  [...system.registry.list()].flatMap(({ address }) => (parseAddress(address).actorKind === actorKind ? [address] : []))

/** Resolves when all saved actors are restored; rejects with the reason if the service stops before. */
export async function recovered({ registry }: Pick<Messages, 'registry'>): Promise<void> {
  const stopped = registry.whenDone(serviceAddress)
  const recovered = registry.until(serviceAddress, (service) => service.hasTag('admitting')).then(() => null)
  const output = await Promise.race([recovered, stopped])
  if (registry.has(serviceAddress)) return
  throw new Error((output as { failure: string | null } | null)?.failure ?? 'The service stopped')
}

const serviceOf = ({ registry }: Pick<Messages, 'registry'>) =>
  registry.snapshot(serviceAddress) as SnapshotFrom<typeof serviceMachine> | undefined

/** [H8] Why the actors do not work, if they do not; store and relay are checked elsewhere. */
export function health(system: Pick<ActorSystem, 'registry' | 'snapshotWriter' | 'ports' | 'damaged'>): Health {
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
  const told = reason === null && system.damaged.size > 0 ? HEALTH_REASONS.damaged(system.damaged.size) : reason
  return { ok: reason === null, reason: told }
}

/** [H8] Commits have failed for longer than a passing problem lasts. */
function failsToCommit({ snapshotWriter, ports }: Pick<Messages, 'snapshotWriter' | 'ports'>): boolean {
  const { failingSince } = snapshotWriter
  return failingSince !== null && ports.clock.now() - failingSince >= COMMITS_FAILING_MS_MAX
}

/** [D14] Whether an actor failed more often than it may. */
export const gaveUp = (system: Pick<Messages, 'registry'>, address: Address): boolean =>
  serviceOf(system)?.context.gaveUp.includes(address) ?? false
