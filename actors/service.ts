import { type Address, closingAddress, parseAddress } from '../machines/addresses.ts'
import { serviceMachine } from '../machines/service.ts'
import { answering } from './effects.ts'
import { startJanitor } from './janitor.ts'
import { recover } from './recovery.ts'
import { reopenWorkspace } from './workspace.ts'
import type { World } from './world.ts'

/** The service alive: what was kept comes back, and on a stop every running task gets its ending. */
export const serviceActor = (world: World) => {
  const { clock, log } = world.ports
  return serviceMachine.provide({
    actors: {
      recover: answering<undefined>(world.registry, async () => {
        const recovered = await recover(world)
        if (recovered.tasks + recovered.closings + recovered.closed > 0)
          log.info(recovered, 'Went on with what was kept')
        return { type: 'service.recovered', at: clock.now() }
      }),
      drain: answering<undefined>(world.registry, async () => {
        await drain(world)
        return { type: 'service.drained', at: clock.now() }
      }),
    },
    actions: {
      restart: (_, failed) => {
        const { noun, id } = parseAddress(failed.address)
        if (failed.gaveUp) world.ports.log.error({ address: failed.address, err: failed.message }, 'An actor gave up')
        // Sweeps that break every time are left: health says so.
        if (noun === 'janitor' && !failed.gaveUp) startJanitor(world)
        else if (noun === 'workspace') reopenWorkspace(world, id, failed)
      },
    },
  })
}

/** [T] `Task interrupted by server shutdown.` for all that runs, and then their final writes. */
async function drain(world: World): Promise<void> {
  // Starts that were under way are decided; new ones are refused already. What follows is outside of the delivery that
  // began this: a post made within one would be carried out only after it.
  await Promise.all(addresses(world, 'admission').map((address) => world.registry.whenDone(address)))
  const at = world.ports.clock.now()
  const tasks = addresses(world, 'task')
  for (const address of tasks) world.registry.post(address, { type: 'task.shutdown', at })
  const closings = [...addresses(world, 'closing'), ...tasks.map((address) => closingAddress(parseAddress(address).id))]
  await Promise.all(closings.map((address) => world.registry.until(address, (closing) => closing.hasTag('written'))))
  await world.recorder.flushed()
  await world.keeper.barrier()
  // [D10] Webhooks that are not answered by the limit are kept: the next process calls them again.
  await Promise.all(closings.map((address) => world.registry.whenDone(address)))
  await world.keeper.barrier()
}

const addresses = (world: World, noun: 'task' | 'closing' | 'admission'): Address[] =>
  [...world.registry.list()].flatMap(({ address }) => (parseAddress(address).noun === noun ? [address] : []))
