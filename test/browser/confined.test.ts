import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NoBrowser, startBrowser } from '../../src/browser/chromium.ts'
import { Tabs } from '../../src/browser/task-tabs.ts'
import { LEAVING, openWaysOut, spellings, WAYS } from '../support/ways-out.ts'

const test = suite('confined tasks')

/** One for all tests, or why there is none here. */
const found = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined }).catch(
  (error: unknown) => {
    if (error instanceof NoBrowser) return error
    throw error
  },
)
const withBrowser: typeof test = found instanceof NoBrowser ? Object.assign(() => {}, test) : test
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function aTask(domains: readonly string[] | null) {
  if (found instanceof NoBrowser) throw found
  const browser = found
  const ways = await openWaysOut()
  const tabs = new Tabs(browser)
  const task = randomUUID()
  const allowed = domains && [...domains, ways.domain]
  if (allowed) await browser.separate(task, { domains: allowed, options: {}, isFresh: false })
  const run = (tool: string, input: Record<string, unknown>) =>
    tabs.execute(task, tool, input, new AbortController().signal, allowed).then(
      ({ said, content }) => `${said}\n${content}`,
      (error: Error) => `Error: ${error.message}`,
    )
  return {
    ...ways,
    browser,
    tabs,
    task,
    run,
    goTo: (url: string) => run('navigate', { url }),
    async press() {
      const ref = /\[(e\d+)\]/.exec(await run('find', { query: 'Go' }))?.[1]
      return ref === undefined ? '' : run('computer', { action: 'left_click', ref })
    },
    async end() {
      await tabs.endAll()
      await browser.ended(task)
      await ways.close()
    },
  }
}

withBrowser(
  '[F3] of a page with 40 ways out none leads to a server that is not listed; the page itself works',
  async () => {
    assert.ok(WAYS.length >= 40, String(WAYS.length))
    const it = await aTask([])
    try {
      await it.goTo(`${it.shop}/many`)
      await pause(2_000)
      assert.equal(it.reached, [])
      assert.match(await it.run('get_page_text', {}), /Shop/)
    } finally {
      await it.end()
    }
  },
)

withBrowser('[F3] the same page reaches that server by nearly every way when its task is not confined', async () => {
  const it = await aTask(null)
  try {
    await it.goTo(`${it.shop}/many`)
    await pause(2_000)
    assert.ok(new Set(it.reached).size >= 34, it.reached.join(' '))
  } finally {
    await it.end()
  }
})

withBrowser(
  '[F2] [F4] no address, link, window, form, redirect or script takes the tab there, and nothing of it is read',
  async () => {
    const it = await aTask([])
    const elsewhere = ['data:text/html,outside', 'blob:http://localhost/1', 'file:///etc/passwd', 'javascript:alert(1)']
    try {
      for (const url of [...spellings(it.outsidePort), ...elsewhere, 'https://example.com', `${it.shop}.evil.test/`])
        assert.match(await it.goTo(url), /Error: (This task may only open|Addresses with|.*not a valid address)/, url)
      assert.match(await it.goTo(`${it.shop}/redirect?to=http://${it.outside}/redirected`), /Error: /)
      for (const by of Object.keys(LEAVING)) {
        await it.goTo(`${it.shop}/leave?by=${encodeURIComponent(by)}`)
        await it.press()
        await pause(200)
        assert.not.match(await it.run('get_page_text', {}), /outside/, by)
      }
      await it.goTo(`${it.shop}/`)
      await it.run('javascript_tool', { action: 'javascript_exec', text: `location.href = 'data:text/html,outside'` })
      await it.run('javascript_tool', {
        action: 'javascript_exec',
        text: `location.href = URL.createObjectURL(new Blob(['outside'], { type: 'text/html' }))`,
      })
      await pause(200)
      assert.not.match(await it.run('get_page_text', {}), /outside/)
      assert.equal(it.reached, [])
      assert.match(await it.goTo(`${it.shop}/`), /Page "Shop"/)
    } finally {
      await it.end()
    }
  },
)

withBrowser(
  '[F3] another task of the same browser is not confined, and the first one leaves nothing behind',
  async () => {
    const it = await aTask([])
    try {
      await it.goTo(`${it.shop}/`)
      await it.tabs.execute('free', 'navigate', { url: `http://${it.outside}/free` }, new AbortController().signal)
      assert.is(it.reached[0], '/free')
      await it.tabs.end(it.task)
      await it.browser.ended(it.task)
    } finally {
      await it.end()
    }
  },
)

if (found instanceof NoBrowser) console.log(`SKIPPED 4 ${found.message}`)
else test.after(() => found.close())
test.run()
