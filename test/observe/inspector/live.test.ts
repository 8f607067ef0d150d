import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ownerKey } from '../../../src/identity/key-sign-in.ts'
import { eventually } from '../../support/eventually.ts'
import { lit, openScene, openTab, type Scene, violations, WAIT_MS } from './scene.ts'
import { noChromium } from './world.ts'

const test = suite('the pages in a browser')
/** What a viewer may wait to see; on a loaded machine some see later, so the quickest of several is judged. */
const SEEN_MS_MAX = 200
const ROUNDS_MAX = 5

let scene: Scene | undefined
const on = async (body: (scene: Scene) => Promise<void>) => {
  scene ??= await openScene()
  await body(scene)
}
test.after(() => scene?.close())

let skipped = 0
const withBrowser = (name: string, body: (scene: Scene) => Promise<void>): void => {
  if (noChromium === null) test(name, () => on(body))
  else skipped++
}

/** In the page: when the end was first seen lit. */
const NOTE_END = `
  var endSeenAt = 0
  new MutationObserver(() => {
    if (endSeenAt === 0 && document.querySelector('[data-state="ended"].on')) endSeenAt = Date.now()
  }).observe(document.querySelector('.drawing'), { subtree: true, attributes: true })
`

withBrowser(
  'a running task is seen to change its state on the drawing, without reload, within 200 ms',
  async (scene) => {
    const { page, live, tenant } = scene
    const delays: number[] = []
    for (let round = 0; round < ROUNDS_MAX && !delays.some((delay) => delay < SEEN_MS_MAX); round++) {
      scene.answers = false
      const id = await scene.start('call')
      await page.goto(`${live.service.url}/inspector?actor=task:${id}`)
      await page.waitForSelector('[data-state="running.callingTool.acting"].on', { timeout: WAIT_MS })
      await page.evaluate(NOTE_END)
      await scene.cancel(id)
      await page.waitForSelector('[data-state="ended"].on', { timeout: WAIT_MS })
      const seenAt = await page.evaluate<number>('endSeenAt')
      delays.push(seenAt - ((await tenant.api.task(id)).completed_at ?? 0))
    }
    assert.ok(Math.min(...delays) < SEEN_MS_MAX, `seen after ${delays.join(', ')} ms`)
  },
)

withBrowser('[P19] actors are listed by kind and found by state, address and the words of a task', async (scene) => {
  const { page, live } = scene
  scene.answers = true
  const ended = await scene.start('call for the ended teapot')
  await scene.ended(ended)
  scene.answers = false
  const ids = [await scene.start('call for a blue kettle'), await scene.start('call for a red kettle')]
  await page.goto(`${live.service.url}/inspector`)
  const rows = page.locator('#actors tr:not(.kind)')
  const kinds = async () => (await page.locator('#actors tr.kind button').allTextContents()).join(', ')
  const expected =
    'task 2 running tasks, session 1 paired browser, call 2 tool calls under way, workspace 1 workspace in use'
  await eventually(async () => (await kinds()) === expected, 'the kinds', WAIT_MS)
  // What they are is seen: it is inside of its row, which hides what is not.
  const [word, row] = await Promise.all(
    ['tr.kind .quiet >> text=paired browser', 'tr.kind >> text=session >> xpath=ancestor::tr'].map((what) =>
      page.locator(`#actors ${what}`).boundingBox(),
    ),
  )
  assert.ok(word && row && word.y >= row.y && word.y + word.height <= row.y + row.height, JSON.stringify([word, row]))
  await page.locator('#actors', { hasText: 'call for a red kettle' }).waitFor({ timeout: WAIT_MS })
  const finds = async (words: string, found: string[]) => {
    await page.fill('#filter', words)
    const links = () => rows.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('data-address')))
    await eventually(async () => (await links()).join() === found.join(), words, WAIT_MS)
  }
  const called = await rows
    .locator('a', { hasText: 'Call of find for “call for a blue kettle”' })
    .getAttribute('data-address')
  await finds('BLUE kettle', [`task:${ids[0]}`, String(called)])
  await finds(String(ids[1]), [`task:${ids[1]}`])
  await finds('task: acting', [`task:${ids[1]}`, `task:${ids[0]}`])
  await page.fill('#filter', 'nothing like this')
  await page.locator('#nothing', { hasText: 'No actor matches “nothing like this”.' }).waitFor({ timeout: WAIT_MS })
  await page.click('text=Clear the search')
  // A kind is closed and opened.
  await page.click('#actors tr.kind button >> text=task')
  await eventually(async () => (await rows.count()) === 4, 'no tasks', WAIT_MS)
  await page.click('#actors tr.kind button >> text=task')
  await eventually(async () => (await rows.count()) === 6, 'all of them', WAIT_MS)
  // What has ended is found, too, and is one press away from its replay.
  await page.fill('#filter', 'ended teapot')
  await eventually(async () => (await page.locator('.ended li').count()) === 1, 'the ended task', WAIT_MS)
  await page.click('.ended a')
  await page.waitForSelector('#position', { timeout: WAIT_MS })
  assert.match(page.url(), new RegExp(`task=${ended}`))
  await scene.cancel(...ids)
})

