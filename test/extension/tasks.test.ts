import * as assert from 'uvu/assert'
import { DEMO_TASK, expectedTotal } from '../../src/demo/script.ts'
import { GOODS, money } from '../../src/demo/shop/goods.ts'
import { extensionSuite } from './browser.ts'
import { ended, openScene, pair, start } from './scene.ts'

const test = extensionSuite(
  'tasks in the extension',
  () => openScene(),
  (scene) => scene.close(),
)
let session = ''

test('[P1] [S1] the pairing page, a click, consent, and the browser is paired', async (scene) => {
  session = await pair(scene)
  const { json } = await scene.api.get('/v1/browser-sessions')
  assert.is(json.sessions.length, 1)
})

test('[R13] [R14] [G13] the shop task of the demo runs in the extension, and its screenshots arrive', async ({
  api,
  shop,
}) => {
  const id = await start(api, session, DEMO_TASK, { url: shop.url })
  const task = await ended(api, id)
  assert.is(task.status, 'complete', task.answer ?? '')
  const [order, ...more] = shop.orders
  assert.equal(more, [])
  assert.is(order?.totalCents, expectedTotal(GOODS))
  assert.ok(task.answer?.includes(order?.number ?? '?'))
  assert.ok(task.answer?.includes(money(expectedTotal(GOODS)).slice(1)))
  const { json } = await api.get(`/v1/tasks/${id}/steps`)
  const pictured = json.steps.filter(({ status }: { status: string }) => status === 'screenshot')
  assert.is(pictured.length, 2)
  const picture = await api.get(`/v1/tasks/${id}/screenshots/${pictured[0].step}`)
  assert.is(picture.headers['content-type'], 'image/jpeg')
  assert.equal([...picture.raw.subarray(0, 3)], [0xff, 0xd8, 0xff])
})

await test.run()
