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

/** Every process with its effects in one system. */
export const logicOf = (system: ActorSystem): Logic => ({
  workspace: workspaceActor(system),
  admission: admissionActor(system),
  session: sessionActor(system),
  call: callActor(system),
  task: taskActor(system),
  closing: closingActor(system),
  delivery: deliveryActor(system),
  janitor: janitorActor(system),
  service: serviceActor(system),
})
