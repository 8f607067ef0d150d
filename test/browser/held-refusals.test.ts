import { spawn } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ToolError } from '../../src/browser/act/cdp.ts'
import { NoBrowser, startBrowser } from '../../src/browser/chromium.ts'
import { Holds } from '../../src/browser/holds/holds.ts'
import type { RequestPaused } from '../../src/browser/holds/paused.ts'
import { PausedRequests } from '../../src/browser/holds/paused-requests.ts'
import { Tabs } from '../../src/browser/task-tabs.ts'
import { argsOf } from '../support/built.ts'
import { eventually } from '../support/eventually.ts'
import { gatedHeadless } from '../support/holds/headless.ts'
import { openAttackedShop } from '../support/holds/shop.ts'
import { type Attacked, accept, open } from '../support/holds/suite.ts'

const test = suite('what is held is refused')
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const ARRIVES_MS = 300

const button = (script: string) => `<button onclick="${script}">Pay now</button>`
const sends = (more: string) => button(`fetch('/do/1', { method: 'POST', body: 'item=7', ${more} }).catch(() => {})`)
const FORM = '<form method=post action=/do/1><input type=hidden name=item value=7><button>Pay now</button></form>'

/** A session of the protocol whose browser does as it is told, and what it was told. */
function aSession(does: (method: string, params: Record<string, unknown>) => void = () => {}) {
  const told: string[] = []
  const send = async (method: string, params: Record<string, unknown> = {}) => {
    told.push(method)
    does(method, params)
    return {}
  }
  return { told, requests: new PausedRequests({ send } as never) }
}
const paused = (more: object = {}): RequestPaused => ({
  requestId: '1',
  resourceType: 'Fetch',
  request: { url: 'https://shop.example/do/1', method: 'POST' },
  ...more,
})

test('[I20] where the browser cannot hold, a request fails at once, and the approved one passes once when it comes again', async () => {
  const { told, requests } = aSession()
  requests.canRefuse = false
  const holds = new Holds({ approvals: 'irreversible', allowedShapes: [] }, () => [])
  let take: (request: ReturnType<typeof requests.of>) => void = () => {}
  const cdp = { on: () => {}, send: async () => ({}) } as never
  const pauseRequests = async (listen: typeof take) => {
    take = listen
  }
  await holds.follow({ cdp, pauseRequests }, false)
  const comes = async (more: object = {}) => {
    take(requests.of(paused(more)))
    await pause(0)
    return told.splice(0)
  }
  assert.equal(await comes(), ['Fetch.failRequest'])
  const held = holds.untold()
  assert.ok(held)
  if (!held) return
  holds.remove(held)
  assert.is(await holds.send(held.of.request), false, 'it is not sent by itself')
  const other = { request: { ...paused().request, url: 'https://shop.example/do/2' } }
  assert.equal(await comes(other), ['Fetch.failRequest'], 'another one')
  const asks = { request: { ...paused().request, headers: { 'x-http-method-override': 'DELETE' } } }
  assert.equal(await comes(asks), ['Fetch.failRequest'], 'one that asks for something else by a header')
  assert.equal(await comes(), ['Fetch.continueRequest'], 'exactly the same')
  assert.equal(await comes(), ['Fetch.failRequest'], 'once')
  const again = holds.untold()
  if (!again) throw new Error('nothing is held')
  await holds.send(again.of.request)
  await holds.drop()
  assert.equal(await comes(), ['Fetch.failRequest'], 'not after its user has had the tab')
})

for (const [what, does] of [
  ['sends what it should refuse', { responseStatusCode: 200 }],
  ['tries to reach somebody', { responseErrorReason: 'ConnectionRefused' }],
  ['looks for the name of somebody', { responseErrorReason: 'NameNotResolved' }],
  ['pauses it under another id', { responseErrorReason: 'Failed', requestId: '2' }],
] as const)
  test(`[I20] a browser that ${what} is known by its self-test`, async () => {
    let address = ''
    const request = () => ({ ...paused().request, url: address })
    const { requests } = aSession((method, { url }) => {
      if (method === 'Fetch.continueRequest' && url) requests.takes(paused({ request: request(), ...does }))
    })
    const passed = await requests.selfTest(async (asked) => {
      address = asked
      requests.takes(paused({ request: request() }))
    })
    assert.is(passed, false)
  })

