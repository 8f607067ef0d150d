import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { get } from 'node:http'
import { type Browser, type BrowserServer, chromium, type Page } from 'playwright-core'
import type { Store } from '../../../actors/runtime/ports.ts'
import { hashToken, keyPrefixOf, newToken } from '../../../src/identity/tokens.ts'
import { shared } from '../../support/shared.ts'

const CHROMIUM = process.env.CHROME_PATH || '/usr/bin/chromium'

/** Why no browser test can run here, or `null`. */
export const noChromium = existsSync(CHROMIUM) ? null : `There is no browser at ${CHROMIUM}.`

const OPTIONS = { executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] }

/** One for a whole run of tests, whose files connect to it: `CHROMIUM_AT` says where it listens. */
export const serveChromium = (): Promise<BrowserServer> => chromium.launchServer({ ...OPTIONS, host: '127.0.0.1' })

const chromiumOfAll = shared(
  () => (process.env.CHROMIUM_AT ? chromium.connect(process.env.CHROMIUM_AT) : chromium.launch(OPTIONS)),
  (browser) => browser.close(),
  (browser) => !browser.isConnected(),
)

/** The one of the run, else one for all files of a process; `endChromium` closes what a file has opened in it. */
export const startChromium = (): Promise<Browser> => chromiumOfAll.get()
export async function endChromium(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()))
  await chromiumOfAll.release()
}

/** The plain text of a new key of a workspace. */
export async function newKey(store: Store, workspaceId: string, type: 'secret' | 'publishable' = 'secret') {
  const key = newToken(type)
  const id = randomUUID()
  const facts = { name: 'of a test', type, keyHash: hashToken(key), keyPrefix: keyPrefixOf(key) }
  await store.keys.insert({ id, workspaceId, createdAt: Date.now(), lastUsedAt: null, ...facts })
  return { id, key }
}

/** A page of someone who has pasted a key; every address that it asks for is noted. */
export async function pageOf(browser: Browser, url: string, key: string): Promise<{ page: Page; asked: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(`${url}/dashboard`)
  await page.click('summary >> text=Use a secret key')
  await page.fill('#key', key)
  await page.click('text=Open workspace')
  await page.waitForURL(`${url}/dashboard`)
  return { page, asked }
}

export interface Heard {
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  readonly data: any
}

/** A stream of Server-Sent Events, read as it comes. */
export function listen(url: string, headers: Record<string, string>) {
  const heard: Heard[] = []
  let status = 0
  let over = false
  let rest = ''
  const request = get(url, { headers, agent: false }, (answer) => {
    status = answer.statusCode ?? 0
    answer.setEncoding('utf8')
    answer.on('data', (text: string) => {
      const parts = (rest + text).split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const event = /^event: (.*)$/m.exec(part)?.[1]
        if (event !== undefined) heard.push({ event, data: JSON.parse(/^data: (.*)$/m.exec(part)?.[1] ?? 'null') })
      }
    })
    answer.on('close', () => {
      over = true
    })
  })
  request.on('error', () => {
    over = true
  })
  return {
    heard,
    status: () => status,
    over: () => over,
    /** Every address that was ever named to this reader. */
    named: () => JSON.stringify(heard),
    close: () => request.destroy(),
  }
}
