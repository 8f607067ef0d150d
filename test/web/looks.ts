import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { runBrowser } from '../../src/browser/headless.ts'
import { readConfig } from '../../src/config/config.ts'
import { DEMO_SCRIPT, DEMO_TASK } from '../../src/demo/script.ts'
import { GOODS } from '../../src/demo/shop/goods.ts'
import { openShop } from '../../src/demo/shop.ts'
import { ownerKey } from '../../src/identity/key-sign-in.ts'
import { startService } from '../../src/main.ts'
import { openModel } from '../../src/models/open.ts'
import { openLog } from '../../src/observe/log.ts'
import { startChromium } from '../observe/inspector/world.ts'
import { eventually } from '../support/eventually.ts'
import { Api } from '../support/service/api.ts'
import { tempFolder } from '../support/stores.ts'

/**
 * Pictures of every page, to be looked at: `node --conditions=development --import tsx test/web/looks.ts <folder>`.
 * The service, the shop, the browser and its tasks are real; a script stands for the model. `dashboard.png`, and
 * `inspector` and `replay` light, dark (`-dark`) and on a phone (`-phone`), are those of docs/images.
 */

const LOOKS = [
  ['light', 'light', 1280, 900],
  ['dark', 'dark', 1280, 900],
  ['phone', 'light', 390, 844],
  ['phone-dark', 'dark', 390, 844],
] as const
const TASK_MS_MAX = 240_000
/** Slow enough that a task is met in mid-work. */
const THINK_MS = 2_500
const SCRIPT = { ...JSON.parse(readFileSync(DEMO_SCRIPT, 'utf8')).scripts.at(-1), think_ms: THINK_MS }

const CLIP = { x: 0, y: 0, width: 1280 }
const folder = process.argv[2] ?? 'dist/looks'
mkdirSync(folder, { recursive: true })

async function serve() {
  const script = join(tempFolder(), 'script.json')
  writeFileSync(script, JSON.stringify(SCRIPT))
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    RELAY_PORT: '0',
    DATA_DIR: tempFolder(),
    LLM_SCRIPT: script,
    BETTER_AUTH_SECRET: 'a secret of the pictures, longer than asked for',
    PAYMENT_WEBHOOK_SECRET: 'another secret of the pictures',
  })
  const log = openLog({ level: 'silent' })
  return startService({ config, log, model: openModel(config.llm, log) })
}

/** What a reader of the docs sees of the page: its first screen. */
async function forDocs(page: Page, name: string): Promise<void> {
  for (const [look, colorScheme, width, height] of LOOKS) {
    if (look === 'phone-dark') continue
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height })
    await page.screenshot({
      path: join(folder, `${look === 'light' ? name : `${name}-${look}`}.png`),
      animations: 'disabled',
    })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** The page as it is there, in every look; then back to the first. */
async function shoot(page: Page, name: string): Promise<void> {
  for (const [look, colorScheme, width, height] of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height })
    await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true, animations: 'disabled' })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** Someone who has signed up and done nothing yet. */
