import { admissionActor } from './admission.ts'
import { callActor } from './call.ts'
import { closingActor } from './closing.ts'
import { janitorActor } from './janitor.ts'
import { planned } from './planned.ts'
import { serviceActor } from './service.ts'
import { sessionActor } from './session.ts'
import { taskActor } from './task.ts'
import { workspaceActor } from './workspace.ts'
import type { Logic, World } from './world.ts'

/** Every process with its effects in one world, its transitions planned. */
export const logicOf = (world: World): Logic => ({
  workspace: planned(workspaceActor(world)),
  admission: planned(admissionActor(world)),
  session: planned(sessionActor(world)),
  call: planned(callActor(world)),
  task: planned(taskActor(world)),
  closing: planned(closingActor(world)),
  janitor: planned(janitorActor(world)),
  service: planned(serviceActor(world)),
})
