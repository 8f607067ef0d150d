import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { headedSuite } from './browser.ts'
import { type HeadedTask, openHeadedTask } from './task.ts'

interface Scene {
  readonly task: HeadedTask
  readonly origin: string
  close(): Promise<unknown>
}

const test = headedSuite(
  'started again',
  async (): Promise<Scene> => {
    const server = createServer(({ url }, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(`<title>Shop</title><p>You are at ${url}</p><button>Buy</button>`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const task = await openHeadedTask()
    const close = () => {
      server.closeAllConnections()
      server.close()
      return task.close()
    }
    return { task, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
  },
  ({ close }) => close(),
)

/** How many tabs show an address of the site. */
const tabsAt = async ({ task, origin }: Scene, path = '/') =>
  (await task.browser.watcher.targets()).filter(({ url }) => url.startsWith(origin + path)).length

async function reloaded({ task }: Scene): Promise<void> {
  const { sockets, browser } = task
  const panel = await browser.openOwn('panel.html')
  await browser.watcher.value(panel, 'chrome.runtime.reload()').catch(() => {})
  await task.connected(sockets)
}

/** The task ends, and with it its tabs. */
async function end(scene: Scene): Promise<void> {
  scene.task.end()
  await eventually(async () => (await tabsAt(scene)) === 0, 'the tabs of the task to be closed')
}

test('[R61] the extension is reloaded: the task goes on in its tab, and no ref means another thing', async (scene) => {
  const { task, origin } = scene
  await task.call('navigate', { url: `${origin}/cart?step=1` })
  await task.call('tabs', { action: 'open' })
  await task.call('navigate', { url: `${origin}/terms` })
  const ref = await task.ref(/Buy/)
  await reloaded(scene)
  const { text, error } = await task.call('get_page_text', {})
  assert.match(text, /You are at \/terms/, error ?? '')
  assert.match((await task.call('tabs', { action: 'list' })).text, /cart\?step=1/)
  assert.is(await tabsAt(scene), 2)
  await task.call('navigate', { url: `${origin}/other` })
  assert.is.not(await task.ref(/Buy/), ref)
  await end(scene)
})

test('[R61] a tab that its user has taken over is theirs after a reload, too', async (scene) => {
  const { task, origin } = scene
  await task.call('navigate', { url: `${origin}/mine` })
  const panel = await task.browser.openOwn('panel.html')
  await task.browser.watcher.value(panel, `chrome.runtime.sendMessage({ type: 'take-over', taskId: '${task.taskId}' })`)
  await reloaded(scene)
  assert.match((await task.call('get_page_text', {})).error ?? '', /taken over/)
  scene.task.end()
  const isRid = async () => (await task.call('navigate', { url: `${origin}/next` })).error === null
  await eventually(isRid, 'the next task')
  assert.is(await tabsAt(scene, '/mine'), 1)
  const mine = await task.browser.watcher.target('/mine')
  await task.browser.watcher.close(mine)
  await end(scene)
})

test('[R61] the browser is started again without its tabs: the model reads where its page was', async (scene) => {
  const { task, origin } = scene
  await task.call('navigate', { url: `${origin}/cart?step=2` })
  const { sockets } = task
  await task.browser.kill('SIGKILL')
  await task.browser.restart()
  await task.connected(sockets)
  const { error } = await task.call('computer', { action: 'left_click', coordinate: [10, 10] })
  assert.match(error ?? '', /tab of this task was closed.*navigate.*\/cart\?step=2/s)
  assert.is((await task.call('navigate', { url: `${origin}/cart` })).error, null)
  assert.is(await tabsAt(scene), 1)
  await end(scene)
})

const RESTORED_MS_MAX = 50_000

test('[R61] the browser is started again with its tabs: the task has its own again, and it does not stay', async (scene) => {
  const { task, origin } = scene
  await task.call('navigate', { url: `${origin}/cart?step=3` })
  const { sockets } = task
  const { watcher } = task.browser
  const own = await watcher.open(`${origin}/own`)
  await eventually(async () => (await watcher.value(own, 'document.title')) === 'Shop', 'the user’s own tab')
  await watcher.send('Browser.close').catch(() => {})
  const hasEnded = () =>
    watcher
      .targets()
      .then(() => false)
      .catch(() => true)
  await eventually(hasEnded, 'the browser to end', 20_000)
  await task.browser.kill('SIGTERM')
  await task.browser.restart(true)
  await task.connected(sockets)
  // A busy browser loads the tabs in the background that it restores one by one.
  await task.browser.watcher.target('/cart', RESTORED_MS_MAX)
  const { text, error } = await task.call('get_page_text', {})
  assert.match(text, /You are at \/cart\?step=3/, error ?? '')
  assert.is(await tabsAt(scene, '/cart'), 1)
  task.end()
  await eventually(async () => (await tabsAt(scene, '/cart')) === 0, 'the tab of the task to be closed')
  await task.browser.watcher.target('/own')
})

test.run()
