import * as assert from 'uvu/assert'
import { DEMO_SCRIPT, DEMO_TASK, expectedTotal } from '../../src/demo/script.ts'
import { GOODS, money } from '../../src/demo/shop/goods.ts'
import { openModel } from '../../src/models/open.ts'
import { openLog } from '../../src/observe/log.ts'
import { eventually } from '../support/eventually.ts'
import { extensionSuite } from './browser.ts'
import { call, modelOf, refIn, resultsOf } from './playing.ts'
import { ended, openScene, pair, start } from './scene.ts'

const EVERY_TOOL = 'Try every tool that there is, one after the other'

const GO_ON = 'Say where you are'

let shopUrl = ''
let read: ReturnType<typeof resultsOf> = []
let during = async (): Promise<void> => {}

/** Every tool once, each with what the one before gave. */
const everyTool = modelOf(async (turn, messages) => {
  read = resultsOf(messages)
  switch (turn) {
    case 0:
      return call('navigate', { url: shopUrl })
    case 1:
      return call('find', { query: 'search box' })
    case 2:
      return call('form_input', { ref: refIn(messages, /searchbox/), value: 'kyoto' })
    case 3:
      return call('computer', { action: 'key', text: 'Enter' })
    case 4:
      return call('read_page', { filter: 'all' })
    case 5:
      return call('get_page_text')
    case 6:
      return call('javascript_tool', { action: 'javascript_exec', text: 'document.title' })
    case 7:
      return call('computer', { action: 'screenshot' })
    default:
      await during()
      return { answer: 'All seven.' }
  }
})
/** Looks at its page, and says what is there. */
const goesOn = modelOf((_, messages) =>
  messages.at(-1)?.role === 'user' ? call('get_page_text') : { answer: resultsOf(messages).at(-1)?.text ?? '' },
)
const demo = openModel(
  { provider: 'scripted', model: null, baseUrl: null, apiKey: null, script: DEMO_SCRIPT },
  openLog({ level: 'silent' }),
)
const model: typeof everyTool = {
  ...everyTool,
  ask(request, signal) {
    const [first] = request.messages
    const last = request.messages.findLast(({ role }) => role === 'user')
    if (last?.role === 'user' && last.text.includes(GO_ON)) return goesOn.ask(request, signal)
    const chosen = first?.role === 'user' && first.text.includes(EVERY_TOOL) ? everyTool : demo
    return chosen.ask(request, signal)
  },
}

const test = extensionSuite(
  'tasks in the extension',
  () => openScene(model),
  (scene) => scene.close(),
)
let session = ''
let before = ''

test('[P1] [S1] the pairing page, a click, consent, and the browser is paired', async (scene) => {
  session = await pair(scene)
  const { json } = await scene.api.get('/v1/browser-sessions')
  assert.is(json.sessions.length, 1)
})

test('[G1] [G4] [G5] [G6] [G8] [G10] [G11] [G13] all seven tools work in a tab of the task, in a group named after it', async ({
  api,
  browser,
  shop,
  service,
}) => {
  shopUrl = shop.url
  const options = await browser.open('options.html')
  const tabsBefore = browser.context.pages().length
  let groups: unknown
  let badge: unknown
  let tabs = 0
  during = async () => {
    groups = await options.evaluate(
      'Promise.all([chrome.tabGroups.query({}), chrome.tabs.query({groupId: -1})]).then(([groups, rest]) => ({titles: groups.map(({title}) => title), rest: rest.length}))',
    )
    badge = await options.evaluate('chrome.action.getBadgeText({})')
    tabs = browser.context.pages().length
  }
  const id = await start(api, session, EVERY_TOOL)
  before = id
  const task = await ended(api, id)
  assert.is(task.status, 'complete', task.answer ?? '')
  assert.is(task.answer, 'All seven.')
  const failures = read.filter(({ text }) => text.startsWith('Error'))
  assert.equal(failures, [])
  const [opened, found, filled, pressed, page, text, script, picture] = read.map(({ text }) => text)
  assert.match(opened ?? '', new RegExp(`\\(${shop.url}`))
  assert.match(found ?? '', /searchbox "Search the shop"/)
  assert.match(filled ?? '', /kyoto/)
  assert.match(pressed ?? '', /Enter/)
  // The products themselves come a moment later.
  assert.match(page ?? '', /heading "Results for “kyoto”"/)
  assert.match(text ?? '', /Results for “kyoto”/)
  assert.match(script ?? '', /Kettle & Leaf/)
  assert.match(picture ?? '', /^Screenshot of \d+ × \d+ pixels/)
  const { json } = await api.get(`/v1/tasks/${id}/steps`)
  assert.ok(json.steps.some(({ has_screenshot }: { has_screenshot: boolean }) => has_screenshot))

  assert.equal(groups, { titles: [`Task ${id.slice(0, 4)}`], rest: tabsBefore })
  assert.is(badge, '1')
  assert.is(tabs, tabsBefore + 1)
  // The service knows of the end first; the browser hears of it, and closes the tab: its group goes with it.
  await eventually(() => browser.context.pages().length === tabsBefore, 'the tab to be closed')
  assert.equal(await options.evaluate('chrome.tabGroups.query({})'), [])
  await eventually(async () => (await options.evaluate('chrome.action.getBadgeText({})')) === '', 'no badge')
  const record = await service.store.sessions.get(session)
  assert.type(record?.tabId, 'number')
})

test('[I10] a task that goes on begins at the page where the earlier one ended', async ({ api }) => {
  const id = await start(api, session, GO_ON, { continue_task_id: before })
  const task = await ended(api, id)
  assert.is(task.status, 'complete', task.answer ?? '')
  assert.match(task.answer ?? '', /Results for “kyoto”/)
})

test('[R13] [R14] [G13] the shop task of the demo runs in the extension, and its screenshots arrive', async ({
  api,
  shop,
}) => {
  const id = await start(api, session, DEMO_TASK, { url: shop.url })
  const task = await ended(api, id)
  assert.is(task.status, 'complete', task.answer ?? '')
  const [order, ...more] = shop.orders
  assert.equal(more, [])
  assert.is(order?.totalCents, expectedTotal(GOODS))
  assert.ok(task.answer?.includes(order?.number ?? '?'))
  assert.ok(task.answer?.includes(money(expectedTotal(GOODS)).slice(1)))
  const { json } = await api.get(`/v1/tasks/${id}/steps`)
  const pictured = json.steps.filter(({ status }: { status: string }) => status === 'screenshot')
  assert.is(pictured.length, 2)
  const picture = await api.get(`/v1/tasks/${id}/screenshots/${pictured[0].step}`)
  assert.is(picture.headers['content-type'], 'image/jpeg')
  assert.equal([...picture.raw.subarray(0, 3)], [0xff, 0xd8, 0xff])
})

await test.run()
