import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aScene, calling, type SceneBrowser, saying, settled } from '../support/scene.ts'

const test = suite('confined tasks')

const DOMAINS = ['shop.example', '*.pay.example']

/** A browser that has announced that it keeps tasks within their domains. */
function knowing(browser: SceneBrowser): SceneBrowser {
  browser.tools = ['allowed_domains']
  return browser.connect()
}

test('[F3] every frame of a confined task carries its domains, also after a restart; those of others do not', async () => {
  const scene = await aScene()
  const browser = knowing(scene.browser(2, {}, false))
  const id = await scene.task(browser, { allowedDomains: DOMAINS })
  browser.answers = false
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled()
  assert.equal(browser.of('mcp_execute_tool')[0]?.allowedDomains, DOMAINS)
  await scene.reopen()
  browser.forgets()
  browser.connect()
  await settled(60)
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled(60)
  for (const frame of browser.of('mcp_execute_tool')) assert.equal(frame.allowedDomains, DOMAINS)
  await scene.taskService.cancelTask(scene.workspaceId, id)

  const free = scene.browser()
  await scene.task(free)
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled()
  assert.not('allowedDomains' in (free.of('mcp_execute_tool')[0] ?? { allowedDomains: 1 }))
})

test('[F2] an address outside of the domains is not sent to the browser, whatever tool it is for', async () => {
  const scene = await aScene()
  const browser = knowing(scene.browser(2, {}, false))
  await scene.task(browser, { allowedDomains: DOMAINS })
  for (const url of [
    'https://evil.example',
    'evil.example',
    'shop.example.evil.example',
    'https://shop.example:8443',
    '//evil.example',
    'data:text/html,hello',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://127.0.0.1',
    'https://shop.example@evil.example',
  ]) {
    scene.model.answer(calling(['navigate', { url }]))
    await settled()
    assert.match(
      JSON.stringify(scene.model.waiting.at(-1)?.request.messages.at(-1)),
      /This task may only open pages of shop\.example/,
      url,
    )
  }
  assert.is(browser.of('mcp_execute_tool').length, 0)
  for (const url of ['https://www.shop.example/tea', 'checkout.pay.example', 'back']) {
    scene.model.answer(calling(['navigate', { url }]))
    await settled()
  }
  assert.is(browser.of('mcp_execute_tool').length, 3)
})

test('[F3] a browser that did not say that it can is asked for nothing, and the model reads why', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  await scene.task(browser, { allowedDomains: DOMAINS })
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled()
  assert.equal(browser.of('mcp_execute_tool'), [])
  assert.match(
    JSON.stringify(scene.model.waiting.at(-1)?.request.messages.at(-1)),
    /cannot keep a task within allowed_domains/,
  )
  scene.model.answer(saying('It cannot be done.'))
  await settled()
})

test('[F1] the model is told the domains', async () => {
  const scene = await aScene()
  await scene.task(knowing(scene.browser(2, {}, false)), { allowedDomains: DOMAINS })
  assert.match(
    JSON.stringify(scene.model.waiting.at(-1)?.request.messages[0]),
    /may only open pages of shop\.example, \*\.pay\.example/,
  )
})

test.run()
