import * as assert from 'uvu/assert'
import type { Message } from '../../actors/runtime/ports.ts'
import { extensionSuite } from '../extension/browser.ts'
import { call, modelOf, type Next, resultsOf } from '../extension/playing.ts'
import { ended, openScene, pair, start } from '../extension/scene.ts'
import { eventually } from '../support/eventually.ts'
import { cornersOf, MARKED } from '../support/jpegs.ts'
import { servePages } from '../support/pages.ts'
import { isPicture, serveClock, watchTask } from '../support/watching.ts'

let play: (turn: number, messages: readonly Message[]) => Next = () => ({ answer: 'Nothing to do.' })

const test = extensionSuite(
  'the live view of the extension',
  async () => {
    const [scene, clock] = [await openScene(modelOf((turn, messages) => play(turn, messages))), await serveClock()]
    return { scene, clock, session: await pair(scene), key: '' }
  },
  async ({ scene, clock }) => {
    await scene.close()
    clock.close()
  },
)

test('[R52] [R54] a tab in the background is shown while somebody looks, not while its user has it, and its pictures are kept', async ({
  scene,
  clock,
  session,
}) => {
  const { api, service, browser } = scene
  play = (turn) => {
    if (turn === 0) return call('navigate', { url: clock.url })
    return turn === 1 ? call('computer', { action: 'wait', duration: 12 }) : { answer: 'Seen.' }
  }
  const id = await start(api, session, 'Watch the clock')
  await eventually(async () => (await api.task(id)).steps === 2, 'the second call', 20_000)
  const watching = await watchTask(service.url, service.firstKey ?? '', id)
  assert.is(watching.status, 200)
  await eventually(() => watching.seen.length >= 3, 'three pictures', 10_000)
  assert.ok(watching.seen.every(({ jpeg }) => isPicture(jpeg)))
  assert.is(new Set(watching.seen.map(({ jpeg }) => jpeg)).size, watching.seen.length)
  const panel = await browser.open('panel.html')
  await panel.getByRole('button', { name: 'Take over' }).click()
  await eventually(async () => (await api.task(id)).state === 'paused', 'the pause', 10_000)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const before = watching.seen.length
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  assert.is(watching.seen.length, before)
  await panel.getByRole('button', { name: 'Hand back' }).click()
  await ended(api, id)
  await watching.over
  const { json } = await api.get(`/v1/tasks/${id}/events?types=picture.taken`)
  assert.ok(json.events.length >= 1)
  const image = await fetch(`${service.url}/v1/tasks/${id}/pictures/${json.events[0].picture}`, {
    headers: { authorization: `Bearer ${service.firstKey}` },
  })
  assert.ok(isPicture(Buffer.from(await image.arrayBuffer()).toString('base64')))
})

const CLICK = { action: 'left_click', coordinate: [640, 300], look: 'screenshot' }
const SCREENSHOTS = 10

test('[G31] screenshots right after actions are of the whole page, in a tab in the background with the live view on', async ({
  scene,
  session,
}) => {
  const { api, service, browser } = scene
  const pages = await servePages()
  const images: string[] = []
  play = (turn, messages) => {
    if (turn === 0) return call('navigate', { url: `${pages.origin}/marked` })
    // Its answer is checked.
    if (turn > SCREENSHOTS + 1) return { answer: 'Seen.' }
    const image = resultsOf(messages).at(-1)?.image
    if (image) images.push(image)
    if (turn > SCREENSHOTS) return { answer: 'Seen.' }
    return turn % 2 === 1 ? call('computer', CLICK) : call('computer', { action: 'screenshot' })
  }
  const id = await start(api, session, 'Look at the corners')
  const watching = await watchTask(service.url, service.firstKey ?? '', id)
  await ended(api, id)
  await watching.over
  await pages.close()
  assert.is(images.length, SCREENSHOTS)
  const decoder = await browser.context.newPage()
  for (const image of images) {
    const { width, height, ...corners } = await cornersOf((text) => decoder.evaluate(text), image)
    assert.equal(corners, MARKED)
    assert.ok(Math.max(width, height) <= 1280)
  }
  await decoder.close()
})

await test.run()
