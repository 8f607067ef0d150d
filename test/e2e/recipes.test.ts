import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NoBrowser } from '../../src/browser/chromium.ts'
import { type RunningBrowser, runBrowser } from '../../src/browser/headless.ts'
import { money } from '../../src/demo/shop/goods.ts'
import { openShop } from '../../src/demo/shop.ts'
import { eventually } from '../support/eventually.ts'
import { finished } from '../support/service/jobs.ts'
import { openService } from '../support/service.ts'
import { FIRST, ORDER, orderScript, SECOND, SIZED } from './recipes-suite.ts'

const TASK_MS_MAX = 40_000
const THINK_MS = 400

const folder = mkdtempSync(join(tmpdir(), 'recipes-'))
const script = join(folder, 'script.json')
const shop = await openShop({ goods: SIZED })
writeFileSync(script, JSON.stringify(orderScript(shop.url, THINK_MS)))
const service = await openService({ env: { LLM_SCRIPT: script } })
const { api } = service

const test = suite('the demo’s order by a recipe, in a real browser')

const browser: RunningBrowser | NoBrowser = await runBrowser({
  serviceUrl: service.url,
  pairingToken: (await api.post('/v1/browser-sessions/pair')).json.pairing_token,
  log: () => {},
}).catch((error: unknown) => {
  if (error instanceof NoBrowser) return error
  throw error
})

async function ordered(inputs: object, recipe: string) {
  const start = await api.start((browser as RunningBrowser).sessionId ?? '', ORDER, { url: shop.url, inputs, recipe })
  assert.is(start.status, 201, JSON.stringify(start.json))
  return finished(api, start.json.id, TASK_MS_MAX)
}

if (browser instanceof NoBrowser) console.log(`SKIPPED 2 ${browser.message}`)
else {
  await eventually(
    async () => (await api.get('/v1/browser-sessions')).json.sessions[0]?.status === 'connected',
    'a browser',
  )

  test('[J2 J4 J5 J12] the first time a model does it, and a recipe is made', async () => {
    const task = await ordered(FIRST, 'auto')
    assert.is(task.status, 'complete', `${task.answer} ${JSON.stringify(task.recipe)}`)
    assert.is(task.recipe?.version, 1, JSON.stringify(task.recipe))
    const { json } = await api.get(`/v1/recipes/${task.recipe?.id}`)
    const [version] = json.versions
    assert.equal(version.unused_inputs, [])
    assert.is(version.is_whole, true)
  })

  test('[J3 J6 J7 J8 J11] with other goods, quantity and address it takes one model call', async () => {
    const task = await ordered(SECOND, 'auto')
    assert.is(task.status, 'complete', `${task.answer} ${JSON.stringify(task.recipe)}`)
    assert.is(shop.orders.length, 2)
    const order = shop.orders[1]
    assert.equal(
      [order?.name, order?.address, order?.email, order?.giftWrap],
      [SECOND.name, SECOND.address, SECOND.email, true],
    )
    assert.equal(
      order?.lines.map(({ product, count }) => [product.name, count]),
      [[SECOND.goods, SECOND.count]],
    )
    assert.is(task.usage.apiCalls, 1, JSON.stringify(task.recipe))
    assert.match(task.answer ?? '', order?.number ?? 'no number')
    assert.match(task.answer ?? '', money(order?.totalCents ?? 0).slice(1))
  })
}

test.after(async () => {
  if (!(browser instanceof NoBrowser)) await browser.close()
  await service.kill()
  await shop.close()
  rmSync(folder, { recursive: true, force: true })
})
test.run()
