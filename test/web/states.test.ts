import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openScene } from './live-scene.ts'
import { SCREEN, states } from './states.ts'

const test = suite('the states of the pages, in Chromium')
const scene = await openScene()
test.after(scene.close)

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const violations = (options: string) =>
  `axe.run(document, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`
/** Of the markup, the style and the script of a page, as they are sent. */
const BYTES_MAX = 200 * 1_024

test('[P22] every state of the pages is accessible, light, dark and on a phone, and no wider than it', async () => {
  const seen: string[] = []
  for await (const { name, page } of states(scene)) {
    seen.push(name)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(SCREEN)
    await page.evaluate(AXE)
    assert.equal(await page.evaluate(violations('{}')), [], name)
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.equal(await page.evaluate(violations("{ runOnly: ['color-contrast'] }")), [], `${name}, dark`)
    await page.setViewportSize({ width: 390, height: 844 })
    assert.equal(await page.evaluate(violations('{}')), [], `${name}, on a phone`)
    const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    assert.is(await page.evaluate(over), 0, `${name} is wider than a phone`)
    await page.setViewportSize(SCREEN)
  }
  assert.is(seen.length, 20)
})

test('[P23] a page is at most 200 KB without pictures and data', async () => {
  const page = await scene.context.newPage()
  const sizes = new Map<string, number>()
  page.on('response', async (response) => {
    if (/\/v1\/|\/events|\.svg|picture|screenshots/.test(response.url())) return
    sizes.set(response.url(), (await response.body().catch(() => Buffer.alloc(0))).length)
  })
  await page.goto(`${scene.base}/dashboard`)
  await page.waitForSelector('textarea[name=task]')
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const paint = Number(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"))
  console.log(`The dashboard: ${Math.round(bytes / 1_024)} KB, first paint after ${Math.round(paint)} ms`)
  assert.ok(sizes.size >= 3, [...sizes.keys()].join(' '))
  assert.ok(bytes <= BYTES_MAX, `${bytes} bytes`)
  await page.close()
})

test.run()
