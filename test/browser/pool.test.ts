import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { runBrowser } from '../../src/browser/headless.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { eventually } from '../support/eventually.ts'
import { relayService, SESSION } from '../support/relay-service.ts'

const test = suiteWithBrowser('a browser of a pool')
const log = (): void => {}

/** A service that registers every browser for a pool, and a page that says what it knows of its visitor. */
async function openSite(relayPort: number) {
  const server = createServer((request, response) => {
    if (request.url === '/v1/browser-sessions/register') {
      response.writeHead(201, { 'content-type': 'application/json' })
      const pool = { name: 'default', places: 2 }
      const session = {
        browser_session_id: SESSION,
        session_token: 'svc_sess_x',
        workspace_id: 'w',
        relay_port: relayPort,
      }
      return response.end(JSON.stringify({ ...session, pool }))
    }
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'seen=yes; Max-Age=9999' })
    response.end(
      `<title>Visitor</title><p>Cookie: ${request.headers.cookie ?? 'none'}.</p><p id="is"></p><input aria-label="Field"><script>
      const is = { width: innerWidth, language: navigator.language, zone: Intl.DateTimeFormat().resolvedOptions().timeZone, touch: navigator.maxTouchPoints > 0 }
      navigator.geolocation.getCurrentPosition(
        ({ coords }) => { document.querySelector('#is').textContent = JSON.stringify({ ...is, latitude: coords.latitude }) },
        () => { document.querySelector('#is').textContent = JSON.stringify(is) },
      )
      </script>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    service: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

test('[Z1] [Z6] [Z8] its tasks have contexts of their own, as they ask for; nothing can be pasted', async () => {
  const relay = await relayService()
  const site = await openSite(relay.port)
  const pages = await openSite(relay.port)
  const page = `${pages.service}/`
  const browser = await runBrowser({ serviceUrl: site.service, pairingToken: 'svc_pair_x', log })
  try {
    assert.equal(browser.pool, { name: 'default', places: 2 })
    const socket = await relay.connection(0)
    assert.ok((socket.register.tools as string[]).includes('contexts'))
    let asked = 0
    const ask = async (taskId: string, tool: string, input: object, more: object = {}) => {
      const requestId = String(asked++)
      const about = { targetSessionId: SESSION, browserSessionId: SESSION, requestId, taskId, tool, input }
      socket.send({ type: 'mcp_execute_tool', ...about, ...more })
      await eventually(() => socket.results().some((each) => each.requestId === requestId), tool, 20_000)
      const result = socket.results().find((each) => each.requestId === requestId)
      return `${result?.error ?? ''}${result?.said ?? ''}\n${result?.content ?? ''}`
    }
    const options = {
      ...{ viewport: { width: 390, height: 844 }, locale: 'de-DE', timeZone: 'Asia/Tokyo', touch: true },
      ...{ geolocation: { latitude: 52.5, longitude: 13.4 }, permissions: ['geolocation'] },
    }
    assert.match(await ask('a', 'navigate', { url: page }, { context: options }), 'Cookie: none')
    const read = await ask('a', 'get_page_text', {}, { context: options })
    for (const part of ['"width":390', '"language":"de-DE"', '"zone":"Asia/Tokyo"', '"touch":true', '"latitude":52.5'])
      assert.match(read, part)
    assert.match(await ask('a', 'navigate', { url: page }, { context: options }), 'Cookie: seen=yes')
    assert.match(await ask('b', 'navigate', { url: page }), 'Cookie: none', 'the cookie of another task')
    for (const text of ['ctrl+v', 'a ctrl+shift+V', 'shift+Insert'])
      assert.match(await ask('b', 'computer', { action: 'key', text }), 'no clipboard to paste from', text)
    assert.not.match(await ask('b', 'computer', { action: 'key', text: 'v' }), 'clipboard')
    socket.send({ type: 'task_complete', targetSessionId: SESSION, taskId: 'b', answer: 'x', status: 'complete' })
    assert.match(await ask('c', 'navigate', { url: page }), 'Cookie: none', 'the cookie of the task before')
  } finally {
    await browser.close()
    await relay.close()
    await Promise.all([site.close(), pages.close()])
  }
})

test('[Z4] with idleMs it ends by itself when it has no task, and not while it has one', async () => {
  const relay = await relayService()
  const site = await openSite(relay.port)
  const browser = await runBrowser({ serviceUrl: site.service, pairingToken: 'svc_pair_x', idleMs: 1_000, log })
  try {
    const socket = await relay.connection(0)
    socket.asks('one', 'a', { url: 'file:///etc/passwd' })
    await eventually(() => socket.results().length === 1, 'the refusal')
    let ended = false
    void browser.closed.then(() => {
      ended = true
    })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    assert.not(ended)
    socket.send({ type: 'task_complete', targetSessionId: SESSION, taskId: 'a', answer: 'x', status: 'complete' })
    assert.is((await browser.closed).why, 'closed')
  } finally {
    await browser.close()
    await relay.close()
    await site.close()
  }
})

await test.run()
