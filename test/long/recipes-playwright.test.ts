import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { playwrightTest } from '../../machines/recipe-playwright.ts'
import { openShop } from '../../src/demo/shop.ts'
import { ORDER, SECOND, FIRST as SHOP_FIRST, SIZED } from '../e2e/recipes-suite.ts'
import { browserSuite } from '../support/driven-browser.ts'
import { FIRST, openSite, ordering } from '../support/recipes/drift.ts'
import { type Act, recorded } from '../support/recipes/player.ts'

/** [J14] Recipes as Playwright tests, run by Playwright's own runner from npm in the browser of this machine. */
const test = browserSuite('recipes as Playwright tests')
const run = promisify(execFile)

const PLAYWRIGHT = JSON.parse(readFileSync('node_modules/playwright-core/package.json', 'utf8')).version
const INSTALL_MS_MAX = 120_000
const TEST_MS_MAX = 120_000

const click = (on: RegExp): Act => ({ tool: 'computer', input: { action: 'left_click' }, on })
const set = (on: RegExp, value: unknown): Act => ({ tool: 'form_input', input: { value }, on })

/** What a model does for the demo's order. */
const teaOrder = (url: string): Act[] => [
  { tool: 'navigate', input: { url } },
  click(/button "Only necessary"/),
  set(/searchbox "Search the shop"/, SHOP_FIRST.goods),
  { tool: 'computer', input: { action: 'key', text: 'Enter' }, on: /searchbox "Search the shop"/ },
  click(/link "Kyoto teapot"/),
  set(/combobox "Size"/, 'Regular, 0.8 litres'),
  set(/spinbutton "Quantity"/, SHOP_FIRST.count),
  click(/button "Add to cart"/),
  click(/link "Go to checkout"/),
  set(/textbox "Full name"/, SHOP_FIRST.name),
  set(/textbox "E-mail"/, SHOP_FIRST.email),
  set(/textbox "Address"/, SHOP_FIRST.address),
  set(/combobox "Delivery"/, 'express'),
  set(/checkbox "Wrap as a gift/, true),
  set(/textbox "Card number"/, '4242 4242 4242 4242'),
  set(/textbox "Expiry date"/, '12/30'),
  set(/textbox "Security code"/, '123'),
  set(/checkbox "I accept the terms of sale"/, true),
  click(/button "Place order"/),
  { tool: 'get_page_text' },
]

/** What a model does to read a price. */
const teaPrice = (url: string, goods: string): Act[] => [
  { tool: 'navigate', input: { url } },
  click(/button "Only necessary"/),
  set(/searchbox "Search the shop"/, goods),
  { tool: 'computer', input: { action: 'key', text: 'Enter' }, on: /searchbox "Search the shop"/ },
  click(new RegExp(`link "${goods}"`)),
  { tool: 'get_page_text' },
]

const slugOf = (name: string) => name.toLowerCase().replaceAll(' ', '-')

const config = (executablePath: string | undefined) => `import { defineConfig } from '@playwright/test'
export default defineConfig({
  timeout: 15_000,
  workers: 1,
  use: { headless: true, launchOptions: { executablePath: ${JSON.stringify(executablePath)}, args: ['--no-sandbox'] } },
})
`

test('[J14] the tests of three recipes run as they are, and with other inputs at their top', async ({ tabs }) => {
  const shop = await openShop({ goods: SIZED })
  const site = await openSite()
  site.variant = { banner: true }
  const folder = mkdtempSync(join(tmpdir(), 'recipes-playwright-'))
  try {
    const price = { goods: 'Kyoto teapot' }
    const tests = {
      'order.spec.ts': playwrightTest(ORDER, await recorded(tabs, 'order', teaOrder(shop.url), SHOP_FIRST)),
      'price.spec.ts': playwrightTest(
        'The price',
        await recorded(tabs, 'price', teaPrice(shop.url, price.goods), price),
      ),
      'site.spec.ts': playwrightTest('Order {{goods}}', await recorded(tabs, 'site', ordering(site.url, FIRST), FIRST)),
    }
    const before = [shop.orders.length, site.orders.length]
    for (const [name, text] of Object.entries(tests)) writeFileSync(join(folder, name), text)
    const [{ goods }, other] = [SHOP_FIRST, SECOND.goods]
    const order = tests['order.spec.ts']
    assert.match(order, JSON.stringify(goods))
    writeFileSync(
      join(folder, 'other.spec.ts'),
      order
        .replaceAll(goods, other)
        .replace(slugOf(goods), slugOf(other))
        .replace(JSON.stringify(SHOP_FIRST.name), JSON.stringify(SECOND.name)),
    )
    writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}')
    writeFileSync(join(folder, 'playwright.config.ts'), config(process.env.CHROME_PATH ?? '/usr/bin/chromium'))
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `@playwright/test@${PLAYWRIGHT}`]
    await run('npm', install, { cwd: folder, timeout: INSTALL_MS_MAX })
    const done = await run('npx', ['playwright', 'test', '--reporter=list'], {
      cwd: folder,
      timeout: TEST_MS_MAX,
    }).catch((error: { stdout?: string }) => error)
    assert.match(done.stdout ?? '', '4 passed', `${done.stdout}\n${Object.values(tests).join('\n')}`)
    assert.equal([shop.orders.length, site.orders.length], [(before[0] ?? 0) + 2, (before[1] ?? 0) + 1])
    assert.equal(
      shop.orders.slice(-2).map(({ name, lines }) => [name, lines[0]?.product.name, lines[0]?.count]),
      [
        [SHOP_FIRST.name, goods, SHOP_FIRST.count],
        [SECOND.name, other, SHOP_FIRST.count],
      ],
    )
  } finally {
    await shop.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

await test.run()
