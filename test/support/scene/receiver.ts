import type { WebhookAnswer } from '../../../actors/runtime/ports.ts'
import type { EndpointRecord } from '../../../machines/webhook-records.ts'
import { aScene, type Scene, saying, settled } from '../scene.ts'
import { ACCEPTED, anEndpoint } from '../webhook-memory.ts'

/** A scene with one endpoint, and what reached it. */
export async function aReceiver(answer: (attempt: number) => Partial<WebhookAnswer> = () => ({})) {
  const sent: { id: string; body: string; at: number }[] = []
  const scene = await aScene((scene) => {
    scene.deliver = async (_, { id, body }) => {
      sent.push({ id, body, at: scene.clock.now() })
      return { ...ACCEPTED, durationMs: 0, ...answer(sent.length) }
    }
  })
  const endpoint = anEndpoint({ workspaceId: scene.workspaceId })
  scene.store.webhooks.endpoints.set(endpoint.id, endpoint)
  scene.taskService.serveEndpoints(scene.workspaceId)
  const now = () => scene.store.webhooks.endpoints.get(endpoint.id) as EndpointRecord
  return { scene, sent, endpoint, now }
}
export const FAILED = { status: 500, answer: 'Oops' }
export const deliveries = (scene: Scene) => [...scene.store.webhooks.deliveries.values()]

/** The id of the event of a task's ending. */
export const idOf = ({ store }: Scene, id: string): string =>
  `msg_${id}_${Math.max(...store.events.filter(({ taskId }) => taskId === id).map(({ seq }) => seq))}`

export async function ended(scene: Scene, answer = 'Bought.'): Promise<string> {
  const id = await scene.task(scene.browser())
  scene.model.answer(saying(answer))
  await settled(60)
  return id
}