withBrowser(
  '[P28] actors have titles in words, and a task that somebody holds says so in list and head',
  async (scene) => {
    const { page, live, tenant, session } = scene
    scene.answers = false
    const id = await scene.start('call for a held kettle')
    await page.goto(`${live.service.url}/inspector?actor=session:${session}`)
    const titles = () => page.locator('#actors a').allTextContents()
    const expected = [
      'call for a held kettle',
      `Browser ${session.slice(0, 8)}`,
      'Call of find for “call for a held kettle”',
      `Workspace ${tenant.id}`,
    ]
    await eventually(async () => (await titles()).join() === expected.join(), 'the titles', WAIT_MS)
    assert.is((await page.textContent('#actor-title'))?.trim(), expected[1])
    // Each has its status in its head, and a dot in that colour in the list.
    const has = async (kind: string, tone: string, words: string, dot = tone) => {
      await page.click(`#actors a[data-address^="${kind}:"]`)
      await page.locator(`.actor .badge.${tone}`, { hasText: words }).waitFor({ timeout: WAIT_MS })
      await page.locator(`tr.chosen .dot.${dot}`).waitFor({ timeout: WAIT_MS })
    }
    await has('call', 'run', 'Under way')
    // What was called, with what, and what came of it.
    for (const says of [/Called\s*find at \d\d:/, /Outcome\s*not known yet/, /Input\s*\{/])
      await page.locator('#called', { hasText: says }).waitFor({ timeout: WAIT_MS })
    // What it knows that is asked for first is a list of facts.
    const knows = (label: string) =>
      page.locator('#known div', { has: page.locator(`dt >> text=${label}`) }).locator('dd')
    await has('workspace', 'plain', 'Ready')
    assert.match((await page.textContent('#meaning')) ?? '', /Now: nothing queued, [\d,]+ of [\d,]+ slots free\.$/)
    assert.match((await knows('Tasks').textContent()) ?? '', /^1 of [\d,]+ slots used · 0 queued$/)
    assert.match((await knows('Starts').textContent()) ?? '', /^\d+ of [\d,]+ in the last minute$/)
    assert.is(await knows('Next start').count(), 0)
    await has('session', 'good', 'Connected', 'plain')
    assert.is(await knows('Last seen').textContent(), 'now, it is connected')
    await knows('Open calls')
      .locator('a', { hasText: expected[2] ?? '' })
      .waitFor({ timeout: WAIT_MS })
    await page.click(`#actors a[data-address="task:${id}"]`)
    await page.locator('.actor .badge', { hasText: 'Working' }).waitFor({ timeout: WAIT_MS })
    await tenant.api.post(`/v1/tasks/${id}/pause`)
    const badge = page.locator('.actor .badge', { hasText: 'Paused' })
    await badge.waitFor({ timeout: WAIT_MS })
    await page.locator('#actors tr', { hasText: 'held kettle' }).locator('td', { hasText: 'paused' }).waitFor({
      timeout: WAIT_MS,
    })
    // Line, sentence and drawing say the same, and who it was; its time goes on with the call until that ends.
    for (const [where, says] of [
      ['#facts', 'paused for'],
      ['#meaning', 'Now: paused by a client; it still waits for its browser to carry out the call.'],
      ['#spent', 'Using the browser and tools'],
    ] as const)
      await page.locator(where, { hasText: says }).waitFor({ timeout: WAIT_MS })
    await page.locator('.drawing .state.on[aria-label="acting (paused)"] .pause').waitFor({ timeout: WAIT_MS })
    assert.equal(await violations(page), [])
    await scene.cancel(id)
    await page.locator('.drawing .pause').waitFor({ state: 'detached', timeout: WAIT_MS })
  },
)

withBrowser(
  '[P20] the page says what the actor may do, did, and holds; each event with its sender, payload and time',
  async (scene) => {
    const { page, live } = scene
    scene.answers = false
    const id = await scene.start('call')
    await page.goto(`${live.service.url}/inspector?actor=task:${id}&tab=accepts`)
    await page.locator('#accepts div', { hasText: 'call.settled' }).waitFor({ timeout: WAIT_MS })
    await eventually(async () => (await lit(page)) === 'running.callingTool.acting', 'a task that acts', WAIT_MS)
    await openTab(page, 'Transitions')
    assert.match((await page.textContent('#facts')) ?? '', /acting for .*timeout in 28 min/)
    await page.getByRole('group', { name: 'Transition list', exact: true }).waitFor({ timeout: WAIT_MS })
    const cells = await page.locator('#moves tr').first().locator('td').allTextContents()
    assert.match(
      cells.join(' | '),
      /^\d\d:\d\d:\d\d\.\d{3} \| \+[\d.]+ m?s \| intent\.kept \| store \| persistingIntent → acting$/,
    )
    await page.locator('#moves summary', { hasText: 'model.requestedTools' }).click()
    const payload = JSON.parse((await page.textContent('#moves pre')) ?? '{}')
    assert.equal([payload.calls[0].tool, payload.calls[0].input, payload.text], ['find', '‹content›', '‹7 characters›'])
    assert.equal(await violations(page), [])
    await openTab(page, 'Messages')
    const sequence = page.locator('#sequence svg[role=img]')
    const between = async () => (await sequence.getAttribute('aria-label')) ?? ''
    await eventually(async () => /model.*task.*session.*call/.test(await between()), 'the sequence', WAIT_MS)
    // Its columns are as wide as their box.
    const widths = await page.evaluate<number[]>(
      `[...document.querySelectorAll('#sequence svg')].map((svg) => svg.clientWidth - svg.parentElement.clientWidth)`,
    )
    assert.ok(widths.length === 2 && widths.every((beyond) => Math.abs(beyond) <= 1), widths.join())
    await openTab(page, 'Context')
    assert.match((await page.textContent('#panel')) ?? '', id)
    assert.not.match(await page.content(), /"tea"/)
    // Another actor is chosen without a reload: its events come from the task.
    await page.evaluate('var still = true')
    await page.click('#actors a[data-address^="session:"]')
    await page.waitForSelector('[data-state="connected"].on', { timeout: WAIT_MS })
    assert.is(await page.evaluate('typeof still'), 'boolean')
    assert.match(page.url(), /actor=session%3A/)
    await openTab(page, 'Transitions')
    await scene.cancel(id)
    // Where few of them change the state, these alone are listed until all are asked for.
    const only = page.getByLabel(/Only changes of state/)
    await only.check({ timeout: WAIT_MS })
    await only.uncheck()
    await page.locator('#moves tr', { hasText: 'call.abandon' }).locator(`[data-address="task:${id}"]`).waitFor({
      timeout: WAIT_MS,
    })
    await eventually(
      async () => !(await page.locator(`#actors [data-address="task:${id}"]`).count()),
      'the end of the task',
      WAIT_MS,
    )
  },
)

withBrowser(
  '[P38] nothing chosen, who talks to whom is shown; an actor says what it is and does, and a task its whole conversation',
  async (scene) => {
    const { page, live } = scene
    scene.answers = false
    const id = await scene.start('call for a green kettle')
    await page.goto(`${live.service.url}/inspector`)
    await page.getByRole('region', { name: /Who talks to whom: .*the task asks what to do: model/ }).waitFor()
    assert.equal(await violations(page), [])
    await page.getByRole('button', { name: /^workspace · 1/ }).press('Enter')
    await eventually(async () => (await page.locator('#actors tr:not(.kind)').count()) === 1, 'the workspace', WAIT_MS)
    await page.goto(`${live.service.url}/inspector?actor=task:${id}`)
    await page.locator('#meaning', { hasText: 'One task run' }).waitFor({ timeout: WAIT_MS })
    await page.locator('#meaning strong', { hasText: 'Now: waits for its browser to carry out the call.' }).waitFor()
    await page.getByRole('img', { name: /^Time spent: .*Using the browser and tools, / }).waitFor({ timeout: WAIT_MS })
    const sayings = () => page.locator('.sayings li').allTextContents()
    await eventually(async () => (await sayings()).length === 4, 'the conversation', WAIT_MS)
    const words = (await sayings()).map((line) => line.replace(/^[\d:.]+ /, ''))
    assert.match(words.join('\n'), /^You → The task: Do this: call for a green kettle\nThe task → The model: Step 1/)
    await openTab(page, 'Accepted events')
    await page.locator('#accepts div', { hasText: 'has answered, or it is known' }).waitFor({ timeout: WAIT_MS })
    assert.equal(await violations(page), [])
    // What has ended leads to its replay, and a browser that is gone to its tasks.
    await page.click('#actors a[data-address^="call:"]')
    await page.waitForSelector('[data-kind="call"] .state.on', { timeout: WAIT_MS })
    await scene.cancel(id)
    const replay = `[href="/inspector?task=${id}"]`
    await page.locator(`#facts ${replay}`).waitFor({ timeout: WAIT_MS })
    await page.goto(`${live.service.url}/inspector?actor=closing:${id}`)
    await page.locator(`#facts ${replay}`).waitFor({ timeout: WAIT_MS })
    await page.goto(`${live.service.url}/inspector?actor=session:${id}`)
    await page.locator(`#facts [href="/dashboard?browser=${id}"]`).waitFor({ timeout: WAIT_MS })
  },
)

withBrowser(
  '[P38] a state and an event say what they mean when they are pointed at, focused or tapped, until Escape',
  async (scene) => {
    const { page, live, browser } = scene
    scene.answers = false
    const id = await scene.start('call')
    const address = `${live.service.url}/inspector?actor=task:${id}&tab=transitions`
    await page.goto(address)
    const acting = '[data-state="running.callingTool.acting"].on'
    await page.waitForSelector(acting, { timeout: WAIT_MS })
    const box = page.getByRole('tooltip')
    const says = (words: string) => box.filter({ hasText: words }).waitFor({ timeout: WAIT_MS })
    await page.locator(`${acting} .key`).first().hover()
    await says('waits for its browser to carry out the call')
    await page.mouse.move(0, 0)
    await box.waitFor({ state: 'hidden', timeout: WAIT_MS })
    await page.locator('#moves summary', { hasText: 'intent.kept' }).first().focus()
    await says('is durable: the call may be sent')
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'hidden', timeout: WAIT_MS })
    // The drawing is one stop of the Tab key, the current state; arrow keys lead to the others.
    await page.getByRole('region', { name: 'Statechart' }).focus()
    await page.keyboard.press('Tab')
    await says('waits for its browser to carry out the call')
    assert.is(await page.locator('.machine [aria-describedby="explanation"]').getAttribute('aria-label'), 'acting')
    await page.keyboard.press('ArrowRight')
    await eventually(async () => !/carry out the call/.test((await box.textContent()) ?? ''), 'the next', WAIT_MS)
    assert.is(await page.locator('.machine [tabindex="0"]').count(), 1)
    assert.equal(await violations(page), [])
    const phone = await browser.newContext({
      ...{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
      storageState: await page.context().storageState(),
    })
    const touched = await phone.newPage()
    await touched.goto(address)
    await touched.locator(`${acting} .key`).first().tap({ timeout: WAIT_MS })
    await touched.getByRole('tooltip').filter({ hasText: 'carry out the call' }).waitFor({ timeout: WAIT_MS })
    await touched.locator('#actor-title').tap()
    await touched.getByRole('tooltip').waitFor({ state: 'hidden', timeout: WAIT_MS })
    await phone.close()
    await scene.cancel(id)
  },
)

