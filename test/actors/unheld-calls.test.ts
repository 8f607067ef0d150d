import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isHarmless } from '../../machines/approval.ts'
import { HOLDS } from '../../machines/held.ts'
import { ANSWERS_INPUTS } from '../../machines/input-request.ts'
import { toolbox } from '../../src/models/toolbox.ts'
import { atCheckout, toolsOf } from '../support/scene/checkout.ts'
import { answer, asked, read } from '../support/scene/inputs.ts'
import { calling } from '../support/scene.ts'

const test = suite('approvals where a browser cannot hold, and what models are offered')

test('[I6] a browser that cannot hold: every act is asked for before it is sent, and no look', async () => {
  const { scene, id, browser } = await atCheckout({ approvals: 'irreversible' }, [])
  browser.result = () => ({})
  const first = await asked(scene, id)
  assert.equal([first.message, first.call?.held], ['Let the task act in the browser: computer left_click.', null])
  assert.equal(toolsOf(browser), [])
  await answer(scene, id, first.id, 'accept')
  const second = await asked(scene, id)
  assert.is(second.call?.tool, 'navigate')
  assert.equal(toolsOf(browser), ['computer'])
  await answer(scene, id, second.id, 'decline')
  await scene.reaches(id, 'thinking')
  scene.model.answer(calling(['read_page', {}], ['computer', { action: 'screenshot' }]))
  await scene.reaches(id, 'thinking')
  assert.equal(toolsOf(browser), ['computer', 'read_page', 'computer'])
})

test('[I6] a browser that held, replaced by one that cannot: nothing is let go, and the act is not repeated', async () => {
  const { scene, id, browser, shop } = await atCheckout()
  const request = await asked(scene, id)
  browser.disconnect()
  browser.forgets()
  browser.tools = [ANSWERS_INPUTS]
  browser.connect()
  await answer(scene, id, request.id, 'accept')
  await scene.reaches(id, 'thinking')
  assert.match(read(scene), /What was held is gone/)
  assert.equal([shop.orders, toolsOf(browser)], [[], ['computer']])
})

test('[I6] what only looks', () => {
  const looks = (tool: string, action?: string) => isHarmless({ tool, input: action ? { action } : {} })
  for (const tool of ['read_page', 'find', 'get_page_text']) assert.ok(looks(tool))
  for (const action of ['screenshot', 'zoom', 'wait', 'hover', 'scroll', 'scroll_to'])
    assert.ok(looks('computer', action))
  for (const [tool, action] of [
    ...['left_click', 'left_mouse_down', 'left_mouse_up', 'key', 'type', 'left_click_drag', 'list'].map(
      (each) => ['computer', each] as const,
    ),
    ...[
      ['navigate'],
      ['form_input'],
      ['javascript_tool'],
      ['dialog'],
      ['tabs', 'open'],
      ['files', 'upload'],
      ['release'],
    ],
  ])
    assert.not(looks(tool ?? '', action), `${tool} ${action}`)
})

test('[I7] the model cannot let go of anything: release is no tool of its own', async () => {
  const refused = toolbox.check('release', { held: 'hold 1', action: 'accept', terms: '' }, null, true)
  assert.ok(!refused.ok && /^There is no tool "release"/.test(refused.message))
  for (const announced of [null, [], [HOLDS, 'release']])
    assert.not(
      toolbox.specs(announced, null, { asksUser: true, approves: true }).some(({ name }) => name === 'release'),
    )
})

test('[I3] ask_user and intent are offered to tasks that opt in, and to no other', () => {
  const names = (asksUser: boolean) => toolbox.specs([], null, { asksUser, approves: false }).map(({ name }) => name)
  assert.ok(names(true).includes('ask_user'))
  assert.not(names(false).includes('ask_user'))
  assert.is(toolbox.check('ask_user', { question: 'Which?' }, null, true).ok, true)
  const refused = toolbox.check('ask_user', { question: 'Which?' })
  assert.is(!refused.ok && /There is no tool "ask_user"/.test(refused.message), true)
  const computer = (approves: boolean) =>
    JSON.stringify(toolbox.specs([], null, { asksUser: false, approves }).find(({ name }) => name === 'computer'))
  assert.match(computer(true), /"intent"/)
  assert.not.match(computer(false), /"intent"/)
})

test.run()
