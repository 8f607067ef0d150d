import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { servePages } from '../support/pages.ts'
import { extensionSuite } from './browser.ts'
import { call, modelOf, type Next, resultsOf } from './playing.ts'
import { ended, openScene, pair, type Scene, start } from './scene.ts'

/** What the model says next, as the test at hand wants it; results are those of its task. */
let play: (turn: number, results: ReturnType<typeof resultsOf>) => Next = () => ({ answer: 'Nothing to do.' })
const wait = call('computer', { action: 'wait', duration: 8 })

const test = extensionSuite(
  'tabs of tasks',
  async () => {
    const scene = await openScene(modelOf((turn, messages) => play(turn, resultsOf(messages))))
    const [session, pages] = [await pair(scene), await servePages()]
    return { scene, session, pages }
  },
  ({ scene, pages }) => Promise.all([scene.close(), pages.close()]),
)

const inTab = ({ browser }: Scene, part: string) => browser.context.pages().find((page) => page.url().includes(part))

test('[G13] a tab that the user closes fails the call with a clear text', async ({ scene, session, pages }) => {
  let read = ''
  play = (turn, results) => {
    if (turn === 0) return call('navigate', { url: `${pages.origin}/first` })
    if (turn === 1) return wait
    read = results.at(-1)?.text ?? ''
    return { answer: 'It was closed.' }
  }
  const id = await start(scene.api, session, 'Lose the tab')
  await eventually(async () => (await scene.api.task(id)).steps === 2, 'the second call', 20_000)
  await eventually(() => inTab(scene, '/first') !== undefined, 'the tab')
  await inTab(scene, '/first')?.close()
  await ended(scene.api, id)
  assert.match(read, /^Error: The tab of this task was closed\./)
})

test('sites that the user rules out are neither opened nor stayed on, and pages of the browser are refused', async ({
  scene,
  session,
  pages,
}) => {
  const options = await scene.browser.open('options.html')
  await options.getByLabel('Block these sites').fill('no site at all')
  await options.getByRole('button', { name: 'Save' }).click()
  await options.getByText('“no site at all” is not a valid site. Nothing was saved.').waitFor()
  await options.getByLabel('Block these sites').fill(`https://bank.example/login\n${new URL(pages.origin).host}`)
  await options.getByRole('button', { name: 'Save' }).click()
  await options.getByText('Saved.').waitFor()
  const shop = scene.shop.url
  let read: string[] = []
  const asked = pages.asked.length
  play = (turn, results) => {
    read = results.map(({ text }) => text)
    const steps = [
      call('navigate', { url: `${pages.origin}/first` }),
      call('navigate', { url: 'https://www.bank.example' }),
      call('navigate', { url: 'chrome://settings' }),
      call('navigate', { url: 'https://chromewebstore.google.com/detail/x' }),
      call('navigate', { url: shop }),
      call('javascript_tool', {
        action: 'javascript_exec',
        text: `location.href = '${pages.origin}/second'; new Promise(() => {})`,
      }),
      call('get_page_text'),
      call('navigate', { url: shop }),
    ]
    return steps[turn] ?? { answer: 'Refused.' }
  }
  const id = await start(scene.api, session, 'Go where it is not allowed')
  await ended(scene.api, id)
  const [denied, bank, browserPage, store, opened, led, after, again] = read
  for (const text of [denied, led]) assert.match(text ?? '', /^Error: The user has blocked tasks on 127\.0\.0\.1:/)
  assert.match(bank ?? '', /^Error: The user has blocked tasks on www\.bank\.example/)
  assert.match(browserPage ?? '', /^Error: .*Only http and https pages can/)
  assert.match(store ?? '', /^Error: The browser does not let an extension act on chromewebstore/)
  assert.match(opened ?? '', /^The page has loaded\.\n[\s\S]*Page "/)
  assert.not.match(after ?? '', /Second/)
  assert.match(again ?? '', /^The page has loaded\.\n[\s\S]*Page "/)
  assert.equal(
    pages.asked.slice(asked).filter((path) => path === '/first'),
    [],
  )
  await options.close()
})

test('[G13] a window that a page opens becomes the tab of the task, and is closed with it', async ({
  scene,
  session,
  pages,
}) => {
  let read: string[] = []
  play = (turn, results) => {
    read = results.map(({ text }) => text)
    if (turn === 0) return call('navigate', { url: `${pages.origin}/first` })
    if (turn === 1) return call('find', { query: 'Third page in a window' })
    if (turn === 2) return call('computer', { action: 'left_click', ref: /\[(e\d+)\]/.exec(read[1] ?? '')?.[1] ?? '' })
    if (turn === 3) return call('get_page_text')
    return { answer: 'Seen.' }
  }
  const options = await scene.browser.open('options.html')
  await options.getByLabel('Block these sites').fill('')
  await options.getByRole('button', { name: 'Save' }).click()
  await options.getByText('Saved.').waitFor()
  await options.close()
  const id = await start(scene.api, session, 'Open a window')
  const task = await ended(scene.api, id)
  assert.is(task.answer, 'Seen.')
  assert.match(read[2] ?? '', /A new window opened: tab 2\.[\s\S]*"Third"/)
  assert.match(read[3] ?? '', /Third/)
  await eventually(() => !inTab(scene, pages.origin), 'both tabs to be closed')
})

test('[G17] frames of other sites are read and used through sessions of their own', async ({
  scene,
  session,
  pages,
}) => {
  let read: string[] = []
  play = (turn, results) => {
    read = results.map(({ text }) => text)
    const ref = /textbox "Inner field" \[(\w+)\]/.exec(read[1] ?? '')?.[1] ?? ''
    const steps = [
      call('navigate', { url: `${pages.origin}/seen` }),
      call('read_page'),
      call('form_input', { ref, value: 'by the extension' }),
      call('computer', { action: 'left_click', ref }),
      call('computer', { action: 'key', text: 'End' }),
      call('computer', { action: 'type', text: '!' }),
      call('find', { query: 'inner field' }),
    ]
    return steps[turn] ?? { answer: 'Seen.' }
  }
  await ended(scene.api, await start(scene.api, session, 'Read a frame'))
  assert.match(read[1] ?? '', /frame "Cross"\n {2}text "Inside the frame"\n {2}button "Inner button" \[f\d+e\d+\]/)
  assert.match(read[6] ?? '', /textbox "Inner field" \[f\d+e\d+\].* value="by the extension!"/, read.join('\n---\n'))
})

test('[G13] two tasks at once work each in a tab of its own', async ({ scene, session, pages }) => {
  play = (turn, results) => {
    if (turn === 0) return call('navigate', { url: `${pages.origin}/slow` })
    if (turn === 1)
      return call('javascript_tool', {
        action: 'javascript_exec',
        text: 'window.seen = (window.seen ?? 0) + 1',
        look: 'none',
      })
    return { answer: results.at(-1)?.text.trim() ?? '' }
  }
  const ids = await Promise.all(['One', 'Two'].map((words) => start(scene.api, session, words)))
  const answers = await Promise.all(ids.map(async (id) => (await ended(scene.api, id)).answer))
  assert.equal(answers, ['1', '1'])
  await eventually(() => !inTab(scene, '/slow'), 'their tabs to be closed')
})

await test.run()
