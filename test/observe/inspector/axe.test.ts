import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../../support/eventually.ts'
import { openLive } from '../../support/live.ts'
import { axeOn } from './axe.ts'
import { endChromium, newKey, noChromium, pageOf, startChromium } from './world.ts'

const test = suite('every page')
async function look(): Promise<void> {
  const live = await openLive({ transport: 'uws', store: 'lmdb' })
  const browser = await startChromium()
  try {
    const tenant = await live.workspace()
    const { id: session } = await tenant.browser()
    const { key } = await newKey(live.store, tenant.id)
    const { json } = await tenant.api.start(session, 'call')
    await eventually(async () => (await tenant.api.task(json.id)).status === 'complete', 'the end of the task', 15_000)
    const { page, asked } = await pageOf(browser, live.service.url, key)
    const dashboard = ['', `/tasks/${json.id}`, '/browsers', '/keys', '/usage', '/members', '/claim', '/account'].map(
      (path) => `/dashboard${path}`,
    )
    const inspector = [`?actor=workspace:${tenant.id}`, `?task=${json.id}`].map((query) => `/inspector${query}`)
    // One of each kind of page of the docs; the others are looked at in test:long.
    const docs = ['', '/settings', '/search?q=events'].map((path) => `/docs${path}`)
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    // What the policy forbids is said on the console.
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    const { check, checkAt } = axeOn(page, live.service.url)
    for (const path of [...dashboard, ...inspector, ...docs]) await checkAt(path)
    await page.goto(`${live.service.url}/dashboard/keys`)
    await page.click('text=New key')
    await check('a new key')
    await page.fill('#name', 'of the shop')
    await page.fill('#password', key)
    await page.click('text=Create key')
    await check('a key that was made')
    await page.goto(`${live.service.url}/dashboard/browsers`)
    await page.click('text=Pair a browser')
    await page.click('text=Create pairing link')
    await check('the pairing link')
    const opened = page.context().waitForEvent('page')
    await page.click('text=Open the pairing page in this browser')
    const pairing = await opened
    await pairing.waitForLoadState()
    await axeOn(pairing, live.service.url).check('the pairing page')
    await pairing.close()
    // A page that goes on asking would be refused without its cookie.
    await page.goto('about:blank')
    await page.context().clearCookies()
    for (const path of ['/dashboard', '/forgot', '/reset/a-token']) await checkAt(path)
    await page.goto(`${live.service.url}/dashboard`)
    const newcomer = await live.workspace()
    await page.click('summary >> text=Use a secret key')
    await page.fill('#key', (await newKey(live.store, newcomer.id)).key)
    await page.click('text=Open workspace')
    for (const path of ['/dashboard', '/dashboard/browsers', '/dashboard/usage', '/inspector']) await checkAt(path)
    assert.equal(errors, [])
    assert.equal(
      asked.filter((address) => !address.startsWith(live.service.url)),
      [],
    )
  } finally {
    await endChromium(browser)
    await live.close()
  }
}

const NAME =
  'axe finds no violation, light or dark; the policy is kept; no request leaves the origin; a phone is wide enough'
if (noChromium === null) test(NAME, look)
else console.log(`SKIPPED 1 ${noChromium}`)
test.run()
