import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NoBrowser, startBrowser } from '../../../src/browser/chromium.ts'
import { tryFlows } from './flows.ts'
import { gatedHeadless } from './headless.ts'
import { tryGoesOn, tryOtherTab, tryRepeats } from './repeats.ts'
import { openAttackedShop } from './shop.ts'
import {
  type Attacked,
  accept,
  drop,
  type GatedBrowser,
  open,
  tryAllWays,
  tryAmounts,
  tryLabels,
  tryPosing,
  tryScripts,
} from './suite.ts'

const openHeadless = async () => {
  const browser = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined })
  return { gated: gatedHeadless(browser), close: () => browser.close() }
}

/**
 * What is held of a gated task, in one browser. `every`: only each n-th of the ways, labels, scripts and amounts; all of
 * them take minutes.
 */
export async function holdsSuite(
  name: string,
  { every }: { readonly every: number },
  openGated: () => Promise<{ gated: GatedBrowser; close(): Promise<unknown> }> = openHeadless,
): Promise<void> {
  const test = suite(`holds, ${name}`)
  const opened = await openGated().catch((error: unknown) => {
    if (error instanceof NoBrowser) return error
    throw error
  })
  if (opened instanceof NoBrowser) return console.log(`SKIPPED 9 ${opened.message}`)
  const shop = await openAttackedShop()
  const attacked: Attacked = { browser: opened.gated, shop }
  const { browser } = attacked

  test('[I14] no way to press changes the books of a shop before its user has answered', () =>
    tryAllWays(attacked, every))
  test('[I15] every script of the model waits for its user', () => tryScripts(attacked, every))
  test('[I16] a link whose label names an act in any language is held', () => tryLabels(attacked, every))
  test('[I17] text of a page stands in for no element', () => tryPosing(attacked))
  test('[I18] an approval does not hold for another number on the page', () => tryAmounts(attacked, every))
  test('[I19] what a page sends while it loads lets nothing leave but the same again, and not by a press', () =>
    tryRepeats(attacked))
  test('[I19] between acts a page goes on with what it has sent by itself, and with nothing else', () =>
    tryGoesOn(attacked))
  test('[I19] a press is one in all tabs of the task', () => tryOtherTab(attacked))
  test('[I16] ordinary use of a site asks nothing, or once', () => tryFlows(attacked))

  test('[I14] an approved request is sent once, what is declined never, and nothing is sent by the end of the task', async () => {
    const send = async () => {
      shop.books.length = 0
      shop.pages.set(
        'once',
        `<button onclick="fetch('/do/1', { method: 'POST', keepalive: true, body: 'item=7&password=abc' })">Go on</button>`,
      )
      await open(attacked, 'once')
      const { text } = await browser.call('find', { query: 'Go on' })
      const { held } = await browser.call('computer', { action: 'left_click', ref: /\[(e\d+)\]/.exec(text)?.[1] })
      if (!held) throw new Error('nobody was asked')
      return held
    }
    const first = await send()
    assert.equal(
      [first.kind, first.method, first.site, first.path, first.shape, first.target],
      ['request', 'POST', shop.origin, '/do/1', `POST ${shop.origin}/do/*`, { role: 'button', name: 'Go on' }],
    )
    assert.equal(first.fields, [
      { name: 'item', value: '7' },
      { name: 'password', value: '••••' },
    ])
    assert.match(first.terms, /^[0-9a-f]{64}$/)
    const { held, text } = await accept(attacked, first)
    assert.is(held, null)
    assert.match(text, /^[^/]*sent\.[^/]*\nPOST .*\/do\/1/, 'the address is a word of the page')
    assert.equal(shop.books, ['POST /do/1'])
    assert.match((await accept(attacked, first)).error ?? '', /not held any more/)
    assert.equal(shop.books, ['POST /do/1'])
    assert.is((await drop(attacked, await send())).held, null)
    assert.equal(shop.books, [])
    await send()
    await browser.end()
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.equal(shop.books, [])
    assert.is.not((await send()).terms, first.terms, 'what is masked can be guessed from the terms')
    await browser.end()
  })

  test('[I15] what the model calls irreversible waits, is done once it is approved, and its request is not asked for again', async () => {
    shop.books.length = 0
    shop.pages.set(
      'intent',
      '<form method=post action=/do/1><input name=to aria-label=To value=Ann><button>Go on</button></form>',
    )
    await open(attacked, 'intent')
    const { text } = await browser.call('find', { query: 'Go on' })
    const input = { action: 'left_click', ref: /\[(e\d+)\]/.exec(text)?.[1] }
    const { held } = await browser.call('computer', input, { intent: 'irreversible' })
    assert.is(held?.kind, 'act')
    assert.ok(held?.fields.some(({ name: field, value }) => field === 'to' && value === 'Ann'))
    if (held) assert.is((await accept(attacked, held)).held, null)
    assert.equal(shop.books, ['POST /do/1'])
    await browser.end()
  })

  test.after(async () => {
    await opened.close()
    await shop.close()
  })
  test.run()
}
