import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aRecipe } from '../support/recipe-memory.ts'
import { aUsage } from '../support/stores.ts'
import { openScene } from './live-scene.ts'
import { SCREEN, states } from './states.ts'
import { ANN } from './world.ts'

const test = suite('the states of the pages, in Chromium')
const scene = await openScene()
test.after(scene.close)

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
// What passes is not described: that would take most of the time.
const violations = (options: string) =>
  `axe.run(document, { ...${options}, resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`
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
  assert.is(seen.length, 37)
})

test('[P37] usage is told by day, model, key and outcome, beside what may still be used', async () => {
  const [, { id: workspaceId = '' } = {}] = ANN.workspaces
  const { store, taskService } = scene
  const at = Date.now()
  const model = 'claude-sonnet-4-5'
  await store.usage.record(aUsage({ workspaceId, at, model, inputTokens: 1_000_000, outcome: 'complete' }))
  await store.usage.record(aUsage({ workspaceId, at, apiKeyId: workspaceId, model: 'our-own', outcome: 'error' }))
  taskService.left = { freeRemaining: 3, creditBalance: 12 }
  const runs = { played: 2, deviated: 0, modelCallsSaved: 9, costUsdSaved: 0.25 }
  const { templateHash, ...recipe } = aRecipe({ workspaceId, runs })
  await store.recipes.change(workspaceId, templateHash, () => ({ templateHash, ...recipe }))
  const { page, errors } = await scene.open(`/dashboard/usage?workspace=${workspaceId}`)
  await page.getByText('Without a key').waitFor()
  const words = (table: string, name: string) =>
    page
      .getByRole('region', { name: table })
      .getByRole('row')
      .filter({ hasText: name })
      .first()
      .locator('th, td')
      .allTextContents()
  await page.getByText('A credit is one completed task').waitFor()
  await page.getByText('Not in the cost, because they have no price: our-own').waitFor()
  assert.equal(await words('By model', model), [`${model} 50 % of tasks`, '1', '1', '1\u00a0M', '0', '2', '$3.00'])
  assert.equal((await words('By key', 'Without a key')).slice(0, 2), ['Without a key 50 % of tasks', '1'])
  assert.equal((await words('By outcome', 'Failed')).slice(0, 2), ['Failed or stopped 50 % of tasks', '1'])
  assert.match(
    (await page.getByRole('region', { name: 'Saved by recipes' }).textContent()) ?? '',
    /saved 9 model calls and \$0\.25/,
  )
  const bars = () =>
    page
      .locator('[aria-label="By model"] .share-bar rect')
      .evaluateAll((all) => all.map((bar) => bar.getAttribute('width')))
  assert.equal(await bars(), ['50', '50'])
  await page.getByRole('meter', { name: 'Running tasks: 1 of 5' }).waitFor()
  await page.getByRole('combobox', { name: 'Chart' }).selectOption('Cost by day')
  await page.getByRole('img', { name: 'Cost by day' }).waitFor()
  assert.equal(await bars(), ['100', '0'])
  const days = (await page.locator('.plot svg text').allTextContents()).slice(-2)
  assert.match(days[0] ?? '', /^\d{1,2} [A-Z][a-z]{2,3}$/)
  assert.is(days[1], 'Today')
  await page.getByText('Today: 2 tasks, $3.00, 100 % of the cost of these 30 days').waitFor()
  assert.equal(await page.locator('.legend li').allTextContents(), [` ${model}`])
  await page.getByRole('combobox', { name: 'Chart' }).selectOption('Tasks by day')
  assert.equal((await page.locator('.legend li').allTextContents()).sort(), [` ${model}`, ' our-own'])
  assert.is(await page.locator('.plot rect').count(), 2)
  await page.getByText('Show as a table').click()
  assert.match((await page.locator('details table').textContent()) ?? '', /2 tasks, \$3\.00/)
  assert.equal(errors, [])
  await page.close()
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
