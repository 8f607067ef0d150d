import * as assert from 'uvu/assert'
import type { InputRequest } from '../../../machines/input-request.ts'
import { type Scene, settled } from '../scene.ts'

/** What a task asks, once everything has happened that needs no timer. */
export async function asked(scene: Scene, id: string): Promise<InputRequest> {
  await settled()
  const { inputRequest, state } = await scene.view(id)
  assert.is(state, 'waitingForInput')
  assert.ok(inputRequest)
  return inputRequest
}
export const answer = (
  scene: Scene,
  id: string,
  requestId: string,
  action: 'accept' | 'decline' | 'cancel',
  content = null as string | null,
) => scene.taskService.answerInput(scene.workspaceId, id, requestId, { action, content })
/** What the model read last. */
export const read = (scene: Scene) => JSON.stringify(scene.model.last?.messages.at(-1))
