import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { calling, openScene, playing } from './scene.ts'

const test = suite('what tabs show, over the relay')
const SHOWS = { protocol: 2, tools: ['live_view'] }
const JPEG = '/9j/4AAQ'
const done = { text: 'Done.' }

async function running() {
  const scene = await openScene(playing(calling('navigate', { url: 'https://tea.example' }), done).model)
  const { record, token } = await scene.paired()
  const peer = await scene.register(token, SHOWS)
  const taskId = await scene.start(record)
  const { requestId } = await peer.gets('mcp_execute_tool')
  return { scene, peer, record, token, taskId, requestId }
}

test('[R52] a browser is asked for pictures from the first viewer to the last, and again after it was away', async () => {
  const { scene, peer, record, token, taskId } = await running()
  const { live } = scene.relay
  const seen: string[] = []
  const shows = (jpeg = JPEG) => peer.says({ type: 'live_frame', taskId, jpeg })
  await shows()
  const [one, other] = [
    live.watch(taskId, record.id, (jpeg) => seen.push(jpeg)),
    live.watch(taskId, record.id, () => {}),
  ]
  await peer.gets('live_start', 2)
  await shows()
  assert.equal(seen, [JPEG])
  // [R53] Too soon after the last one.
  await shows()
  assert.is(seen.length, 1)
  await scene.turn(300)
  await shows()
  assert.is(seen.length, 2)
  one()
  await scene.settled()
  assert.is(peer.of('live_stop').length, 0)
  const again = await scene.register(token, SHOWS)
  await again.gets('live_start')
  other()
  await again.gets('live_stop')
  await scene.close()
})

test('[R52] [R53] another browser shows nothing of the task; what is no JPEG, or too long, is refused', async () => {
  const { scene, peer, record, taskId } = await running()
  const seen: string[] = []
  const leave = scene.relay.live.watch(taskId, record.id, (jpeg) => seen.push(jpeg))
  const stranger = await scene.browser()
  await stranger.peer.says({ type: 'live_frame', taskId, jpeg: JPEG })
  for (const jpeg of ['iVBORw0KGgo=', '/9j/<script>', `/9j/${'A'.repeat(60_000)}`])
    await peer.says({ type: 'live_frame', taskId, jpeg })
  await peer.gets('error', 3)
  assert.equal(seen, [])
  assert.is(scene.relay.live.refusal(taskId, stranger.record.id), 'no_live_view')
  leave()
  await scene.close()
})

test('[R54] a picture is kept for a call of the task’s own browser, once, and told when it can be read', async () => {
  const { scene, peer, taskId, requestId } = await running()
  const { events } = scene.actors.taskService
  assert.equal((await peer.gets('registered')).takes, ['pictures'])
  const told = async () =>
    (await events.ofTask(taskId, 0, 100)).flatMap(({ event }) =>
      event.type === 'picture.taken' ? [event.picture] : [],
    )
  const stranger = await scene.browser()
  await stranger.peer.says({ type: 'picture', taskId, requestId, jpeg: JPEG })
  await peer.says({ type: 'picture', taskId, requestId: 'no call', jpeg: JPEG })
  for (let n = 0; n < 3; n++) await peer.says({ type: 'picture', taskId, requestId, jpeg: JPEG })
  await eventually(async () => (await told()).length > 0, 'the picture to be told')
  const [number = 0, ...more] = await told()
  assert.equal(more, [])
  const image = await scene.store.image(taskId, number)
  assert.is(Buffer.from(image ?? []).toString('base64'), JPEG)
  // What the model has seen is something else.
  assert.is(await scene.store.image(taskId, 0), null)
  await peer.says({ type: 'tool_result', requestId, result: 'The page has loaded.' })
  await scene.ended(taskId)
  await scene.close()
})

test.run()