/** How much wider than its window the page is. */
const BEYOND = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** Words of the messages that are not inside of their drawing, where they are not seen. */
const WORDS_OUTSIDE = `[...document.querySelectorAll('#sequence svg text')].filter((words) => {
  const [inner, outer] = [words, words.ownerSVGElement].map((what) => what.getBoundingClientRect())
  return inner.left < outer.left - 1 || inner.right > outer.right + 1
}).map(({ textContent }) => textContent)`

/** Whether the innermost lit state is inside of the box that the drawing scrolls in. */
const IN_SIGHT = `(() => {
  const [state, box] = ['.drawing .state.on:not(.composite)', '.drawing'].map((what) => document.querySelector(what)?.getBoundingClientRect())
  return !!state && state.width > 0 && state.left >= box.left && state.right <= box.right && state.top >= box.top && state.bottom <= box.bottom
})()`

/** Words and names of the drawing that the edge of its box cuts. */
const CUT = `(() => {
  const outer = document.querySelector('.drawing').getBoundingClientRect()
  return [...document.querySelectorAll('.drawing text')].filter((text) => {
    const { left, right, top, bottom } = text.getBoundingClientRect()
    const isCut = left < outer.left - 1 || right > outer.right + 1 || top < outer.top - 1 || bottom > outer.bottom + 1
    return isCut && text.getClientRects().length > 0 && text.closest('.cut') === null
  }).map(({ textContent }) => textContent)
})()`

