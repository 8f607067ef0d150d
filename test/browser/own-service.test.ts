import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NoBrowser, startBrowser } from '../../src/browser/chromium.ts'
import { canonicalHost, serviceReach } from '../../src/browser/own-service.ts'
import { Tabs } from '../../src/browser/task-tabs.ts'
import { SERVICE_HEADER } from '../../src/wire/service-header.ts'
import { eventually } from '../support/eventually.ts'

const test = suite('the service is out of reach of its tasks')

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
const closed = (server: Server) => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
}

test('[S14] every spelling of a host is the same host', () => {
  for (const host of [
    'localhost',
    'localhost.',
    'LOCALHOST',
    'a.localhost',
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '[::1]',
    '[::]',
  ])
    assert.is(canonicalHost(host), 'localhost', host)
  for (const [url, host] of [
    ['http://[::ffff:127.0.0.1]/', 'localhost'],
    ['http://[::ffff:0:0]/', 'localhost'],
    ['http://0x7f.1/', 'localhost'],
    ['http://2130706433/', 'localhost'],
    ['http://[::ffff:10.1.2.3]/', '10.1.2.3'],
    ['http://Bank.example./', 'bank.example'],
    ['http://127.0.0.1.evil.example/', '127.0.0.1.evil.example'],
    ['http://notlocalhost/', 'notlocalhost'],
  ] as const)
    assert.is(canonicalHost(new URL(url).hostname), host, url)
})

test('[S13] the service is refused under each spelling and port, and nothing else is', () => {
  const { refusalOf: byAddress, expressions } = serviceReach(['http://127.0.0.1:3456'], [7862])
  // The extension refuses by the expression what the address is refused for.
  const refusalOf = (url: string) => {
    const refusal = byAddress(url)
    if (/^(https?|wss?):/.test(url))
      assert.is(
        expressions.some((each) => new RegExp(each).test(new URL(url).href)),
        refusal !== null,
        url,
      )
    return refusal
  }
  for (const url of [
    'http://127.0.0.1:3456/dashboard',
    'http://localhost:3456/',
    'http://localhost.:3456/',
    'http://0.0.0.0:3456/',
    'http://[::1]:3456/',
    'http://[::ffff:127.0.0.1]:3456/',
    'http://user:password@127.0.0.1:3456/',
    'https://127.0.0.1:3456/',
    'ws://127.0.0.1:7862/',
    'http://localhost:7862/',
    'blob:http://127.0.0.1:3456/6f2f',
    'view-source:http://127.0.0.1:3456/',
  ])
    assert.match(refusalOf(url) ?? '', /may not open the service/, url)
  for (const url of ['http://127.0.0.1:3457/', 'https://example.com:3456/', 'about:blank', '', 'no url'])
    assert.is(refusalOf(url), null, url)
  const named = serviceReach(['https://tasks.example.com']).refusalOf
  for (const url of ['https://tasks.example.com/', 'https://TASKS.example.com./x', 'https://tasks.example.com:443/'])
    assert.ok(named(url), url)
  for (const url of ['https://example.com/', 'https://tasks.example.com.evil.test/', 'https://www.tasks.example.com/'])
    assert.is(named(url), null, url)
})

/** Why there is no browser here, or `null`. */
const missing = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined }).then(
  (browser) => browser.close().then(() => null),
  (error: unknown) => {
    if (error instanceof NoBrowser) return error.message
    throw error
  },
)
const withBrowser: typeof test = missing === null ? test : Object.assign(() => {}, test)

