import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Conversation } from '../../actors/conversation/conversation.ts'
import { SHORTENED_CHARS } from '../../actors/limits.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { CONTEXT, result } from '../support/conversations.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, settled } from '../support/scene.ts'
import { aTask } from '../support/stores.ts'

const test = suite('the address of a task')
const URL = 'https://shop.example/'
const PAGE = 'button "Buy" [e1]'

/** A task with an address, whose browser shows a page and waits with its answers. */
async function aTaskAt(protocol: 1 | 2) {
  const scene = await aScene()
  const browser = scene.browser(protocol)
  browser.answers = false
  const id = await scene.task(browser, { url: URL })
  return { scene, browser, id, told: () => scene.model.last?.messages ?? [] }
}
const shown = { said: 'Opened.', page: { content: PAGE, url: URL } }

test('[L47] it is opened before the model is asked, which reads the page behind its task', async () => {
  const { scene, browser, id, told } = await aTaskAt(2)
  const [frame] = browser.of('mcp_execute_tool')
  assert.equal([frame?.requestId, frame?.tool, frame?.input], [id, 'navigate', { url: URL }])
  assert.is(scene.model.asked, 0)
  browser.finish(id, shown)
  await settled()
  assert.is(scene.model.asked, 1)
  const [, opened] = told()
  assert.equal(
    told().map(({ role }) => role),
    ['user', 'user'],
  )
  assert.ok(opened?.role === 'user' && opened.text.includes(`<page_content>\n${PAGE}\n</page_content>`))
  const records = (await scene.taskService.steps(scene.workspaceId, id)) ?? []
  assert.equal(
    records.map(({ step, status, toolName }) => [step, status, toolName]),
    [
      [0, 'tool_use', 'navigate'],
      [0, 'tool_output', 'navigate'],
      [0, 'tool_result', 'navigate'],
    ],
  )
  scene.model.answer(calling(['finish', { success: true, answer: 'It says "Buy".' }]))
  await settled()
  assert.equal([scene.record(id).steps, scene.record(id).status], [1, 'complete'])
  nothingLeft(scene)
})

test('[L47 D8] after a crash its browser tells what came of it: it is opened once, and read once', async () => {
  for (const isOpened of [false, true]) {
    const { scene, browser, id, told } = await aTaskAt(2)
    if (isOpened) {
      browser.finish(id, shown)
      await settled()
    }
    await scene.reopen()
    browser.connect()
    await settled()
    if (!isOpened) browser.finish(id, shown)
    await scene.reaches(id, 'thinking')
    assert.equal(browser.executed, [id])
    assert.is(told().filter((message) => message.role === 'user' && message.opened).length, 1)
  }
})

test('[L47] an address that does not open is the model’s to deal with', async () => {
  const { browser, id, scene, told } = await aTaskAt(2)
  browser.finish(id, { error: 'The site refused the connection.', output: null })
  await scene.reaches(id, 'thinking')
  const [, opened] = told()
  assert.ok(opened?.role === 'user' && opened.text.startsWith(TO_MODEL.opened('Error: ').trim()))
})

test('[L47] a browser of protocol 1 does what its model asks, and nothing before', async () => {
  const { scene, browser, told } = await aTaskAt(1)
  assert.equal(browser.of('mcp_execute_tool'), [])
  assert.is(scene.model.asked, 1)
  assert.is(told().length, 1)
})

test('[L12 L47] the page that was opened is shortened like any other', () => {
  const conversation = new Conversation(aTask({ url: URL }), CONTEXT)
  conversation.addResult({ ...result('t', 'x'.repeat(10 * SHORTENED_CHARS)), step: 0, tool: 'navigate' }, null)
  const before = conversation.tokens
  conversation.shrink()
  const [, opened] = conversation.messages
  assert.ok(opened?.role === 'user' && opened.text.endsWith(TO_MODEL.outputShortened))
  assert.ok(conversation.tokens < before / 2)
})

test.run()