async function newcomer(context: BrowserContext, url: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${url}/dashboard`)
  await shoot(page, '01-sign-in')
  await page.goto(`${url}/forgot`)
  await shoot(page, '01-forgot')
  await page.goto(`${url}/dashboard`)
  await page.click('summary >> text=Create an account')
  const form = page.locator('form[action="/dashboard/sign-up"]')
  await form.locator('[name=name]').fill('Ada Lovelace')
  await form.locator('[name=email]').fill('ada@example.com')
  await form.locator('[name=password]').fill('correct horse battery staple')
  await form.locator('button').click()
  await page.waitForSelector('.onboarding')
  await shoot(page, '02-no-tasks')
  for (const tab of ['browsers', 'keys', 'webhooks', 'usage', 'members', 'limits', 'audit', 'account']) {
    await page.goto(`${url}/dashboard/${tab}`)
    await eventually(async () => (await page.locator('.loading').count()) === 0, `the page ${tab}`)
    await shoot(page, `03-empty-${tab}`)
  }
  await page.goto(`${url}/inspector`)
  await page.waitForTimeout(500)
  await shoot(page, '04-empty-inspector')
}

async function worker(context: BrowserContext, url: string, key: string, owner: string): Promise<void> {
  const shop = await openShop({ goods: GOODS })
  const api = new Api(url, key)
  const { json: pairing } = await api.post('/v1/browser-sessions/pair', { label: 'Office laptop' })
  const headless = await runBrowser({ serviceUrl: url, pairingToken: pairing.pairing_token, log: () => {} })
  try {
    const page = await context.newPage()
    await page.setViewportSize({ width: 1280, height: 900 })
    const session = async () => (await api.get('/v1/browser-sessions')).json.sessions?.[0] ?? null
    await eventually(async () => (await session())?.status === 'connected', 'a connected browser', TASK_MS_MAX)
    // Under another name the shop asks for its cookies again.
    const start = async (url = shop.url) => {
      const task = DEMO_TASK.replaceAll(shop.url, url)
      const body = { task, url, browser_session_id: (await session()).id }
      return (await api.post('/v1/tasks', body)).json.id as string
    }
    const status = async (id: string) => (await api.get(`/v1/tasks/${id}`)).json
    await page.goto(`${url}/dashboard`)
    await page.click('summary >> text=use a secret key')
    await page.fill('#key', key)
    await page.click('text=Open workspace')
    await page.waitForSelector('nav.tabs')
    const first = await start()
    await eventually(async () => (await status(first)).status !== 'running', 'the end of a task', TASK_MS_MAX)
    const second = await start(shop.url.replace('127.0.0.1', 'localhost'))
    await page.goto(`${url}/dashboard/tasks/${second}`)
    await eventually(async () => (await status(second)).steps >= 7, 'a task in mid-work', TASK_MS_MAX)
    await page.goto(`${url}/inspector?actor=task:${second}`)
    await page.waitForSelector('[data-state="running.askingModel.thinking"].on')
    await forDocs(page, 'inspector')
    await shoot(page, '12-inspector')
    await page.goto(`${url}/dashboard`)
    await page.waitForSelector('a.task')
    await shoot(page, '10-tasks')
    await page.goto(`${url}/dashboard/tasks/${second}`)
    await page.waitForSelector('canvas:not([hidden])')
    await shoot(page, '11-running-task')
    await eventually(async () => (await status(second)).status !== 'running', 'the end of a task', TASK_MS_MAX)
    await page.goto(`${url}/dashboard/tasks/${first}`)
    await page.waitForSelector('button.picture img')
    await page.waitForSelector('.answer')
    await page.screenshot({ path: join(folder, 'dashboard.png'), clip: { ...CLIP, height: 900 } })
    await shoot(page, '13-finished-task')
    await page.goto(`${url}/inspector?task=${first}#59`)
    await page.locator('.sayings [aria-current]').waitFor()
    await forDocs(page, 'replay')
    await shoot(page, '14-replay')
    for (const tab of ['browsers', 'keys', 'usage', 'members', 'limits', 'audit', 'claim']) {
      await page.goto(`${url}/dashboard/${tab}`)
      await shoot(page, `15-${tab}`)
    }
    await page.goto(`${url}/dashboard/keys`)
    await page.click('text=New key')
    await page.fill('#name', 'Shop backend')
    await page.fill('#password', key)
    await page.click('text=Create key')
    await shoot(page, '16-key-made')
    await page.goto(`${url}/dashboard/browsers`)
    await page.click('text=Pair a browser')
    await page.click('text=Create pairing link')
    await shoot(page, '17-pairing')
    await page.goto((await page.locator('.pairing a.button').getAttribute('href')) ?? '')
    await shoot(page, '18-pairing-page')
    await page.goto(`${url}/inspector?owner=${owner}`)
    await page.waitForSelector('#actors tr')
    await shoot(page, '19-owner')
    for (const name of ['', '/api', '/extension', '/configuration', '/metrics', '/machines', '/search?q=webhook']) {
      await page.goto(`${url}/docs${name}`)
      await shoot(page, `20-docs${name.replaceAll(/\W/g, '-')}`)
    }
  } finally {
    await headless.close()
    await shop.close()
  }
}

const service = await serve()
let browser: Browser | null = null
try {
  browser = await startChromium()
  await newcomer(await browser.newContext(), service.url)
  await worker(await browser.newContext(), service.url, service.firstKey ?? '', await ownerKey(service.store))
  console.log(`Pictures: ${folder}`)
} finally {
  await browser?.close()
  await service.stop()
}
