import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { headedSuite } from './browser.ts'
import { openHeadedTask } from './task.ts'

const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 46>>stream
BT /F1 18 Tf 20 100 Td (Oolong, 12 boxes) Tj ET
endstream endobj
trailer<</Root 1 0 R>>`
const LEAVING = `<script>addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'x' })</script>`
const PAGES: Readonly<Record<string, string>> = {
  '/leaving': `${LEAVING}<input aria-label=Note><button onclick="1">Go on</button>`,
  '/frame': '<iframe src=/leaving></iframe>',
  '/slow': '<img src=/never><p>Slow tea</p>',
}

const test = headedSuite(
  'how tabs of tasks end',
  async () => {
    const server = createServer(({ url = '' }, response) => {
      if (url === '/never') return
      if (url === '/pdf') return response.writeHead(200, { 'content-type': 'application/pdf' }).end(PDF)
      if (url === '/late')
        return setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end('Late tea'), 3_000)
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGES[url] ?? '<p>Tea</p>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`
    return { task: await openHeadedTask(), origin, server }
  },
  async ({ task, server }) => {
    await task.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  },
)

for (const [what, path, line] of [
  ['asks before it is left', '/leaving', /Go on/],
  ['has a frame that asks before it is left', '/frame', /Go on/],
] as const)
  test(`[S26] a task that ends on a page that ${what} leaves no tab and no question`, async ({ task, origin }) => {
    const { watcher } = task.browser
    await task.call('navigate', { url: origin + path })
    await task.call('computer', { action: 'left_click', ref: await task.ref(line), look: 'none' })
    task.end()
    const isGone = async () => (await watcher.targets()).every(({ url }) => !url.startsWith(origin))
    await eventually(isGone, 'the tab to be closed', 8_000)
    assert.match((await task.browser.front()).url, 'about:blank')
  })

test('[S26] a PDF is opened in the tab of a task, which stays its tab', async ({ task, origin }) => {
  await task.call('navigate', { url: `${origin}/tea` })
  await task.call('navigate', { url: `${origin}/pdf` })
  const { error, text } = await task.call('get_page_text', {})
  assert.is(error, null)
  assert.match(text, 'Oolong, 12 boxes')
  await task.call('navigate', { url: `${origin}/tea` })
  const page = await task.call('get_page_text', {})
  assert.match(page.text, 'Tea', page.error ?? '')
  assert.is((await task.browser.watcher.targets()).filter(({ url }) => url.startsWith(origin)).length, 1)
  task.end()
  const isGone = async () => (await task.browser.watcher.targets()).every(({ url }) => !url.startsWith(origin))
  await eventually(isGone, 'the tab to be closed', 8_000)
})

test('[S26] a worker that is stopped while a document loads is followed by one whose calls are answered', async ({
  task,
  origin,
}) => {
  const { watcher } = task.browser
  await task.call('navigate', { url: `${origin}/tea` })
  const { sockets } = task
  task.call('navigate', { url: `${origin}/late` }).catch(() => {})
  await eventually(async () => (await watcher.targets()).some(({ url }) => url.endsWith('worker.js')), 'the worker')
  await watcher.close(await watcher.target('worker.js'))
  const panel = await task.browser.openOwn('panel.html')
  await task.connected(sockets)
  await watcher.close(panel)
  const started = Date.now()
  const { error } = await task.call('read_page', {})
  assert.is(error, null)
  assert.ok(Date.now() - started < 15_000)
  task.end()
})

test.run()
