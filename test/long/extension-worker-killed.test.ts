import * as assert from 'uvu/assert'
import { extensionSuite } from '../extension/browser.ts'
import { COUNT_ONCE, countingPage } from '../extension/counting.ts'
import { call, modelOf, resultsOf } from '../extension/playing.ts'
import { ended, openScene, pair, start } from '../extension/scene.ts'
import { eventually } from '../support/eventually.ts'

let url = ''
let read: string[] = []
/** It counts once; whatever comes of it, it looks at the page afterwards, for as long as the browser is away. */
const model = modelOf((turn, messages) => {
  read = resultsOf(messages).map(({ text }) => text)
  if (turn === 0) return call('navigate', { url })
  if (turn === 1) {
    return call('javascript_tool', { action: 'javascript_exec', text: COUNT_ONCE })
  }
  if (turn > 2 && !/^Error/.test(read.at(-1) ?? '')) return { answer: `The page says ${read.at(-1)}` }
  return call('get_page_text', { max_chars: 1_000 + turn })
})

const test = extensionSuite(
  'a worker that is killed',
  async () => ({ scene: await openScene(model), page: await countingPage() }),
  ({ scene, page }) => Promise.all([scene.close(), page.close()]),
)

test('[R38] [R39] [R40] [D8] killed in the middle of a call: the task completes in its own tab, and nothing is executed twice', async ({
  scene,
  page,
}) => {
  const { api, browser } = scene
  url = page.url
  const session = await pair(scene)
  const options = await browser.open('options.html')
  const protocol = await browser.context.newCDPSession(options)
  await protocol.send('ServiceWorker.enable')
  const id = await start(api, session, 'Count once')
  await eventually(() => page.counted.length === 1, 'the call to be under way', 20_000)
  const before = browser.context.pages().length
  await protocol.send('ServiceWorker.stopAllWorkers')
  await eventually(
    async () => (await api.get('/v1/browser-sessions')).json.sessions[0].status === 'disconnected' || read.length > 1,
    'the worker to be gone',
    20_000,
  )
  page.release()
  const task = await ended(api, id)
  assert.is(task.status, 'complete', task.answer ?? '')
  assert.match(task.answer ?? '', /Counting/)
  assert.is(page.counted.length, 1)
  assert.match(read[1] ?? '', /^Error: (Browser session \S+ disconnected|The browser was interrupted)/)
  // The tab that the task had, and no second one: it is closed now.
  await eventually(() => browser.context.pages().length === before - 1, 'the tab to be closed')
})

test('[R40] the extension is reloaded in mid-task: it is still paired, connects again, and the task completes', async ({
  scene,
  page,
}) => {
  const { api, browser } = scene
  const counted = page.counted.length
  const { json } = await api.get('/v1/browser-sessions')
  const id = await start(api, json.sessions[0].id, 'Count again')
  await eventually(() => page.counted.length > counted, 'the call to be under way', 20_000)
  const tabOfBefore = browser.context.pages().find((each) => each.url().startsWith(url))
  const settings = await browser.context.newPage()
  await settings.goto('chrome://extensions')
  // As a person has it who loaded an unpacked extension: without it, Chromium does not load one again.
  await settings.evaluate(
    'new Promise((done) => chrome.developerPrivate.updateProfileConfiguration({ inDeveloperMode: true }, done))',
  )
  const options = await browser.open('options.html')
  // Its own pages are closed with it.
  await options.evaluate('void chrome.runtime.reload()').catch(() => {})
  page.release()
  const task = await ended(api, id)
  assert.is(task.status, 'complete', task.answer ?? '')
  assert.is(page.counted.length, counted + 1)
  // What it knew of its tab is gone with its memory: the tab is left to the user.
  assert.is(tabOfBefore?.isClosed(), false)
})

await test.run()
