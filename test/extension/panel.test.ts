import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { type ExtendedBrowser, extensionSuite, openBrowser } from './browser.ts'

const PICTURES = 12
/** As narrow as Chrome makes a side panel. */
const WIDTH = 360
const HEIGHTS = [860, 600]
const folder = process.env.EXTENSION_PICTURES
if (folder) mkdirSync(folder, { recursive: true })

const question = (taskId: string) => ({
  ...{ id: `inp_${taskId}`, kind: 'question', message: 'Sencha is sold out. Would Gyokuro do?' },
  ...{ schema: null, call: null },
  expiresAt: Date.now() + 600_000,
})

/** A task that has done something on 12 pages, with a picture of each. */
const running = (taskId: string, more: object = {}) => ({
  ...{ taskId, task: `Order the Kyoto teapot ${taskId} and a tea that goes with it`, status: 'running' },
  ...{ paused: false, pausedElsewhere: false, input: null, answer: null, startedAt: Date.now(), endedAt: null },
  steps: Array.from({ length: PICTURES }, (_, n) => ({
    ...{ words: `Opens shop.example/teas/${n}`, state: 'done', thumbnail: 'thumbnail:test' },
  })),
  ...more,
})

const STATES: Readonly<Record<string, readonly object[]>> = {
  'one task': [running('a')],
  'two tasks': [running('a'), running('b')],
  'five tasks, one taken over': ['a', 'b', 'c', 'd', 'e'].map((id) => running(id, { paused: id === 'c' })),
  'as many as the panel shows': Array.from({ length: 10 }, (_, n) => running(`n${n}`)),
  'a question is open': [running('a', { input: question('a') })],
  'a question is open, beside another task': [running('a'), running('b', { input: question('b') })],
  'a task without a text, one of 4,000 characters': [
    running('a', { task: '' }),
    running('b', { task: 'x'.repeat(4_000) }),
  ],
}

/** The buttons to take over and to stop: their words, and whether they are what is hit in their corners. */
const BUTTONS = `[...document.querySelectorAll('button')]
  .filter(({ textContent }) => /^(Take over|Hand back|Stop)$/.test(textContent.trim()))
  .map((button) => {
    const { left, right, top, bottom } = button.getBoundingClientRect()
    const corners = [[left + 3, top + 3], [right - 3, bottom - 3]]
    const isHit = corners.every(([x, y]) => button.contains(document.elementFromPoint(x, y)))
    return { isHit, words: button.textContent.trim(), at: [left, top, right, bottom].map(Math.round).join() }
  })`
const IS_FOCUS_SEEN = `(() => {
  const { activeElement: focused } = document
  const { left, width, top, height } = focused.getBoundingClientRect()
  const hit = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 10))
  return focused === document.body || focused.contains(hit) || hit?.contains(focused) === true
})()`

const test = extensionSuite(
  'the side panel',
  async () => {
    const browser = await openBrowser()
    return { browser, panel: await browser.open('panel.html') }
  },
  ({ browser }: { browser: ExtendedBrowser; panel: Page }) => browser.close(),
)

/** Shows these tasks, as the worker has it shown; connected, it would be asked for the service's own. */
async function show(panel: Page, tasks: readonly object[]): Promise<void> {
  await panel.evaluate(
    `(async (tasks) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 200 })
      const jpeg = canvas.toDataURL('image/jpeg').split(',')[1]
      const panel = { connection: 'connecting', notice: null, origin: 'http://127.0.0.1:1', workspace: 'default', tasks }
      await chrome.storage.session.set({ 'thumbnail:test': jpeg, panel })
    })(${JSON.stringify(tasks)})`,
  )
  const shown = () => panel.getByRole('article').count()
  await eventually(async () => (await shown()) === tasks.length, 'the tasks')
  await panel.reload()
  await panel
    .getByRole('img', { name: /^The page after/ })
    .nth(tasks.length * 2 - 1)
    .waitFor()
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [name, tasks] of Object.entries(STATES)) {
    test(`[I21] Take over and Stop are in sight, wherever the panel is scrolled to: ${name}, ${colorScheme}`, async ({
      panel,
    }) => {
      await panel.emulateMedia({ colorScheme })
      await panel.setViewportSize({ width: WIDTH, height: 860 })
      await show(panel, tasks)
      for (const height of HEIGHTS) {
        await panel.setViewportSize({ width: WIDTH, height })
        for (const part of [0, 0.5, 1]) {
          await panel.evaluate(
            `document.querySelector('main').scrollTo(0, document.querySelector('main').scrollHeight * ${part})`,
          )
          const buttons = (await panel.evaluate(BUTTONS)) as { isHit: boolean }[]
          assert.is(buttons.length, tasks.length * 2)
          const hidden = buttons.filter(({ isHit }) => !isHit)
          assert.equal(hidden, [], `at ${height} px, scrolled by ${part}`)
          if (folder && part === 0.5)
            await panel.screenshot({ path: `${folder}/${name.replace(/\W+/g, '-')}-${height}-${colorScheme}.png` })
        }
        const tooWide =
          await panel.evaluate(`[document.documentElement, ...document.querySelectorAll('main, .controls')].some(
          ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
        )`)
        assert.is(tooWide, false)
      }
    })
  }
}

test('[I21] a field that is tabbed to is not hidden by the foot of the panel', async ({ panel }) => {
  await panel.emulateMedia({ colorScheme: 'light' })
  await panel.setViewportSize({ width: WIDTH, height: 600 })
  await show(panel, [running('a'), running('b', { input: question('b') })])
  await panel.bringToFront()
  for (let tabs = 0; tabs < 20; tabs++) {
    await panel.keyboard.press('Tab')
    const isSeen = await panel.evaluate(IS_FOCUS_SEEN)
    assert.ok(isSeen, `after ${tabs + 1} times Tab: ${await panel.evaluate('document.activeElement.outerHTML')}`)
  }
})

test.run()
