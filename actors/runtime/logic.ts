import { callActor } from '../call.ts'
import { closingActor } from '../closing.ts'
import { deliveryActor } from '../delivery.ts'
import { serviceActor } from '../service.ts'
import { sessionActor } from '../session.ts'
import { taskActor } from '../task.ts'
import { workspaceActor } from '../workspace.ts'
import type { ActorSystem, Logic } from './actor-system.ts'

/**
 * Every process with its effects in one system. Making them takes milliseconds, and a shard without work needs only its
 * service: the others are made together when the first is needed, which is before any action of theirs runs.
 */
export const logicOf = (system: ActorSystem): Logic => {
  let made: Omit<Logic, 'service'> | undefined
  const working = () =>
    (made ??= {
      workspace: workspaceActor(system),
      session: sessionActor(system),
      call: callActor(system),
      task: taskActor(system),
      closing: closingActor(system),
      delivery: deliveryActor(system),
    })
  return {
    service: serviceActor(system),
    get workspace() {
      return working().workspace
    },
    get session() {
      return working().session
    },
    get call() {
      return working().call
    },
    get task() {
      return working().task
    },
    get closing() {
      return working().closing
    },
    get delivery() {
      return working().delivery
    },
  }
}
