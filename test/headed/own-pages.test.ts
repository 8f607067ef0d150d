import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { servePages } from '../support/pages.ts'
import { headedSuite } from './browser.ts'
import { openHeadedTask } from './task.ts'

const TOLD = /^The browser (lets no|does not let an) extension .*Use navigate to open an[^.]*\.\s*$/

const test = headedSuite(
  'pages that nobody may control',
  async () => {
    const [task, pages] = await Promise.all([openHeadedTask(), servePages()])
    return { task, pages }
  },
  ({ task, pages }) => Promise.all([task.close(), pages.close()]),
)

for (const own of ['chrome://version', 'view-source:', 'chrome://extensions'])
  test(`[R62] ${own} in the task's tab is told plainly, and the task goes on in a new tab`, async ({ task, pages }) => {
    const { browser } = task
    const address = `${pages.origin}/first`
    assert.is((await task.call('navigate', { url: address })).error, null)
    const targets = await browser.watcher.targets()
    const { targetId } = targets.find(({ url }) => url === address) ?? { targetId: '' }
    await browser.screen.press('ctrl+9')
    await browser.visit(own === 'view-source:' ? own + address : own)
    await eventually(
      async () => (await browser.watcher.targets()).every((each) => each.targetId !== targetId || each.url !== address),
      'the page to be left',
      20_000,
    )
    const told: string[] = []
    // A call that comes while the page changes says that it has.
    const isTold = async () => TOLD.test(told[told.push((await task.call('get_page_text', {})).error ?? '') - 1] ?? '')
    await eventually(isTold, 'the model to be told', 20_000)
    assert.not.match(told.join('\n'), /Cannot|No SW|attached|chrome:/)
    assert.match((await task.call('read_page', {})).error ?? '', TOLD)
    const { error } = await task.call('navigate', { url: address })
    assert.is(error, null)
    assert.match((await task.call('get_page_text', {})).text, /\S/)
    task.end()
    const isGone = async () => (await browser.watcher.targets()).every(({ url }) => !url.includes('/first'))
    await eventually(isGone, 'the tabs of the task to be closed', 20_000)
  })

test('[R62] Cancel in the bar ends the task, and its tabs with it', async ({ task, pages }) => {
  const { browser } = task
  await task.call('navigate', { url: `${pages.origin}/first` })
  await task.call('tabs', { action: 'open' })
  await task.call('navigate', { url: `${pages.origin}/second` })
  const before = task.socket.frames.length
  await browser.screen.click(849, 115)
  const isCancelled = () => task.socket.frames.slice(before).some(({ type }) => type === 'cancel_task')
  await eventually(isCancelled, 'the task to be cancelled')
  task.end()
  const isGone = async () => (await browser.watcher.targets()).every(({ url }) => !url.startsWith(pages.origin))
  await eventually(isGone, 'the tabs of the task to be closed', 20_000)
  const panel = await browser.openOwn('panel.html')
  const groups = () => browser.watcher.value<number>(panel, 'chrome.tabGroups.query({}).then(({ length }) => length)')
  await eventually(async () => (await groups()) === 0, 'no group to stay')
})

test.run()
