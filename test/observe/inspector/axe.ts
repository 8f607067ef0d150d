import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { eventually } from '../../support/eventually.ts'

const AXE = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const violations = (options: string) => `axe.run(${options}).then(({ violations }) => violations.map(({ id }) => id))`

/** What axe says of a page of the service at `base`, light, dark and on a phone, which it must not be wider than. */
export function axeOn(page: Page, base: string) {
  const check = async (name: string) => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.evaluate(AXE)
    assert.equal(await page.evaluate(violations('')), [], name)
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.equal(await page.evaluate(violations("{ runOnly: ['color-contrast'] }")), [], `${name}, dark`)
    await page.setViewportSize({ width: 390, height: 844 })
    assert.equal(await page.evaluate(violations('')), [], `${name}, on a phone`)
    const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    assert.is(await page.evaluate(over), 0, `${name} is wider than a phone`)
  }
  const checkAt = async (path: string) => {
    const answer = await page.goto(base + path, { waitUntil: 'load' })
    assert.is(answer?.status(), 200, path)
    assert.not.match(answer?.headers()['content-security-policy'] ?? 'unsafe', /unsafe|\*|http/)
    await eventually(async () => (await page.locator('.loading').count()) === 0, `${path} to be drawn`, 5_000)
    await check(path)
  }
  return { check, checkAt }
}
