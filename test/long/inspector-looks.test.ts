import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { violations, WAIT_MS } from '../observe/inspector/scene.ts'
import { endChromium, noChromium, pageOf, startChromium } from '../observe/inspector/world.ts'
import { answering } from '../support/answering.ts'
import { eventually } from '../support/eventually.ts'
import type { Plan, Seen } from '../support/model-endpoint.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { openJobModel } from '../support/service/model.ts'
import { allowManyStarts, openService } from '../support/service.ts'
import { closeReceivers, receiver } from '../webhooks/receiver.ts'

/**
 * Every state of the inspector and of a replay, in each of these widths, light and dark: nothing is out of sight to the
 * right, axe finds nothing. With `PICTURES=<folder>` each is photographed, to be looked at. 640 px are 1,280 at 200 %.
 */
const WIDTHS = [1280, 640, 390, 320]
/** Where axe looks: colours, and the widest and the narrowest page. */
const AXE = ['1280 light', '320 dark']
const folder = process.env.PICTURES
/** A call under way stays so while it is looked at. */
const CALL_MS = 12_000
const SEEN = readFileSync(new URL('../../src/web/static/example/109004.jpg', import.meta.url)).toString('base64')

const FIND = 'Find the cheapest green tea that the shop has in stock, and say what it costs'
const ORDER = 'Order two packets of tea; ask which kind'
/** What the model does in turn, whatever it is asked. */
const STEPS = [
  ['The shop has a search: I look for green tea.', 'find', { query: 'the search of the shop' }, 180],
  ['I read what was found.', 'read_page', { filter: 'all' }, 420],
  ['I look at the page to be sure of the prices.', 'computer', { action: 'screenshot' }, 260],
] as const
const ANSWER = 'The cheapest green tea in stock is **Sencha, 100 g, for €4.20**. Bancha costs less, but is sold out.'

/** A model that goes through the steps, then answers; of the order it asks. */
function goThrough({ body }: Seen): Plan {
  const messages = body.messages as unknown as readonly { readonly role: string; readonly content: unknown }[]
  const step = messages.filter(({ role }) => role === 'assistant').length
  const task = JSON.stringify(messages[0]?.content)
  if (task.includes(ORDER))
    return { text: 'Both are in stock.', calls: [{ tool: 'ask_user', input: { question: 'Sencha or Bancha?' } }] }
  const isOver = task.includes(FIND) && step >= STEPS.length
  if (isOver) return { ...answering(ANSWER, body.tools as unknown as { name: string }[]), ms: 240 }
  const [text, tool, input, ms] = STEPS[step % STEPS.length] as (typeof STEPS)[number]
  return { text, calls: [{ tool, input }], ms }
}

const test = suite('the looks of the inspector')

/** What is wider than the page, or cut where it neither scrolls nor ends in an ellipsis. */
const OUT_OF_SIGHT = `[document.documentElement, ...document.querySelectorAll('main section, main .bar, main dl, main p, tr.kind th')]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 || (box.matches('tr.kind th') && box.scrollHeight > box.clientHeight + 1))
  .map((box) => (box.id || box.className || box.tagName) + ': ' + box.textContent.slice(0, 60))`

/** Words of arrows that the edge of their chart cuts. */
const CUT = `[...document.querySelectorAll('.chart .words:is(.on, .next):not(.cut)')].filter((words) => {
  const [inner, outer] = [words.getBoundingClientRect(), words.closest('.drawing').getBoundingClientRect()]
  return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1
}).map((words) => 'words of an arrow: ' + words.textContent)`

/** Boxes as high as the window makes them stay so while it is as high as the page: a picture of the whole page scrolls them. */
const PIN = `for (const box of document.querySelectorAll('.drawing, .scroll')) box.style.maxHeight = getComputedStyle(box).maxHeight`
const UNPIN = `for (const box of document.querySelectorAll('.drawing, .scroll')) box.style.maxHeight = ''`

/** What was resized has been painted. */
const PAINTED = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

interface State {
  readonly name: string
  readonly path: string
  /** There once the state is. */
  readonly ready: string
  act?(page: Page): Promise<void>
}

