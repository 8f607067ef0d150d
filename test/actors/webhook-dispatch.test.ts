import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aReceiver, deliveries, ended, idOf } from '../support/scene/receiver.ts'
import { settled } from '../support/scene.ts'
import { anEndpoint } from '../support/webhook-memory.ts'

const test = suite('webhook dispatch')

test('[W10] an endpoint that asked for other types is not told, and other workspaces are not', async () => {
  const { scene, sent, endpoint } = await aReceiver()
  scene.store.webhooks.changeEndpoint(endpoint.id, { types: ['budget.warned'] })
  const other = anEndpoint()
  scene.store.webhooks.endpoints.set(other.id, other)
  await ended(scene)
  assert.equal([sent, deliveries(scene)], [[], []])
})

test('[W10 W12] an endpoint that asked for no types is told what happens to its tasks, each once, and not what is from before', async () => {
  const { scene, sent, endpoint } = await aReceiver()
  scene.store.webhooks.endpoints.delete(endpoint.id)
  await ended(scene)
  const late = anEndpoint({
    workspaceId: scene.workspaceId,
    types: [],
    position: await scene.taskService.eventPosition(''),
  })
  scene.store.webhooks.endpoints.set(late.id, late)
  scene.taskService.serveEndpoints(scene.workspaceId)
  await settled()
  assert.equal(sent, [])
  const id = await ended(scene)
  const types = () => sent.map(({ body }) => JSON.parse(body).type)
  assert.equal(types(), ['task.created', 'task.ended'])
  await scene.reopen()
  await settled(60)
  assert.equal(types(), ['task.created', 'task.ended'])
  assert.ok(sent.every((each) => each.id.startsWith(`msg_${id}_`)))
})

test('[W12] what happened after the endpoint was last served is served by the next process', async () => {
  const { scene, sent } = await aReceiver()
  scene.store.fault = (name) => (name === 'endpoints.list' ? 'hangs' : null)
  const ids = [await ended(scene), await ended(scene)]
  assert.equal(sent, [])
  scene.crash()
  scene.store.fault = () => null
  await scene.open()
  await settled(60)
  assert.equal(
    sent.map(({ id }) => id),
    ids.map((id) => idOf(scene, id)),
  )
})

test('[W18] a start of one workspace whose commit hangs holds up no event, and no webhook, of another', async () => {
  const { scene, sent } = await aReceiver()
  const stranger = randomUUID()
  const isStrangers = (text: string) => text.includes('task.insert') && text.includes(stranger)
  scene.store.fault = (name, args) => (name === 'commit' && isStrangers(JSON.stringify(args)) ? 'hangs' : null)
  void scene.start(scene.browser(2, { workspaceId: stranger }), { workspaceId: stranger })
  await settled()
  const id = await ended(scene)
  const { events } = scene.taskService
  assert.is((await events.ofWorkspace(scene.workspaceId, 0, 100)).at(-1)?.event.type, 'task.ended')
  assert.equal(
    sent.map((each) => each.id),
    [idOf(scene, id)],
  )
})

test.run()
