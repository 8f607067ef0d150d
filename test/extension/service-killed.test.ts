import * as assert from 'uvu/assert'
import { DEMO_SCRIPT, DEMO_TASK, expectedTotal } from '../../src/demo/script.ts'
import { GOODS, money } from '../../src/demo/shop/goods.ts'
import { openShop } from '../../src/demo/shop.ts'
import { eventually } from '../support/eventually.ts'
import { openService } from '../support/service.ts'
import { extensionSuite, openBrowser } from './browser.ts'
import { ended, pair, start } from './scene.ts'

/** The script puts two teapots into the cart in this step: done twice, the order would be of four. */
const STEP_OF_THE_CART = 7

const test = extensionSuite(
  'a service that is killed',
  async () => {
    const [service, shop, browser] = await Promise.all([
      openService({ env: { LLM_SCRIPT: DEMO_SCRIPT } }),
      openShop(),
      openBrowser(),
    ])
    return { service, shop, browser }
  },
  ({ service, shop, browser }) => Promise.all([service.stop(), shop.close(), browser.close()]),
)

test('[R39] [R40] [D7] [D8] killed with SIGKILL in mid-task: the extension connects again by itself, the task completes, and nothing is done twice', async ({
  service,
  shop,
  browser,
}) => {
  const { api } = service
  const session = await pair({ api, browser })
  const id = await start(api, session, DEMO_TASK, { url: shop.url })
  await eventually(async () => (await api.task(id)).steps >= STEP_OF_THE_CART, 'the step of the cart', 30_000)
  const { signal } = await service.kill()
  assert.is(signal, 'SIGKILL')
  service.spawn()
  await service.answers()
  const task = await ended(api, id)
  assert.is(task.status, 'complete', task.answer ?? '')
  const [order, ...more] = shop.orders
  assert.equal(more, [])
  assert.is(order?.totalCents, expectedTotal(GOODS))
  assert.ok(task.answer?.includes(money(expectedTotal(GOODS)).slice(1)), task.answer ?? '')
  const { json } = await api.get('/v1/browser-sessions')
  assert.is(json.sessions.length, 1)
})

await test.run()
