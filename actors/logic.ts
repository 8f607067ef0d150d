import { admissionActor } from './admission.ts'
import { callActor } from './call.ts'
import { closingActor } from './closing.ts'
import { janitorActor } from './janitor.ts'
import { serviceActor } from './service.ts'
import { sessionActor } from './session.ts'
import { taskActor } from './task.ts'
import { workspaceActor } from './workspace.ts'
import type { Logic, World } from './world.ts'

/** Every process with its effects in one world. */
export const logicOf = (world: World): Logic => ({
  workspace: workspaceActor(world),
  admission: admissionActor(world),
  session: sessionActor(world),
  call: callActor(world),
  task: taskActor(world),
  closing: closingActor(world),
  janitor: janitorActor(world),
  service: serviceActor(world),
})
