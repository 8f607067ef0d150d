import type { Conversation } from './conversation/conversation.ts'
import { CALLS_PICTURED_PER_STEP_MAX, PICTURES_FROM } from './limits.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { taskContext } from './start-facts.ts'
import type { PictureIn } from './task-service.ts'

/** The number of the last picture of each task that runs. */
const last = new WeakMap<Conversation, number>()

/**
 * [R54] Keeps what a task's tab showed after one of its calls, beside the screenshots that the model sees: of each call of
 * its last two steps at most one, in order. Its event is in the same commit.
 */
export function keepPicture(system: ActorSystem, sessionId: string, { taskId, requestId, jpeg }: PictureIn): void {
  const context = taskContext(system, taskId)
  if (context?.sessionId !== sessionId) return
  const conversation = system.conversations.of(taskId)
  if (conversation instanceof Promise) return
  for (const step of [context.step, context.step - 1]) {
    const call = conversation.replyOf(step)?.calls.findIndex((each) => each.requestId === requestId) ?? -1
    if (call < 0 || call >= CALLS_PICTURED_PER_STEP_MAX) continue
    const number = PICTURES_FROM + step * CALLS_PICTURED_PER_STEP_MAX + call
    if (number <= (last.get(conversation) ?? 0)) return
    last.set(conversation, number)
    if (!system.events.lastLogged(taskId)) return
    const at = system.ports.clock.now()
    // Of no step: what `GET /v1/tasks/:id/screenshots/:step` gives is what the model has seen.
    system.snapshotWriter.addImage(context.workspaceId, { taskId, step: 0, number, image: Buffer.from(jpeg, 'base64') })
    system.events.append(taskId, { type: 'picture.taken', at, step, call_id: requestId, picture: number })
    return
  }
}
