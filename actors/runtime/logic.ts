import type { AnyActorLogic } from 'xstate'
import { admissionActor } from '../admission.ts'
import { callActor } from '../call.ts'
import { closingActor } from '../closing.ts'
import { deliveryActor } from '../delivery.ts'
import { janitorActor } from '../janitor.ts'
import { serviceActor } from '../service.ts'
import { sessionActor } from '../session.ts'
import { taskActor } from '../task.ts'
import { workspaceActor } from '../workspace.ts'
import type { ActorSystem, Logic } from './actor-system.ts'

/** Every process with its effects in one system; each made when it is first needed, because making one takes milliseconds. */
export const logicOf = (system: ActorSystem): Logic => {
  const kinds = {
    workspace: () => workspaceActor(system),
    admission: () => admissionActor(system),
    session: () => sessionActor(system),
    call: () => callActor(system),
    task: () => taskActor(system),
    closing: () => closingActor(system),
    delivery: () => deliveryActor(system),
    janitor: () => janitorActor(system),
    service: () => serviceActor(system),
  }
  const made: Partial<Record<keyof Logic, AnyActorLogic>> = {}
  const getters = Object.entries(kinds).map(([kind, make]) => {
    const get = () => (made[kind as keyof Logic] ??= make())
    return [kind, { get, enumerable: true }] as const
  })
  return Object.defineProperties({}, Object.fromEntries(getters)) as Logic
}
