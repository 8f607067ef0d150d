import type { AnyStateMachine } from 'xstate'
import { callMachine } from '../../../machines/call.ts'
import { closingMachine } from '../../../machines/closing.ts'
import { deliveryMachine } from '../../../machines/delivery.ts'
import { serviceMachine } from '../../../machines/service.ts'
import { sessionMachine } from '../../../machines/session.ts'
import { shardMachine } from '../../../machines/shard.ts'
import { taskMachine } from '../../../machines/task.ts'
import { workspaceMachine } from '../../../machines/workspace.ts'

/** Every machine by the actorKind of its addresses, in the order in which a reader meets them. */
export const MACHINES: Readonly<Record<string, AnyStateMachine>> = {
  task: taskMachine,
  session: sessionMachine,
  call: callMachine,
  closing: closingMachine,
  delivery: deliveryMachine,
  workspace: workspaceMachine,
  shard: shardMachine,
  service: serviceMachine,
}
