import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NoBrowser, startBrowser } from '../../src/browser/chromium.ts'
import { runBrowser } from '../../src/browser/headless.ts'
import { DEMO_SCRIPT, DEMO_TASK, expectedTotal } from '../../src/demo/script.ts'
import { GOODS, money } from '../../src/demo/shop/goods.ts'
import { openShop } from '../../src/demo/shop.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { finished } from '../support/service/jobs.ts'
import { openService } from '../support/service.ts'

const SHOP_MS_MAX = 40_000

/** Why there is no browser here, or `null`. */
const missing = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined }).then(
  async (browser) => {
    await browser.close()
    return null
  },
  (error: unknown) => {
    if (error instanceof NoBrowser) return error.message
    throw error
  },
)

/** The demo's task in a real Chromium, against the real process. */
export async function shopping({ transport, store }: { transport: 'uws' | 'node'; store: 'lmdb' | 'mongodb' }) {
  const test = suite(`the shop in a real browser: ${transport}, ${store}`)
  if (missing !== null) {
    console.log(`SKIPPED 1 ${missing}`)
    test.run()
    return
  }
  const mongo = store === 'mongodb' ? await startMongoServer() : null
  const dearer = GOODS.products.map((product) =>
    product.id === 'kyoto-teapot' ? { ...product, cents: product.cents + 111 } : product,
  )
  const goods = { ...GOODS, products: dearer }
  const shop = await openShop({ goods })
  const service = await openService({
    env: { LLM_SCRIPT: DEMO_SCRIPT, TRANSPORT: transport, ...(mongo && { MONGODB_URL: `${mongo.url}/shop` }) },
  })
  const { api } = service
  const paired = await api.post('/v1/browser-sessions/pair')
  const browser = await runBrowser({
    serviceUrl: service.url,
    pairingToken: paired.json.pairing_token,
    log: () => {},
  })

  test('[T20 T25 G13] orders what it was asked for, and says what the order costs', async () => {
    let start = await api.start(browser.sessionId ?? '', DEMO_TASK, { url: shop.url })
    // It is registered; its socket may still be on its way.
    for (let count = 0; start.status === 409 && count < 5; count++) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      start = await api.start(browser.sessionId ?? '', DEMO_TASK, { url: shop.url })
    }
    assert.is(start.status, 201)
    const task = await finished(api, start.json.id, SHOP_MS_MAX)
    assert.is(task.status, 'complete', task.answer ?? '')
    const [order] = shop.orders
    assert.is(shop.orders.length, 1)
    assert.is(order?.totalCents, expectedTotal(goods))
    assert.match(task.answer ?? '', order?.number ?? 'no number')
    assert.match(task.answer ?? '', money(expectedTotal(goods)).slice(1))
    assert.ok(task.steps >= 6)
    const { json } = await api.get(`/v1/tasks/${start.json.id}/steps`)
    const picture = json.steps.find(({ has_screenshot }: { has_screenshot: boolean }) => has_screenshot)
    const image = await api.get(`/v1/tasks/${start.json.id}/screenshots/${picture?.step}`)
    assert.equal([...image.raw.subarray(0, 3)], [0xff, 0xd8, 0xff])
  })

  test.after(async () => {
    await browser.close()
    await service.kill()
    await shop.close()
    await mongo?.kill()
  })
  test.run()
}
