import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { runBrowser } from '../../src/browser/headless.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { eventually } from '../support/eventually.ts'
import { relayService, SESSION } from '../support/relay-service.ts'

const COOKIE = 'plain-cookie-7f3a91c2'
const HIDDEN = 'OnlyForTheServer'
const STORED = 'ya29.a0AfH6SNfQ8zstorage'
const RENEWED = 'renewed-cookie-55d1e0b7'
const SECRET = [COOKIE, HIDDEN, STORED, RENEWED]

const test = suiteWithBrowser('values of a profile in a real browser')
const log = (): void => {}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

/** A site that says all that it knows of its visitor, and renews the cookie at /renew. */
async function openPages() {
  const cookies: string[] = []
  const pages = await serve(({ url, headers: { cookie: sent = 'none' } }, response) => {
    cookies.push(sent)
    const renews = url === '/renew' ? { 'set-cookie': `plain=${RENEWED}; HttpOnly` } : {}
    response.writeHead(200, { 'content-type': 'text/html', ...renews })
    response.end(`<title>Visitor</title><h1>Signed in</h1><p>Server: ${sent}.</p><p id="is"></p>
      <button>Buy</button><a href="/next?c=${encodeURIComponent(sent)}">Next page</a><input aria-label="Field"><script>
      const said = document.cookie + ' ' + localStorage.getItem('token')
      document.querySelector('#is').textContent = said
      document.querySelector('button').textContent = 'Buy ' + said
      document.querySelector('input').value = btoa(said)
      document.title = said
      history.replaceState(null, '', '?leak=' + encodeURIComponent(document.cookie))
    </script>`)
  })
  return { ...pages, cookies }
}

/** A service that registers a browser for a pool, and has the profile of its tasks, for a site. */
const openProfiles = (relayPort: number, origin: string) =>
  serve(({ url = '/' }, response) => {
    response.writeHead(url.endsWith('/register') ? 201 : 200, { 'content-type': 'application/json' })
    const pool = { name: 'default', places: 2 }
    const session = {
      browser_session_id: SESSION,
      session_token: 'svc_sess_x',
      workspace_id: 'w',
      relay_port: relayPort,
    }
    if (url.endsWith('/register')) return response.end(JSON.stringify({ ...session, pool }))
    const about = { domain: '127.0.0.1', path: '/', expires: -1, secure: false, sameSite: 'Lax' }
    const cookies = [
      { ...about, name: 'plain', value: COOKIE, httpOnly: false },
      { ...about, name: 'hidden', value: HIDDEN, httpOnly: true },
    ]
    const localStorage = [{ name: 'token', value: JSON.stringify({ token: STORED, theme: 'dark' }) }]
    response.end(JSON.stringify({ save: false, values: { cookies, origins: [{ origin, localStorage }] } }))
  })

test('[Z16] nothing of what a page or its server says of the cookies and storage that sign a task in leaves the browser', async () => {
  const relay = await relayService()
  const pages = await openPages()
  const service = await openProfiles(relay.port, pages.url)
  const browser = await runBrowser({ serviceUrl: service.url, pairingToken: 'svc_pair_x', log })
  try {
    const socket = await relay.connection(0)
    let asked = 0
    const ask = async (taskId: string, tool: string, input: object, profile = true) => {
      const requestId = String(asked++)
      const about = { targetSessionId: SESSION, browserSessionId: SESSION, requestId, taskId, tool, input }
      socket.send({ type: 'mcp_execute_tool', ...about, ...(profile ? { profile: true } : {}) })
      await eventually(() => socket.results().some((each) => each.requestId === requestId), tool, 30_000)
      const words = { ...socket.results().find((each) => each.requestId === requestId), screenshot: null }
      return JSON.stringify(words)
    }
    const said: string[] = []
    for (const [tool, input] of [
      ['navigate', { url: pages.url }],
      ['get_page_text', {}],
      ['read_page', {}],
      ['find', { query: 'Buy' }],
      ['navigate', { url: `${pages.url}/renew` }],
      ['get_page_text', {}],
      ['navigate', { url: pages.url }],
      ['get_page_text', {}],
      ['tabs_context', {}],
      ['form_input', { ref: 'nothing', value: 'x' }],
    ] as const)
      said.push(await ask('task', tool, input))
    const all = said.join('\n')
    assert.match(all, 'Signed in')
    assert.match(all, '{{secret:profile value}}')
    for (const secret of SECRET) {
      assert.not.match(all, secret)
      assert.not.match(all, btoa(`${secret}`).slice(4, 16))
    }
    assert.ok(
      pages.cookies.some((each) => each.includes(HIDDEN) && each.includes(COOKIE)),
      'it is signed in',
    )
    assert.ok(
      pages.cookies.some((each) => each.includes(RENEWED)),
      'the site has renewed it',
    )
  } finally {
    await browser.close()
    await relay.close()
    await Promise.all([service.close(), pages.close()])
  }
})

await test.run()
