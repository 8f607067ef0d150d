import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { headedSuite } from './browser.ts'
import { type HeadedTask, openHeadedTask } from './task.ts'
import type { Target } from './watcher.ts'

/** What a page does that only a person can answer, and a worker that goes on ticking while a dialog stops the page. */
const PAGE = `<title>Yours</title>
<button id="alert" onclick="alert('Hello'); fetch('/after/alert')">Alert</button>
<button id="confirm" onclick="fetch('/after/confirm-' + confirm('Sure?'))">Confirm</button>
<button id="prompt" onclick="fetch('/after/prompt-' + prompt('Name?', ''))">Prompt</button>
<button id="pay" onclick="fetch('/pay', { method: 'POST', body: 'amount=12' })">Pay now</button>
<input id="file" type="file" onchange="fetch('/after/file')">
<form action="/sent" method="post"><button id="send">Send</button></form>
<script>
  new Worker(URL.createObjectURL(new Blob(["setInterval(() => fetch('" + location.origin + "/tick'), 200)"])))
</script>`

interface Site {
  readonly origin: string
  /** Methods and paths in the order in which they came. */
  readonly asked: string[]
  close(): void
}

async function openSite(): Promise<Site> {
  const asked: string[] = []
  const html = (response: ServerResponse, text: string) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(text)
  }
  const server = createServer((request, response) => {
    request.resume()
    if (request.url !== '/favicon.ico') asked.push(`${request.method} ${request.url}`)
    html(response, request.url === '/page' ? PAGE : '<title>Other</title>Thank you')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Scene {
  readonly task: HeadedTask
  readonly site: Site
  /** The task's tab, once it is the user's. */
  page: Target
}

const APPROVALS = { approvals: 'always' }

const test = headedSuite(
  'taken over',
  async (): Promise<Scene> => {
    const [task, site] = await Promise.all([openHeadedTask(), openSite()])
    const { error } = await task.call('navigate', { url: `${site.origin}/page` }, APPROVALS)
    if (error !== null) throw new Error(error)
    await say(task, 'take-over')
    return { task, site, page: await task.browser.watcher.target('/page') }
  },
  ({ task, site }) => {
    site.close()
    return task.close()
  },
)

/** What the panel says when its button is pressed. */
async function say({ browser, taskId }: HeadedTask, type: 'take-over' | 'hand-back'): Promise<void> {
  const panel = await browser.openOwn('panel.html')
  await browser.watcher.value(panel, `chrome.runtime.sendMessage(${JSON.stringify({ type, taskId })})`)
  await browser.watcher.close(panel)
}

const came = ({ site }: Scene, what: string) => eventually(() => site.asked.includes(what), `${what} at the site`)

/** The page's own clock goes on for so many ticks, whatever stops its main thread. */
async function ticks({ site }: Scene, count: number): Promise<void> {
  const before = site.asked.length
  const isLater = () => site.asked.slice(before).filter((each) => each === 'GET /tick').length >= count
  await eventually(isLater, `${count} ticks of the page`, 60_000)
}

test('[R60] an alert stays until the user closes it', async (scene) => {
  const { browser } = scene.task
  await browser.click(scene.page, '#alert')
  await ticks(scene, 8)
  assert.not.ok(scene.site.asked.includes('GET /after/alert'))
  await browser.screen.press('Return')
  await came(scene, 'GET /after/alert')
})

test('[R60] a confirm and a prompt are answered by the user, however long they take', async (scene) => {
  const { browser } = scene.task
  await browser.click(scene.page, '#confirm')
  // Longer than a dialog of a task is held.
  await ticks(scene, 55)
  assert.not.ok(scene.site.asked.some((each) => each.includes('/after/confirm')))
  await browser.screen.press('Return')
  await came(scene, 'GET /after/confirm-true')
  await browser.click(scene.page, '#prompt')
  await ticks(scene, 2)
  await browser.screen.type('Ada')
  await browser.screen.press('Return')
  await came(scene, 'GET /after/prompt-Ada')
})

test('[R60] what the user presses is sent, and nobody is asked', async (scene) => {
  await scene.task.browser.click(scene.page, '#pay')
  await came(scene, 'POST /pay')
})

test('[R60] permissions are as in a tab of the user’s own', async (scene) => {
  const { watcher } = scene.task.browser
  const states = (page: Target) =>
    watcher.value<string[]>(
      page,
      `Promise.all(['geolocation', 'notifications', 'clipboard-read', 'camera'].map((name) => navigator.permissions.query({ name }).then(({ state }) => state)))`,
    )
  const own = await watcher.open(`${scene.site.origin}/own`)
  assert.equal(await states(scene.page), await states(own))
  await watcher.close(own)
})

test('[R60] a file field opens the window in which files are chosen', async (scene) => {
  const { browser } = scene.task
  await browser.click(scene.page, '#file')
  const isOpen = async () => (await browser.screen.xdotool('search', '--name', 'Open File').catch(() => '')) !== ''
  await eventually(isOpen, 'the file window')
  await browser.screen.press('Escape')
  await eventually(async () => !(await isOpen()), 'the file window to be closed')
})

test('[R60] handed back, the task works in the page as the user has left it', async (scene) => {
  const { task, site } = scene
  await task.browser.visit(`${site.origin}/mine`)
  await eventually(() => site.asked.includes('GET /mine'), 'the page of the user')
  const refused = await task.call('read_page', {}, APPROVALS)
  assert.match(refused.error ?? '', /taken over/)
  await say(task, 'hand-back')
  const read = await task.call('get_page_text', {}, APPROVALS)
  assert.match(read.text, /Thank you/, read.error ?? '')
  const back = await task.call('navigate', { url: `${site.origin}/page` }, APPROVALS)
  assert.is(back.error, null)
  const before = site.asked.filter((each) => each === 'POST /pay').length
  const { held } = await task.call(
    'computer',
    { action: 'left_click', ref: await task.ref(/Pay now/, APPROVALS) },
    APPROVALS,
  )
  assert.ok(held, 'a press of the task is held again')
  assert.is(site.asked.filter((each) => each === 'POST /pay').length, before)
})

test.run()
