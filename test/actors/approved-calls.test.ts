import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MINUTE_MS } from '../../machines/limits.ts'
import { anOrder } from '../support/held.ts'
import { atCheckout, click, RELEASED, toolsOf } from '../support/scene/checkout.ts'
import { answer, asked, read } from '../support/scene/inputs.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { calling, settled } from '../support/scene.ts'

const test = suite('calls that need an approval')

test('[I5 I7] what an act causes waits for its approval, and is let go once', async () => {
  const { scene, id, shop, browser } = await atCheckout()
  const request = await asked(scene, id)
  assert.is(request.kind, 'approval')
  assert.is(
    request.message,
    'Pay 52.50 at shop.example. Request: POST shop.example/orders. From the page: button "Buy now", quantity 2, total 52.50',
  )
  const { id: _, terms, numbers, ...shown } = anOrder('52.50')
  assert.equal(request.call, {
    tool: 'computer',
    input: { action: 'left_click', ref: 'e12' },
    held: shown,
    changed: null,
  })
  assert.is(await answer(scene, id, request.id, 'accept'), 'accepted')
  assert.is(await answer(scene, id, request.id, 'accept'), 'answered')
  await scene.reaches(id, 'thinking')
  assert.is(await answer(scene, id, request.id, 'accept'), 'answered')
  assert.equal(shop.orders, ['52.50'])
  assert.equal(toolsOf(browser), ['computer', 'release', 'navigate'])
  assert.match(read(scene), /Ordered/)
})

test('[I5] what is declined is dropped, and what was asked for behind it does not run', async () => {
  const { scene, id, shop, browser } = await atCheckout()
  await answer(scene, id, (await asked(scene, id)).id, 'decline')
  await scene.reaches(id, 'thinking')
  assert.equal([shop.orders, shop.failed], [[], 1])
  assert.equal(toolsOf(browser), ['computer', 'release'])
  assert.match(read(scene), /the user declined this action/)
})

test('[I4 I5] without an answer in 10 minutes it is dropped', async () => {
  const { scene, id, shop } = await atCheckout()
  await asked(scene, id)
  await scene.clock.advance(10 * MINUTE_MS)
  await scene.reaches(id, 'thinking')
  assert.equal([shop.orders, shop.failed], [[], 1])
  assert.match(read(scene), /did not approve this action in time/)
})

test('[I7] the total changes before it is let go: asked again, with what changed', async () => {
  const { scene, id, shop } = await atCheckout()
  const first = await asked(scene, id)
  shop.total = '99.00'
  await answer(scene, id, first.id, 'accept')
  const second = await asked(scene, id)
  assert.is.not(second.id, first.id)
  assert.equal(second.call?.changed?.fields, [{ name: 'total', before: '52.50', after: '99.00' }])
  assert.equal(shop.orders, [])
  assert.is(await answer(scene, id, first.id, 'accept'), 'answered')
  await answer(scene, id, second.id, 'accept')
  await scene.reaches(id, 'thinking')
  assert.equal(shop.orders, ['99.00'])
})

for (const when of ['asked', 'approved', 'released'] as const)
  test(`[I7 D7 D8] a crash when it is ${when}: it is let go exactly once`, async () => {
    const { scene, id, shop, browser } = await atCheckout()
    const request = await asked(scene, id)
    const restart = async () => {
      await scene.reopen()
      browser.connect()
      await settled()
    }
    if (when === 'asked') await restart()
    browser.answers = when !== 'released'
    await answer(scene, id, request.id, 'accept')
    if (when === 'approved') await restart()
    if (when === 'released') {
      await settled()
      await restart()
      // The browser has it, and says what came of it.
      shop.orders.push(shop.total)
      browser.answers = true
      browser.finish(undefined, RELEASED)
    }
    await scene.reaches(id, 'thinking')
    assert.is(new Set(browser.executed).size, browser.executed.length)
    assert.equal(shop.orders, ['52.50'])
    assert.match(read(scene), /Ordered/)
  })

test('[I7 D8] a browser that was lost with what was let go: the outcome is unknown, and nothing is sent again', async () => {
  const { scene, id, shop, browser } = await atCheckout()
  const request = await asked(scene, id)
  browser.answers = false
  await answer(scene, id, request.id, 'accept')
  await settled()
  await scene.reopen()
  browser.forgets()
  browser.answers = true
  browser.connect()
  await scene.reaches(id, 'thinking')
  assert.match(read(scene), /the outcome of this call is unknown/)
  assert.equal(shop.orders, [])
  assert.is(toolsOf(browser).filter((tool) => tool === 'release').length, 1)
})

test('[I13] an approval for the task goes with every later frame, over a restart, too', async () => {
  const { scene, id, browser } = await atCheckout()
  const request = await asked(scene, id)
  const given = { action: 'accept' as const, content: null, forTask: true }
  await scene.taskService.answerInput(scene.workspaceId, id, request.id, given)
  await scene.reaches(id, 'thinking')
  await scene.reopen()
  browser.connect()
  await settled()
  scene.model.answer(calling(['read_page', {}]))
  await settled()
  const [first, ...later] = browser.of('mcp_execute_tool')
  assert.equal([first?.approvals, first?.allowedShapes], ['irreversible', undefined])
  assert.is(later.length, 3)
  for (const frame of later) assert.equal(frame.allowedShapes, ['POST https://shop.example/orders'])
})

test('[I6] what the model says of a call goes to its browser, and only of a task with approvals', async () => {
  for (const approvals of ['irreversible', 'never'] as const) {
    const { scene, id, browser } = await atCheckout({ approvals })
    if (approvals === 'irreversible') await answer(scene, id, (await asked(scene, id)).id, 'decline')
    await settled()
    browser.result = () => ({})
    scene.model.answer(calling(['computer', { action: 'left_click', ref: 'e1', intent: 'irreversible' }]))
    await settled()
    const frame = browser.of('mcp_execute_tool').at(-1)
    const isGated = approvals === 'irreversible'
    assert.equal([frame?.intent, frame?.approvals], isGated ? ['irreversible', 'irreversible'] : [undefined, undefined])
  }
})

test('[I5] never, the default: no frame asks its browser to hold, and nothing is asked', async () => {
  const { scene, id, browser } = await atCheckout({}, [])
  await scene.reaches(id, 'thinking')
  assert.equal(toolsOf(browser), ['computer', 'navigate'])
  assert.ok(browser.of('mcp_execute_tool').every((frame) => !('approvals' in frame)))
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
