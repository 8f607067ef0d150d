import * as assert from 'uvu/assert'
import { call, modelOf, resultsOf } from '../extension/playing.ts'
import { ended, start } from '../extension/scene.ts'
import { eventually } from '../support/eventually.ts'
import { headedSuite } from './browser.ts'
import { openHeadedScene, pairByHand } from './scene.ts'

/** Reads the page that it begins at, and says what is there. */
const model = modelOf((turn, messages) =>
  turn === 0 ? call('get_page_text') : { answer: resultsOf(messages).at(-1)?.text ?? '' },
)
const test = headedSuite(
  'a first task',
  () => openHeadedScene(model),
  (scene) => scene.close(),
)

let session = ''

test('it is paired with two clicks of the mouse, and keeps its sandbox', async (scene) => {
  session = await pairByHand(scene)
  const { watcher } = scene.browser
  const page = await watcher.open('chrome://sandbox/')
  const isSandboxed = () =>
    watcher.value<boolean>(page, "!!document.body?.innerText.includes('You are adequately sandboxed')")
  await eventually(isSandboxed, 'the browser to say that it has its sandbox')
  await watcher.close(page)
})

test('a task works in a tab in the background and tells its result; its tab is gone when it has ended', async (scene) => {
  const { api, shop, browser } = scene
  const front = await browser.front()
  const id = await start(api, session, 'What is sold here?', { url: shop.url })
  const { status, answer } = await ended(api, id)
  assert.is(status, 'complete', answer ?? '')
  assert.match(answer ?? '', /teapot/i)
  assert.is((await browser.front()).targetId, front.targetId)
  const isGone = async () => (await browser.watcher.targets()).every(({ url }) => !url.startsWith(shop.url))
  await eventually(isGone, 'the tab of the task to be closed')
})

test.run()