withBrowser(
  '[S13] no address, redirect, frame, window or script of a page reaches the service from a real browser',
  async () => {
    const reached: string[] = []
    const service = createServer((request, response) => {
      // As the service answers them.
      if (request.headers['sec-purpose'] !== undefined) return response.writeHead(421).end()
      reached.push(request.url ?? '')
      response.writeHead(200, { 'content-type': 'text/html', [SERVICE_HEADER]: '1' }).end('<title>Keys</title>secret')
    })
    const servicePort = await listening(service)
    const own = `http://localhost:${servicePort}`
    const pages = createServer((request, response) => {
      const { port } = pages.address() as AddressInfo
      if (request.url === '/redirect') return response.writeHead(302, { location: `${own}/redirected` }).end()
      if (request.url === '/post') return response.writeHead(307, { location: `${own}/posted` }).end()
      const bodies: Record<string, string> = {
        '/frames': `<iframe src="${own}/frame"></iframe><iframe src="http://localhost:${port}/inner"></iframe>`,
        '/inner': `<iframe src="http://[::ffff:127.0.0.1]:${servicePort}/deep"></iframe>
<script>fetch('${own}/fetched', {mode: 'no-cors'}).catch(() => {}).then(() => { parent.postMessage('done', '*') })</script>`,
        '/window': `<button onclick="window.open('${own}/window')">Open a window</button>`,
        '/ahead': `<script type=speculationrules>${JSON.stringify({
          ...{ prefetch: [{ source: 'list', urls: [`${own}/ahead`], eagerness: 'immediate' }] },
          prerender: [
            { source: 'list', urls: [`http://127.0.0.1:${servicePort}/prerendered`], eagerness: 'immediate' },
          ],
        })}</script><a href="${own}/ahead">Go there</a>`,
        '/form': `<form method="post" action="/post"><button>Send a form</button></form>`,
      }
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(`<!doctype html><title>Page</title><p>Shop</p>${bodies[request.url ?? ''] ?? ''}`)
    })
    const shop = `http://127.0.0.1:${await listening(pages)}`
    const browser = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined })
    try {
      await browser.guard(serviceReach([`http://127.0.0.1:${servicePort}`]))
      const tabs = new Tabs(browser)
      const task = randomUUID()
      const run = (tool: string, input: Record<string, unknown>) =>
        tabs.execute(task, tool, input, new AbortController().signal).then(
          ({ said, content }) => `${said}\n${content}`,
          (error: Error) => error.message,
        )
      const goTo = (url: string) => run('navigate', { url })
      const press = async (name: string) => {
        const ref = /\[(e\d+)\]/.exec(await run('find', { query: name }))?.[1]
        await run('computer', { action: 'left_click', ref })
      }
      for (const host of ['127.0.0.1', 'localhost', 'localhost.', '0.0.0.0', '[::ffff:127.0.0.1]'])
        assert.match(await goTo(`http://${host}:${servicePort}/${host}`), /tasks may not open/, host)
      assert.match(await goTo(`${shop}/redirect`), /tasks may not open/)
      assert.match(await goTo(`${shop}/frames`), /Page "Page" \(/)
      const seen = await run('javascript_tool', {
        action: 'javascript_exec',
        text: `new Promise((resolve) => { addEventListener('message', () => resolve('frames are there')); setTimeout(resolve, 2000, 'late') })`,
      })
      assert.match(seen, /frames are there|late/)
      await goTo(`${shop}/form`)
      await press('Send a form')
      await goTo(`${shop}/window`)
      await press('Open a window')
      assert.not.match(await run('get_page_text', {}), /secret/)
      await goTo(`${shop}/ahead`)
      await press('Go there')
      assert.not.match(await run('get_page_text', {}), /secret/)
      assert.match(await goTo(`${shop}/`), /Page "Page" \(/)
      await run('javascript_tool', { action: 'javascript_exec', text: `location.href = '${own}/script'` })
      assert.not.match(await run('get_page_text', {}), /secret/)
      assert.equal(reached, [])
      await tabs.endAll()

      // Reached by a name that nobody told the browser of: the service's own response says what it is.
      const elsewhere = createServer((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html', [SERVICE_HEADER]: '1' }).end('<title>Keys</title>secret')
      })
      const port = await listening(elsewhere)
      assert.match(await goTo(`http://127.0.0.1:${port}/`), /tasks may not open/)
      await eventually(async () => !(await run('get_page_text', {})).includes('secret'), 'nothing of it to be read')
      await closed(elsewhere)
    } finally {
      await browser.close()
      await Promise.all([closed(service), closed(pages)])
    }
  },
)

if (missing !== null) console.log(`SKIPPED 1 ${missing}`)
test.run()