/** How large the name of the innermost lit state is on the page. */
const NAME_PX = `(() => {
  const name = document.querySelector('.drawing .state.on:not(.composite) .key')
  return Number.parseFloat(getComputedStyle(name).fontSize) * name.getScreenCTM().a
})()`

withBrowser(
  '[P20] the state of an actor and its messages are in sight when it is opened and when it changes, on a phone, too',
  async (scene) => {
    const { page, live, tenant } = scene
    for (const viewport of [
      { width: 1280, height: 500 },
      { width: 390, height: 844 },
      { width: 320, height: 600 },
    ]) {
      await page.setViewportSize(viewport)
      scene.answers = false
      const id = await scene.start('call')
      await eventually(async () => (await tenant.api.task(id)).state === 'acting', 'a task that acts', WAIT_MS)
      await tenant.api.post(`/v1/tasks/${id}/pause`)
      await page.goto(`${live.service.url}/inspector?actor=task:${id}&tab=messages`)
      const seen = async (state: string) => {
        await page.waitForSelector(`[data-state="${state}"].on`, { state: 'attached', timeout: WAIT_MS })
        await eventually(() => page.evaluate<boolean>(IN_SIGHT), `${state} in sight at ${viewport.width} px`, WAIT_MS)
        assert.ok((await page.evaluate<number>(NAME_PX)) >= 10, `the name of ${state} can be read`)
        assert.equal(await page.evaluate(CUT), [], `${state} at ${viewport.width} px`)
      }
      await page.waitForSelector('.drawing .state.on', { state: 'attached', timeout: WAIT_MS })
      await seen((await lit(page)) ?? '')
      assert.is(await page.evaluate(BEYOND), 0, `at ${viewport.width} px`)
      await page.waitForSelector('#sequence .message', { timeout: WAIT_MS })
      // A phone has no room for lanes.
      const rows = page.locator('#sequence li', { hasText: 'task → session · call.open' })
      assert.is((await rows.count()) > 0, viewport.width < 768, `at ${viewport.width} px`)
      assert.equal(await page.evaluate(WORDS_OUTSIDE), [], `at ${viewport.width} px`)
      // On a phone the actor has the page for itself, and leads back to the list.
      const isPhone = viewport.width < 768
      assert.is(await page.locator('.actors').isVisible(), !isPhone)
      assert.is(await page.getByRole('link', { name: 'All actors' }).isVisible(), isPhone)
      await scene.cancel(id)
      await seen('ended')
      assert.is(await page.textContent('#meaning strong'), 'Finished.')
      await page.locator('.actor .badge', { hasText: 'Stopped' }).waitFor({ timeout: WAIT_MS })
      await openTab(page, 'Accepted events')
      await page.locator('#panel', { hasText: 'Accepts no events any more.' }).waitFor({ timeout: WAIT_MS })
    }
    await page.getByRole('link', { name: 'All actors' }).click()
    await page.locator('.actors').waitFor({ timeout: WAIT_MS })
    assert.is(await page.evaluate(BEYOND), 0)
    assert.is(new URL(page.url()).search, '')
    await page.setViewportSize({ width: 1280, height: 900 })
  },
)

