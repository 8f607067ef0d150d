import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { runBrowser } from '../../src/browser/headless.ts'
import { DEMO_SCRIPT, DEMO_TASK, expectedTotal } from '../../src/demo/script.ts'
import { GOODS, money } from '../../src/demo/shop/goods.ts'
import { openShop } from '../../src/demo/shop.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { eventually } from '../support/eventually.ts'
import { finished } from '../support/service/jobs.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

const SHOP_MS_MAX = 60_000
const test = suiteWithBrowser('the output of a task in the shop')

const total = expectedTotal(GOODS)
const output = {
  order: { number: '{{match:/Order number:\\s*(\\S+)/}}', total: total / 100, currency: 'USD' },
  items: [{ name: 'Kyoto teapot', maker: 'Moon Porcelain Company' }],
}
const schema = {
  type: 'object',
  properties: {
    order: { type: 'object', properties: { number: { type: 'string' }, total: { type: 'number' } } },
    items: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
  },
  required: ['order', 'items'],
}

/** The demo's script, with the answer given by `finish`. */
function script(): string {
  const demo = JSON.parse(readFileSync(DEMO_SCRIPT, 'utf8')).scripts.at(-1)
  const finish = { tool: 'finish', input: { success: true, answer: 'Ordered.', output } }
  const file = join(tempFolder(), 'script.json')
  writeFileSync(file, JSON.stringify({ ...demo, think_ms: 0, steps: [...demo.steps.slice(0, -1), finish] }))
  return file
}

test('[L34] each value has its step as the step records show it, and an invented one is named', async () => {
  const service = await openService({ env: { LLM_SCRIPT: script(), VERIFY: 'off' } })
  const { api } = service
  const { json: pairing } = await api.post('/v1/browser-sessions/pair')
  const { pairing_token: pairingToken } = pairing
  const shop = await openShop()
  const browser = await runBrowser({ serviceUrl: service.url, pairingToken, log: () => {} })
  try {
    const more = { url: shop.url, output_schema: schema }
    let id = ''
    // It is registered; its socket may still be on its way.
    const isStarted = async () => {
      const { status, json } = await api.start(browser.sessionId ?? '', DEMO_TASK, more)
      id = json.id
      return status === 201
    }
    await eventually(isStarted, 'the start')
    await finished(api, id, SHOP_MS_MAX)
    const { json: task } = await api.get(`/v1/tasks/${id}`)
    assert.is(task.status, 'complete', task.answer)
    assert.is(task.output.order.number, shop.orders[0]?.number)
    assert.is(shop.orders[0]?.totalCents, total)

    const { steps } = (await api.get(`/v1/tasks/${id}/steps`)).json
    const lastWith = (text: string): number =>
      steps.findLast(({ output }: { output: string | null }) => output?.includes(text))?.step
    const sources = {
      '/order/number': { step: lastWith(task.output.order.number) },
      '/order/total': { step: lastWith(money(total)) },
      '/items/0/name': { step: lastWith('Kyoto teapot') },
    }
    assert.equal(task.output_sources, sources)
    assert.equal(task.ungrounded, ['/order/currency', '/items/0/maker'])
    assert.is(sources['/order/number'].step, task.steps - 1)
  } finally {
    await browser.close()
    await service.kill()
    await shop.close()
  }
})

await test.run()
