import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aTask, THEN } from '../support/stores.ts'
import { openScene } from './live-scene.ts'
import { ANN } from './world.ts'

const test = suite('pages on a phone, in Chromium')
const { taskService, open, close } = await openScene()
test.after(close)

const WIDTHS = [320, 390]
const EDGE_PX = 16
const SIGNED_IN = [
  '',
  '/browsers',
  '/profiles',
  '/recipes',
  '/keys',
  '/webhooks',
  '/usage',
  '/members',
  '/limits',
  '/audit',
  '/account',
]
const DOCS = ['errors', 'events', 'api', 'webhooks', 'settings', 'map']
const ANSWER = `| Teapot | From | Price |
| :--- | :---: | ---: |
| Kyoto cast-iron teapot, 0.8 litres | Iwate | $1,148.50 |
| [Tokoname](https://shop.example/teapots/tokoname-kyusu-with-a-long-name) | Aichi | $62.00 |`
const WIDE = `| Article number | Availability | Manufacturer's part | Price |
| :--- | :--- | :--- | ---: |
| KYOTO-TEAPOT-2214-BLACK | Immediately | 4006381333931-0000-XL | $48.50 |`

/** What of the page, or in a box of it that scrolls, is out of sight to the right, and what is too near to the edge. */
const outOfSight = (page: Page): Promise<string[]> =>
  page.evaluate(`[document.documentElement, ...document.querySelectorAll('.table, header button')]
    .filter((box) => box.scrollWidth > box.clientWidth)
    .map((box) => (box.getAttribute('aria-label') ?? 'the page') + ': ' + (box.scrollWidth - box.clientWidth) + ' px, ' + box.textContent.slice(0, 60))
    .concat([...document.querySelectorAll('header > *')].map((part) => document.documentElement.clientWidth - part.getBoundingClientRect().right)
      .filter((margin) => margin < ${EDGE_PX}).map((margin) => 'the header: ' + margin + ' px from the edge'))`)

const answered = (answer: string): string => {
  const record = aTask({ workspaceId: ANN.workspaces[0]?.id ?? '', createdAt: THEN })
  taskService.tasksById.set(record.id, { ...record, state: 'closed', status: 'complete', answer })
  taskService.keep(taskService.log.begin(record))
  return `/dashboard/tasks/${record.id}`
}

for (const [what, paths] of [
  ['who is signed in', [...SIGNED_IN.map((path) => `/dashboard${path}`), '/inspector']],
  ['who reads the docs', ['/docs', ...DOCS.map((name) => `/docs/${name}`)]],
] as const)
  test(`[P35] what ${what} sees is as wide as a phone, tables too`, async () => {
    const { page } = await open(paths[0])
    const hidden: unknown[] = []
    for (const path of paths) {
      await page.goto(new URL(path, page.url()).href)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 })
        for (const each of await outOfSight(page)) hidden.push([path, width, each])
      }
    }
    assert.equal(hidden, [])
    await page.close()
  })

/** Cells whose words are broken apart: a word is on one line. */
const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.markdown :is(td, th)')].flatMap((cell) => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    const broken = []
    while (walker.nextNode())
      for (const { 0: word, index } of walker.currentNode.data.matchAll(/\\S+/g)) {
        const range = document.createRange()
        range.setStart(walker.currentNode, index)
        range.setEnd(walker.currentNode, index + word.length)
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (lines.size > 1 && !word.includes('-')) broken.push(word)
      }
    return broken
  })`)

test('[P35] a table of an answer shows its prices on a phone: words are whole, numbers to the right', async () => {
  const { page } = await open(answered(ANSWER))
  const price = page.getByRole('cell', { name: '$1,148.50' })
  for (const width of [1280, ...WIDTHS]) {
    await page.setViewportSize({ width, height: 844 })
    const box = await price.boundingBox()
    assert.ok(box && box.x + box.width <= width, `${width}: ${JSON.stringify(box)}`)
    const align = `getComputedStyle(document.querySelector('.markdown td:last-child')).textAlign`
    assert.is(await page.evaluate(align), 'right', String(width))
    assert.equal([await outOfSight(page), await brokenWords(page)], [[], []], String(width))
  }
  await page.close()
})

test('[P35] a table whose words do not fit beside one another tells each row by itself on a phone', async () => {
  const { page } = await open(answered(WIDE))
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 844 })
    await page.getByRole('cell', { name: '$48.50' }).waitFor()
    assert.is(await page.getByRole('columnheader').count(), 4)
    assert.equal(await outOfSight(page), [], String(width))
  }
  await page.close()
})

test.run()