withBrowser('paused, the page stays as it is; then it shows what is true by then', async (scene) => {
  const { page, live } = scene
  scene.answers = false
  const id = await scene.start('call')
  await page.goto(`${live.service.url}/inspector?actor=task:${id}`)
  await page.waitForSelector('[data-state="running.callingTool.acting"].on', { timeout: WAIT_MS })
  await page.click('#pause')
  await page.locator('#stream', { hasText: 'Paused' }).waitFor({ timeout: WAIT_MS })
  await scene.cancel(id)
  assert.is(await lit(page), 'running.callingTool.acting')
  await page.click('#pause')
  await page.waitForSelector('[data-state="ended"].on', { timeout: WAIT_MS })
  await page.locator('.actor .actions a', { hasText: 'Replay' }).waitFor({ timeout: WAIT_MS })
})

withBrowser("[P19] the operator's inspector has all actors and no text of a task", async (scene) => {
  const { live, browser } = scene
  scene.answers = false
  const id = await scene.start('call with the words hunter2 hunter2')
  const page = await browser.newPage()
  const said: string[] = []
  page.on('response', async (answer) => {
    if (!answer.headers()['content-type']?.includes('event-stream')) said.push(await answer.text().catch(() => ''))
  })
  await page.goto(`${live.service.url}/inspector?owner=${await ownerKey(live.store)}`)
  await page.click(`#actors a[data-address="task:${id}"]`, { timeout: WAIT_MS })
  await page.waitForSelector('[data-state="running.callingTool.acting"].on', { timeout: WAIT_MS })
  await page.locator('#moves summary', { hasText: 'model.requestedTools' }).click()
  await page.fill('#filter', 'hunter2')
  await eventually(async () => /^0 of/.test((await page.textContent('#count')) ?? ''), 'nothing found', WAIT_MS)
  assert.not.match((await page.content()) + said.join(), /words hunter2/)
  await page.close()
  await scene.cancel(id)
})

