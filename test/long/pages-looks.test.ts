import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { noChromium } from '../observe/inspector/world.ts'
import { openScene } from '../web/live-scene.ts'
import { SCREEN, states } from '../web/states.ts'
import { ANN } from '../web/world.ts'

/**
 * Pictures of every page in every state, at three widths, light and dark, to be looked at: they are put into
 * `LOOKS_FOLDER` (dist/looks); `LOOKS_ONLY=docs` takes those alone whose names have it. What is behind them is played; [looks.ts](../web/looks.ts) has pictures of real tasks.
 */
const test = suite('pictures of the pages')
const LOOKS = [
  ['1280', SCREEN],
  ['390', { width: 390, height: 844 }],
  ['320', { width: 320, height: 700 }],
] as const
const COLORS = ['light', 'dark'] as const

/** What a stranger sees: its name, its address, and what is there when it is drawn. */
const STRANGERS = [
  ['sign-in', '/dashboard', 'text=Forgot your password'],
  ['forgot', '/forgot', 'h1'],
  ['error-404', '/dashbord', 'text=Did you mean'],
  ['error-401', '/inspector', 'h1'],
  ['error-403', '/inspector?owner=svc_owner_wrong', 'h1'],
  ['invite-none', `/invite/svc_inv_${'a'.repeat(64)}`, 'h1'],
  ['pair-malformed', '/pair/svc_pair_1', 'h1'],
  ['pair-unknown', `/pair/svc_pair_${'a'.repeat(64)}`, 'h1'],
  ['shared-none', '/shared/svc_share_1', 'h1'],
  ['example', '/inspector/example', '#position'],
  ['docs', '/docs', 'h1'],
  ['docs-start', '/docs/start', 'h1'],
  ['docs-webhooks', '/docs/webhooks', 'h1'],
  ['docs-search', '/docs/search?q=webhook', 'h1'],
  ['api', '/docs/api', 'h1'],
  ['api-task', '/docs/api#createTask', '#createTask'],
  ['api-members', '/docs/api#setMemberRole', '#setMemberRole'],
] as const
const READER = {
  ...ANN,
  name: 'Ann Keller',
  workspaces: ANN.workspaces.map((one, at) => ({ ...one, name: ['Kettle & Leaf', 'Try-outs'][at] ?? one.name })),
}
/** Pages that are as long as a book are shown from their beginning. */
const FROM_THE_TOP = /^(tasks-busy|docs|api)/

/** Those that are looked at alone: parts of their names. */
const ONLY = new RegExp(process.env.LOOKS_ONLY ?? '')
const folder = process.env.LOOKS_FOLDER ?? 'dist/looks'

async function shoot(page: Page, name: string): Promise<number> {
  if (!ONLY.test(name)) return 0
  for (const [width, size] of LOOKS)
    for (const colorScheme of COLORS) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize(size)
      const below = `document.documentElement.scrollHeight - Math.max(innerHeight, document.body.getBoundingClientRect().bottom + scrollY)`
      const blank = Number(await page.evaluate(below))
      assert.ok(blank <= 1, `${name}, ${width} px: ${blank} px of nothing below what the page has`)
      // As tall as the page is: nothing sticks in the middle of it, and all of it is drawn.
      const height = FROM_THE_TOP.test(name) ? 0 : Number(await page.evaluate('document.documentElement.scrollHeight'))
      await page.setViewportSize({ ...size, height: Math.max(size.height, height) })
      const path = join(folder, `${name}-${width}-${colorScheme}.png`)
      await page.screenshot({ path })
    }
  await page.setViewportSize(SCREEN)
  return LOOKS.length * COLORS.length
}

if (noChromium === null)
  test('[P35] every page in every state, at 1280, 390 and 320 px, light and dark', async () => {
    mkdirSync(folder, { recursive: true })
    const scene = await openScene(READER)
    let pictures = 0
    try {
      for await (const { name, page } of states(scene)) pictures += await shoot(page, name)
      await scene.context.clearCookies()
      const { page } = await scene.open('/docs')
      for (const [name, path, ready] of STRANGERS) {
        await page.goto(`${scene.base}${path}`)
        await page.waitForSelector(ready)
        pictures += await shoot(page, name)
      }
    } finally {
      await scene.close()
    }
    console.log(`${pictures} pictures in ${folder}`)
    if (process.env.LOOKS_ONLY === undefined)
      assert.ok(pictures >= 40 * LOOKS.length * COLORS.length, `${pictures} pictures`)
  })
else console.log(`SKIPPED 1 ${noChromium}`)
test.run()
