import * as assert from 'uvu/assert'
import { DEMO_TASK, expectedTotal } from '../../src/demo/script.ts'
import { GOODS } from '../../src/demo/shop/goods.ts'
import { openShop } from '../../src/demo/shop.ts'
import type { InputRequest } from '../../src/wire/inputs.ts'
import { eventually } from '../support/eventually.ts'
import { finished } from '../support/service/jobs.ts'
import { approvalsSuite, DECLINED, TASK_MS_MAX } from './approvals-suite.ts'

const { test, opened, start, answer, asked, ask } = approvalsSuite('approvals of orders')

test('[I5 I7] the order of the demo is held at the network; accepted, it is in the books of the shop', async () => {
  const shop = await openShop()
  try {
    const id = await start(DEMO_TASK, { url: shop.url })
    const requests: InputRequest[] = []
    for (let request = await asked(id); request !== null; request = await asked(id)) {
      requests.push(request)
      assert.is(shop.orders.length, 0)
      assert.is((await answer(id, request, 'accept')).status, 200)
    }
    const order = requests.at(-1)?.call?.held
    assert.is(order?.method, 'POST')
    assert.is(order?.site, shop.url)
    assert.equal(order?.target, { role: 'button', name: 'Place order' })
    assert.is((await finished(opened.service.api, id)).status, 'complete')
    assert.equal(
      shop.orders.map(({ totalCents }) => totalCents),
      [expectedTotal(GOODS)],
    )
    assert.not.match(String((await opened.service.api.get(`/v1/tasks/${id}`)).raw), DECLINED)
  } finally {
    await shop.close()
  }
})

for (const isAccepted of [false, true])
  test(`[I7] the total changes while the user reads: asked again with what changed, and ${isAccepted ? 'ordered once' : 'not ordered'}`, async () => {
    opened.site.orders.splice(0)
    opened.site.total = 52.5
    const id = await start('Order in our own shop')
    const first = await ask(id)
    assert.is(first.call?.held?.path, '/order')
    assert.ok(first.call?.held?.fields.some(({ name, value }) => name === 'quantity' && value === '2'))
    opened.site.total = 99
    // The page has it.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await answer(id, first, 'accept')
    await eventually(async () => (await asked(id))?.id !== first.id, 'another request', TASK_MS_MAX)
    const second = await ask(id)
    const { before = [], after = [] } = second.call?.changed?.numbers ?? {}
    assert.match(before.join(), /52\.50/)
    assert.match(after.join(), /99\.00/)
    assert.equal(opened.site.orders, [])
    assert.is((await answer(id, first, 'accept')).json.code, 'input_answered')
    await answer(id, second, isAccepted ? 'accept' : 'decline')
    assert.is((await finished(opened.service.api, id)).status, 'complete')
    // It is the request that was held: what the form said then.
    assert.equal(opened.site.orders, isAccepted ? [52.5] : [])
  })

test('[I13] an approval for the task lets a second order of the same shape pass', async () => {
  opened.site.orders.splice(0)
  const id = await start('Order twice')
  const request = await ask(id)
  const { status } = await opened.service.api.post(`/v1/tasks/${id}/inputs/${request.id}`, {
    action: 'accept',
    for: 'task',
  })
  assert.is(status, 200)
  assert.is((await finished(opened.service.api, id, TASK_MS_MAX)).status, 'complete')
  assert.is(opened.site.orders.length, 2)
})

await test.run()
