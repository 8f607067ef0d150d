import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MINUTE_MS } from '../../machines/limits.ts'
import { answer, asked, read } from '../support/scene/inputs.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type SceneBrowser, type StartFields, settled } from '../support/scene.ts'

const test = suite('calls that need an approval')

const page = (total: string) => ({
  output: `Checkout https://shop.example/checkout\nTotal ${total}\nbutton "Buy now" [e12]`,
})
const click = ['computer', { action: 'left_click', ref: 'e12' }] as const

/** A task whose model has seen the checkout and asks for the click. */
async function atCheckout(fields: StartFields = { approvals: 'irreversible' }) {
  const scene = await aScene()
  const browser = scene.browser()
  let total = '€ 52.50'
  const shop = {
    set total(now: string) {
      total = now
    },
    clicks: () => clicks(browser),
  }
  browser.result = (frame) => (frame.tool === 'computer' ? { output: 'Clicked.' } : page(total))
  const id = await scene.task(browser, fields)
  scene.model.answer(calling(['read_page', {}]))
  await settled()
  scene.model.answer(calling(click, ['navigate', { url: 'https://shop.example/thanks' }]))
  await settled()
  return { scene, browser, id, shop }
}
const clicks = (browser: SceneBrowser) =>
  browser.of('mcp_execute_tool').filter((frame) => frame.tool === 'computer').length

test('[I5 I7] an action that cannot be undone waits for its approval, and runs once', async () => {
  const { scene, id, shop } = await atCheckout()
  const request = await asked(scene, id)
  assert.is(request.kind, 'approval')
  assert.match(request.message, /Buy now/)
  assert.equal(request.call, {
    tool: 'computer',
    input: { action: 'left_click', ref: 'e12' },
    terms: ['Checkout https://shop.example/checkout', '€ 52.50'],
  })
  assert.is(shop.clicks(), 0)
  assert.is(await answer(scene, id, request.id, 'accept'), 'accepted')
  await settled()
  assert.is(shop.clicks(), 1)
  assert.is(await answer(scene, id, request.id, 'accept'), 'answered')
  await settled()
  assert.is(shop.clicks(), 1)
  await scene.reaches(id, 'thinking')
})

test('[I5] what is declined does not run, nor what was asked for behind it', async () => {
  const { scene, id, shop, browser } = await atCheckout()
  const request = await asked(scene, id)
  await answer(scene, id, request.id, 'decline')
  await scene.reaches(id, 'thinking')
  assert.is(shop.clicks(), 0)
  assert.not(browser.of('mcp_execute_tool').some((frame) => frame.tool === 'navigate'))
  assert.match(read(scene), /the user declined this action/)
})

test('[I7] the total changes between approval and click: asked again', async () => {
  const { scene, id, shop } = await atCheckout()
  const first = await asked(scene, id)
  shop.total = '€ 99.00'
  await answer(scene, id, first.id, 'accept')
  const second = await asked(scene, id)
  assert.is.not(second.id, first.id)
  assert.is(second.call?.terms.at(-1), '€ 99.00')
  assert.is(shop.clicks(), 0)
  assert.is(await answer(scene, id, first.id, 'accept'), 'answered')
  await asked(scene, id)
  await answer(scene, id, second.id, 'accept')
  await settled()
  assert.is(shop.clicks(), 1)
})

test('[I7] a page that cannot be read is not approved', async () => {
  const { scene, id, shop, browser } = await atCheckout()
  const request = await asked(scene, id)
  browser.result = () => ({ error: 'The tab is gone.' })
  await answer(scene, id, request.id, 'accept')
  await scene.reaches(id, 'thinking')
  assert.is(shop.clicks(), 0)
  assert.match(read(scene), /The tab is gone/)
})

for (const when of ['asked', 'approved', 'acting'] as const)
  test(`[I7 D7] a crash when it is ${when}: the action runs exactly once`, async () => {
    const { scene, id, shop, browser } = await atCheckout()
    const request = await asked(scene, id)
    const restart = async () => {
      await scene.reopen()
      browser.connect()
      await settled()
    }
    if (when === 'asked') await restart()
    if (when === 'acting') browser.answers = false
    await answer(scene, id, (await scene.view(id)).inputRequest?.id ?? request.id, 'accept')
    if (when !== 'asked') {
      if (when === 'acting') {
        // The page is read, and the click is under way.
        browser.finish(undefined, page('€ 52.50'))
        await settled()
      }
      await restart()
      browser.answers = true
      if (when === 'acting') browser.finish(undefined, { output: 'Clicked.' })
      await settled()
    }
    await scene.reaches(id, 'thinking')
    assert.is(new Set(browser.executed).size, browser.executed.length)
    assert.is(shop.clicks(), 1)
  })

test('[I7] a browser that was away when it was approved: the page is read again before the click', async () => {
  const { scene, id, shop, browser } = await atCheckout()
  const request = await asked(scene, id)
  browser.disconnect()
  await answer(scene, id, request.id, 'accept')
  await scene.reaches(id, 'waitingForBrowser')
  shop.total = '€ 99.00'
  browser.connect()
  const again = await asked(scene, id)
  assert.is(again.call?.terms.at(-1), '€ 99.00')
  assert.is(shop.clicks(), 0)
})

test('[I5] always: whatever acts is asked for, and what only looks is not', async () => {
  const { scene, id } = await atCheckout({ approvals: 'always' })
  const first = await asked(scene, id)
  await answer(scene, id, first.id, 'accept')
  const second = await asked(scene, id)
  assert.is(second.call?.tool, 'navigate')
  await answer(scene, id, second.id, 'accept')
  await scene.reaches(id, 'thinking')
})

test('[I5] never, the default: nothing is asked', async () => {
  const { scene, id, shop } = await atCheckout({})
  await scene.reaches(id, 'thinking')
  assert.is(shop.clicks(), 1)
})

test('[I4] a task that waits for its user can be cancelled, and ends by its deadline', async () => {
  for (const end of ['cancel', 'deadline'] as const) {
    const { scene, id } = await atCheckout()
    await asked(scene, id)
    if (end === 'cancel') await scene.taskService.cancelTask(scene.workspaceId, id)
    else {
      // Each asking lasts 10 minutes: the model asks until the time is over.
      for (let i = 0; i < 4; i++) {
        await scene.clock.advance(10 * MINUTE_MS)
        if (scene.model.waiting.length > 0) scene.model.answer(calling(click))
        await settled()
      }
    }
    await settled()
    assert.is(scene.record(id).endedBy, end === 'cancel' ? 'cancelled' : 'time_limit')
    nothingLeft(scene)
  }
})

test.run()
