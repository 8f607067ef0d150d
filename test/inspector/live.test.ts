import type { Browser, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { type Live, openLive, type Tenant } from '../support/live.ts'
import { newKey, noChromium, pageOf, startChromium } from './world.ts'

const test = suite('the pages in a browser')
/** What a viewer may wait to see; on a loaded machine some see later, so the quickest of several is judged. */
const SEEN_MS_MAX = 200
const ROUNDS_MAX = 5
const WAIT_MS = 15_000

interface Scene {
  readonly live: Live
  readonly tenant: Tenant
  readonly browser: Browser
  readonly page: Page
  readonly asked: string[]
  readonly session: string
}

let scene: Scene | undefined
/** Whether browsers answer what they are asked. */
let answers = true
const on = async (body: (scene: Scene) => Promise<void>) => {
  scene ??= await opened()
  await body(scene)
}
async function opened(): Promise<Scene> {
  const live = await openLive({ transport: 'node', store: 'lmdb' })
  const tenant = await live.workspace()
  const { id: session } = await tenant.browser(() => (answers ? { output: 'tea' } : 'never'))
  const { key } = await newKey(live.store, tenant.id)
  // The first drawing is laid out before anything is timed.
  await tenant.api.get('/inspector/drawings/task')
  const browser = await startChromium()
  return { live, tenant, browser, session, ...(await pageOf(browser, live.service.url, key)) }
}
test.after(async () => {
  await scene?.browser.close()
  await scene?.live.close()
})

let skipped = 0
const withBrowser = (name: string, body: (scene: Scene) => Promise<void>): void => {
  if (noChromium === null) test(name, () => on(body))
  else skipped++
}

async function start({ tenant, session }: Scene, task: string): Promise<string> {
  const { json, status } = await tenant.api.start(session, task)
  assert.is(status, 201, JSON.stringify(json))
  return json.id
}
/** In the page: when the end was first seen lit. */
const NOTE_END = `
  var endSeenAt = 0
  new MutationObserver(() => {
    if (endSeenAt === 0 && document.querySelector('[data-state="ended"].on')) endSeenAt = Date.now()
  }).observe(document.querySelector('#drawing'), { subtree: true, attributes: true })
`
const lit = (page: Page) => page.locator('#drawing .state.on:not(.composite)').getAttribute('data-state')

withBrowser(
  'a running task is seen to change its state on the drawing, without reload, within 200 ms',
  async (scene) => {
    const { page, live, tenant } = scene
    const delays: number[] = []
    for (let round = 0; round < ROUNDS_MAX && !delays.some((delay) => delay < SEEN_MS_MAX); round++) {
      answers = false
      const id = await start(scene, 'call')
      await page.goto(`${live.service.url}/inspector?actor=task:${id}`)
      await page.waitForSelector('[data-state="running.acting"].on', { timeout: WAIT_MS })
      await page.evaluate(NOTE_END)
      await tenant.api.post(`/v1/tasks/${id}/cancel`)
      await page.waitForSelector('[data-state="ended"].on', { timeout: WAIT_MS })
      const seenAt = await page.evaluate<number>('endSeenAt')
      delays.push(seenAt - ((await tenant.api.task(id)).completed_at ?? 0))
    }
    assert.ok(Math.min(...delays) < SEEN_MS_MAX, `seen after ${delays.join(', ')} ms`)
  },
)

withBrowser(
  'the page says what the actor may do, did, and holds; secrets and words of people are left out',
  async (scene) => {
    const { page, live } = scene
    answers = false
    const id = await start(scene, 'call with the words hunter2 hunter2')
    await page.goto(`${live.service.url}/inspector?actor=task:${id}`)
    await page.waitForSelector('#moves tr', { timeout: WAIT_MS })
    await eventually(async () => (await lit(page)) === 'running.acting', 'a task that acts', WAIT_MS)
    await page.locator('#accepts li', { hasText: 'call.settled' }).waitFor({ timeout: WAIT_MS })
    assert.match((await page.textContent('#facts')) ?? '', /acting for .*timeout in 29 m/)
    assert.match((await page.textContent('#moves')) ?? '', /intent\.kept.*acting/)
    const sequence = page.locator('#sequence svg[role=img]')
    const between = async () => (await sequence.getAttribute('aria-label')) ?? ''
    await eventually(async () => /model.*task.*session.*call/.test(await between()), 'the sequence', WAIT_MS)
    const context = (await page.textContent('#context')) ?? ''
    assert.match(context, id)
    assert.not.match(await page.content(), /hunter2|"tea"/)
    // The list has the task, its session and its call; a filter leaves one.
    const rows = () => page.locator('#actors tr:visible').count()
    await eventually(async () => (await rows()) >= 4, 'the list of actors', WAIT_MS)
    await page.fill('#filter', 'task:')
    await eventually(async () => (await rows()) === 1, 'the task alone', WAIT_MS)
    await page.fill('#filter', '')
    // Another actor is chosen without a reload.
    await page.evaluate('var still = true')
    await page.click('#actors a[data-address^="session:"]')
    await page.waitForSelector('[data-state="connected"].on', { timeout: WAIT_MS })
    assert.is(await page.evaluate('typeof still'), 'boolean')
    assert.match(page.url(), /actor=session%3A/)
    // Paused, nothing moves.
    await page.click('#pause')
    assert.is(await page.textContent('#stream'), 'Paused')
    await scene.tenant.api.post(`/v1/tasks/${id}/cancel`)
    assert.ok((await rows()) >= 4)
    await page.click('#pause')
    await eventually(
      async () => !(await page.locator(`[data-address="task:${id}"]`).count()),
      'the end of the task',
      WAIT_MS,
    )
  },
)

withBrowser('tasks that were started in one moment are told apart in the list', async (scene) => {
  const { page, live, tenant } = scene
  answers = false
  const ids = [await start(scene, 'call'), await start(scene, 'call')]
  await page.goto(`${live.service.url}/inspector`)
  const tasks = page.locator('#actors a[data-address^="task:"]')
  await eventually(async () => (await tasks.count()) === 2, 'both tasks', WAIT_MS)
  const names = await tasks.allTextContents()
  assert.is(new Set(names).size, 2, names.join(', '))
  for (const id of ids) await tenant.api.post(`/v1/tasks/${id}/cancel`)
})

withBrowser('replay shows each state of a finished task, with a slider', async (scene) => {
  const { page, live, tenant } = scene
  answers = true
  const id = await start(scene, 'call')
  await eventually(async () => (await tenant.api.task(id)).status === 'complete', 'the end', WAIT_MS)
  await eventually(async () => (await live.store.traces.get(id, 'transitions')) !== null, 'its way', WAIT_MS)
  await page.goto(`${live.service.url}/inspector?task=${id}`)
  const count = Number(await page.getAttribute('#position', 'max')) + 1
  const seen: (string | null)[] = []
  for (let at = 0; at < count; at++) {
    await page.locator('#position').fill(String(at))
    seen.push(await lit(page))
  }
  assert.is(seen[0], 'running.thinking')
  assert.is(seen.at(-1), 'ended')
  assert.ok(seen.includes('running.persistingIntent') && seen.includes('running.acting'), seen.join(' '))
  const steps = await page
    .locator('.move')
    .evaluateAll((moves) => moves.map((move) => move.getAttribute('data-states')))
  assert.equal(
    seen,
    steps.map((states) => states?.split(' ').at(-1)),
  )
})

withBrowser('the dashboard follows a task by itself, and stops it', async (scene) => {
  const { page, live } = scene
  await page.goto(`${live.service.url}/dashboard`)
  await page.evaluate('var still = true')
  answers = false
  const id = await start(scene, 'call for the dashboard')
  const row = page.locator('.task', { hasText: 'call for the dashboard' })
  await row.locator('.badge', { hasText: 'Working' }).waitFor({ timeout: WAIT_MS })
  assert.is(await page.evaluate('typeof still'), 'boolean')
  await row.click()
  await page.click('.actions > button >> text=Stop')
  await page.click('dialog button >> text=Stop')
  await page.locator('.answer', { hasText: 'Task was cancelled.' }).waitFor({ timeout: WAIT_MS })
  assert.match(page.url(), id)
})

if (noChromium !== null) console.log(`SKIPPED ${skipped} ${noChromium}`)
test.run()