const browser = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined }).catch(
  (error: unknown) => {
    if (error instanceof NoBrowser) return error
    throw error
  },
)
if (browser instanceof NoBrowser) console.log(`SKIPPED 8 ${browser.message}`)
else {
  const shop = await openAttackedShop()
  const attacked: Attacked = { browser: gatedHeadless(browser), shop }
  const press = async () => {
    const { text } = await attacked.browser.call('read_page', {})
    const ref = /\[(e\d+)\]/.exec(text)?.[1]
    return attacked.browser.call('computer', { action: 'left_click', ref, look: 'none' })
  }

  for (const [kind, page] of Object.entries({ fetch: sends(''), keepalive: sends('keepalive: true'), form: FORM }))
    test(`[I20] ${kind}: nothing that waits is sent when the one that drives the browser is killed`, async () => {
      shop.books.length = 0
      shop.pages.set('held', page)
      const args = [...argsOf('test/support/holds/driver.ts'), `${shop.origin}/page/held`]
      const driver = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      const said = await new Promise<string>((resolve) => driver.stdout.once('data', (data) => resolve(String(data))))
      assert.is(said.trim(), 'held POST')
      const gone = new Promise((resolve) => driver.once('exit', resolve))
      driver.kill('SIGKILL')
      await gone
      await pause(ARRIVES_MS)
      assert.equal(shop.books, [])
    })

  test('[I20] a page that follows no redirects has to send an approved request again, and nobody is asked then', async () => {
    shop.books.length = 0
    shop.pages.set('error', sends("redirect: 'error'"))
    await open(attacked, 'error')
    const { held } = await press()
    assert.ok(held)
    if (!held) return
    const { error } = await accept(attacked, held)
    assert.match(error ?? '', /Do it again/)
    assert.equal(shop.books, [])
    assert.is((await press()).held, null)
    await pause(ARRIVES_MS)
    assert.equal(shop.books, ['POST /do/1'])
    assert.ok((await press()).held, 'once')
    await attacked.browser.end()
  })

  test('[I19] a page that was there before sends nothing as one that was just opened', async () => {
    shop.books.length = 0
    const sends = "navigator.sendBeacon('/order', 'item=7'); fetch('/go/1?action=delete').catch(() => {})"
    shop.pages.set('retries', `<button onclick="setInterval(() => { ${sends} }, 30)">More</button>`)
    const kept = await browser.open('kept')
    await kept.cdp.send('Page.navigate', { url: `${shop.origin}/page/retries` })
    const read = async (expression: string) => {
      const { result } = (await kept.cdp.send('Runtime.evaluate', { expression })) as { result: { value?: unknown } }
      return result.value
    }
    await eventually(async () => (await read("document.querySelector('button') !== null")) === true, 'the page')
    const tabs = new Tabs({ open: (id) => browser.open(id), kept: async () => [kept] })
    const never = new AbortController().signal
    const gate = { approvals: 'irreversible', allowedShapes: [] } as const
    const look = () => tabs.execute('kept', 'read_page', {}, never, null, [], null, gate)
    await look()
    // The task pressed it in an earlier life.
    await read("document.querySelector('button').click()")
    await pause(ARRIVES_MS)
    assert.equal(shop.books, [])
    await tabs.end('kept')
  })

  for (const isGated of [false, true])
    test(`[R60] a tab that comes as its user takes over is not the task's${isGated ? ', with approvals' : ''}`, async () => {
      const tabs = new Tabs({
        async open(id) {
          const tab = await browser.open(id)
          void tabs.release(id)
          return tab
        },
        kept: async () => [],
      })
      const never = new AbortController().signal
      const gate = isGated ? ({ approvals: 'irreversible', allowedShapes: [] } as const) : null
      const open = () => tabs.execute('late', 'navigate', { url: `${shop.origin}/` }, never, null, [], null, gate)
      const error = await open().then(
        () => null,
        (each: unknown) => each,
      )
      assert.instance(error, ToolError)
      assert.is(tabs.tabOf('late'), null)
      await tabs.end('late')
    })

  test('[I20] the body of an approved request is what the page sent, byte by byte', async () => {
    shop.books.length = 0
    shop.pages.set(
      'body',
      button("fetch('/note', { method: 'PUT', headers: { 'x-tea': '1' }, body: new Blob(['a\\u00e9\\0']) })"),
    )
    await open(attacked, 'body')
    const { held } = await press()
    assert.ok(held)
    if (held) await accept(attacked, held)
    assert.equal(shop.writes.splice(0), ['PUT /note a\u00e9\0'])
    await attacked.browser.end()
  })

  test.after(async () => {
    await browser.close()
    await shop.close()
  })
}
test.run()