/** A state in each look. Gives what is wrong with it. */
async function look(page: Page, { name, path, ready, act }: State, url: string): Promise<string[]> {
  const wrong: string[] = []
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${url}${path}`)
  await page.locator(ready).first().waitFor({ timeout: WAIT_MS })
  await act?.(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 })
      const at = `${name} ${width} ${colorScheme}`
      // A box says after its next frame that it has another size.
      await page.evaluate(PAINTED)
      for (const outside of [OUT_OF_SIGHT, CUT])
        for (const each of await page.evaluate<string[]>(outside)) wrong.push(`${at}: out of sight: ${each}`)
      if (AXE.includes(`${width} ${colorScheme}`))
        for (const each of await violations(page)) wrong.push(`${at}: axe: ${each}`)
      if (folder === undefined || width === 640) continue
      await page.evaluate(PIN)
      await page.setViewportSize({
        width,
        height: await page.evaluate<number>('document.documentElement.scrollHeight'),
      })
      await page.evaluate(PAINTED)
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) })
      await page.evaluate(UNPIN)
    }
  }
  return wrong
}

if (noChromium !== null) console.log(`SKIPPED 1 ${noChromium}`)
else
  test('[P35] every state of the inspector and of a replay is whole at 1280, 640, 390 and 320 px, light and dark', async () => {
    if (folder !== undefined) mkdirSync(folder, { recursive: true })
    const model = await openJobModel()
    model.endpoint.plan(goThrough)
    const hook = await receiver((_, res) => {
      res.statusCode = 500
      res.end('no room')
    })
    const service = await openService({ env: { ...model.env, WEBHOOK_ALLOW_PRIVATE: 'true' } })
    const browser = await startChromium()
    let worker: TestBrowser | null = null
    try {
      const { api, url, key } = service
      allowManyStarts(service)
      await api.post('/v1/webhook_endpoints', { url: `http://127.0.0.1:${hook.port}/` })
      const { id: session, token, relayPort } = await api.pair()
      const answers = { now: true }
      worker = await TestBrowser.open({
        ...{ relayPort, token },
        answer: () => ({ output: 'green tea', screenshot: SEEN, ms: answers.now ? 150 : CALL_MS }),
      })
      const task = async (id: string) => (await api.get(`/v1/tasks/${id}`)).json
      const until = (id: string, state: string) =>
        eventually(async () => (await task(id)).state === state, `${state} of ${id}`, WAIT_MS)
      const { page } = await pageOf(browser, url, key)
      const wrong: string[] = []
      const see = async (state: State) => void wrong.push(...(await look(page, state, url)))

      await see({ name: 'empty', path: '/inspector', ready: '.map text' })
      const started = async (text: string, more = {}) => (await api.start(session, text, more)).json.id as string
      const done = await started(FIND)
      await finished(api, done)
      const asking = await started(ORDER, { ask_user: true })
      await until(asking, 'waitingForInput')
      answers.now = false
      const acting = await started('Compare the prices of all teapots and list the three best')
      await until(acting, 'acting')
      const paused = await started('Read the news about the tea harvest')
      await until(paused, 'acting')
      await api.post(`/v1/tasks/${paused}/pause`)
      const cancelled = await started('Watch the page until the sale begins')
      await until(cancelled, 'acting')
      await api.post(`/v1/tasks/${cancelled}/cancel`)
      await eventually(() => hook.seen.length > 0, 'a delivery', WAIT_MS)

      const actor = (address: string) => `/inspector?actor=${address}`
      const lit = '.drawing .state.on'
      await see({ name: 'list', path: '/inspector', ready: 'tr.kind >> text=call' })
      await see({
        ...{ name: 'list-nothing-found', path: '/inspector', ready: '#actors a' },
        act: (at) => at.fill('#filter', 'nothing like this'),
      })
      await see({ name: 'task-acting', path: actor(`task:${acting}`), ready: '.sayings li' })
      await see({ name: 'task-asking', path: actor(`task:${asking}`), ready: '.ask >> text=Sencha or Bancha?' })
      await see({ name: 'task-paused', path: actor(`task:${paused}`), ready: '.sayings li' })
      await see({ name: 'session', path: actor(`session:${session}`), ready: lit })
      await see({ name: 'ended', path: actor(`task:${done}`), ready: 'text=Replay' })
      for (const kind of ['call', 'workspace', 'delivery'])
        await see({
          ...{ name: kind, path: '/inspector', ready: `tr.kind >> text=${kind}` },
          async act(at) {
            // Its deliveries are one row.
            if (kind === 'delivery') await at.locator('tr.group button').click()
            await at.locator(`#actors a[data-address^="${kind}:"]`).first().click()
            await at.locator(lit).first().waitFor({ timeout: WAIT_MS })
            if (kind === 'delivery')
              await at.locator('#attempts >> text=HTTP 500').first().waitFor({ timeout: WAIT_MS })
          },
        })
      const replay = { path: `/inspector?task=${done}`, ready: lit }
      await see({ ...replay, name: 'replay-first' })
      await see({
        ...replay,
        name: 'replay-middle',
        path: `${replay.path}&tab=transitions#9`,
        ready: '.move[aria-current]',
      })
      await see({ ...replay, name: 'replay-end', act: (at) => at.locator('#position').press('End') })
      await see({
        name: 'replay-cancelled',
        path: `/inspector?task=${cancelled}`,
        ready: '#said >> text=ended',
      })
      await see({ name: 'replay-unknown', path: `/inspector?task=${session}`, ready: 'text=Task not found' })
      await see({ name: 'example', path: '/inspector/example', ready: lit })
      await page.context().clearCookies()
      await see({ name: 'signed-out', path: '/inspector', ready: 'text=Sign in' })
      assert.equal(wrong, [])
    } finally {
      // It would connect again and again, and this process would not end.
      worker?.disconnect()
      await endChromium(browser)
      await service.stop()
      await model.endpoint.close()
      await closeReceivers()
    }
  })

test.run()