withBrowser(
  'tasks that were started in one moment are told apart in the list, which shows the chosen row',
  async (scene) => {
    const { page, live, tenant } = scene
    scene.answers = false
    const ids = [await scene.start('call'), await scene.start('call')]
    await page.goto(`${live.service.url}/inspector`)
    const tasks = page.locator('#actors a[data-address^="task:"]')
    await eventually(async () => (await tasks.count()) === 2, 'both tasks', WAIT_MS)
    const names = await tasks.allTextContents()
    assert.is(new Set(names).size, 2, names.join(', '))
    await page.setViewportSize({ width: 1280, height: 500 })
    await page.goto(`${live.service.url}/inspector?actor=workspace:${tenant.id}`)
    const row = page.locator('#actors tr.chosen')
    const list = page.locator('.actors .scroll')
    await row.waitFor({ timeout: WAIT_MS })
    const isSeen = async () => {
      const [inner, outer] = await Promise.all([row.boundingBox(), list.boundingBox()])
      return !!inner && !!outer && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height
    }
    await eventually(isSeen, 'the chosen row', WAIT_MS)
    assert.ok(await list.evaluate((box) => box.scrollTop > 0), 'it was below the rows in sight')
    await page.setViewportSize({ width: 1280, height: 900 })
    await scene.cancel(...ids)
  },
)

withBrowser('the dashboard follows a task by itself, and stops it', async (scene) => {
  const { page, live } = scene
  await page.goto(`${live.service.url}/dashboard`)
  await page.evaluate('var still = true')
  scene.answers = false
  const id = await scene.start('call for the dashboard')
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
