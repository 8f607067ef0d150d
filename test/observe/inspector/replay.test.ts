import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../../support/eventually.ts'
import { lit, openScene, type Scene, violations, WAIT_MS } from './scene.ts'
import { noChromium } from './world.ts'

const test = suite('replay in a browser')
let scene: Scene | undefined
let skipped = 0
const withBrowser = (name: string, body: (scene: Scene) => Promise<void>): void => {
  if (noChromium !== null) return void skipped++
  test(name, async () => {
    scene ??= await openScene()
    await body(scene)
  })
}
test.after(() => scene?.close())

withBrowser(
  '[P18] replay shows each state of a finished task with what the model said, the tool that ran and its result, by slider, keys and link',
  async (scene) => {
    const { page, live } = scene
    const id = await scene.start('call')
    await scene.ended(id)
    await page.goto(`${live.service.url}/inspector?task=${id}`)
    await page.waitForSelector('.drawing .state.on', { timeout: WAIT_MS })
    const slider = page.getByRole('slider', { name: 'Transition' })
    const count = Number(await slider.getAttribute('aria-valuemax'))
    const seen: (string | null)[] = []
    const told: string[] = []
    const later: number[] = []
    const results: string[] = []
    for (let at = 0; at < count; at++) {
      if (at > 0) await slider.press('ArrowUp')
      await page.locator(`#position[aria-valuenow="${at + 1}"]`).waitFor({ timeout: WAIT_MS })
      const leaf = /: (\w+)$/.exec((await slider.getAttribute('aria-valuetext')) ?? '')?.[1]
      // The drawing follows.
      await page.locator(`.drawing .state.on[data-state$="${leaf}"]`).waitFor({ timeout: WAIT_MS })
      seen.push(await lit(page))
      // An arrow to the end is lit at the end alone.
      const ends = await page.locator('.drawing .edge.on[data-to="task.ended"]').count()
      assert.is(ends > 0, seen.at(-1) === 'ended', `${seen.at(-1)}: ${ends} arrows to the end`)
      told.push((await page.locator('.steps').textContent()) ?? '')
      // The conversation follows: what was said later is dimmed.
      assert.is(await page.locator('.sayings li[aria-current] ~ :not(.later)').count(), 0)
      later.push(await page.locator('.sayings .later').count())
      results.push((await page.locator('[aria-label="Result of find"]:visible').allTextContents()).join())
    }
    assert.is(seen[0], 'running.askingModel.thinking')
    assert.is(seen.at(-1), 'ended')
    assert.ok(
      seen.includes('running.callingTool.persistingIntent') && seen.includes('running.callingTool.acting'),
      seen.join(' '),
    )
    await page.getByRole('tab', { name: /^Transitions / }).click()
    const steps = await page
      .locator('.move')
      .evaluateAll((moves) => moves.map((move) => move.getAttribute('data-states')))
    assert.equal(
      seen,
      steps.map((states) => states?.split(' ').at(-1)),
    )
    const acting = seen.indexOf('running.callingTool.acting')
    assert.match(told[0] ?? '', /Thinks/)
    assert.match(told[acting] ?? '', /I look\..*Looks for tea/)
    assert.is(results[acting], '')
    assert.ok(results.includes('tea'), results.join(' | '))
    assert.match(told.at(-1) ?? '', /Done\./)
    assert.is(later.at(-1), 0)
    assert.ok((later[0] ?? 0) > (later[acting] ?? 0) && (later[acting] ?? 0) > 0, later.join(' '))
    await page.locator('.steps .request summary').click()
    await page.locator('.steps .request pre', { hasText: 'You carry out a task' }).waitFor({ timeout: WAIT_MS })
    assert.match(
      (await page.locator('.steps .sent').textContent()) ?? '',
      /The service.*call.*The model.*I look\..*Results.*tea/s,
    )
    assert.equal(await violations(page), [])
    // By keys, and the address follows.
    const shown = () => page.textContent('#said')
    await page.locator('#said').click()
    for (const [key, place] of [
      ['Home', 1],
      ['ArrowRight', 2],
      ['ArrowRight', 3],
      ['ArrowLeft', 2],
      ['End', count],
    ] as const) {
      await page.keyboard.press(key)
      await eventually(async () => (await shown())?.startsWith(`${place} of ${count} ·`) === true, key, WAIT_MS)
      assert.match(page.url(), new RegExp(`#${place}$`))
    }
    // Played from the beginning to the end, and stopped.
    await page.keyboard.press(' ')
    await page.waitForSelector('button >> text=Pause', { timeout: WAIT_MS })
    await page.keyboard.press(' ')
    await page.waitForSelector('button >> text=Play', { timeout: WAIT_MS })
    // The address names the tab, too; a link opens at its moment.
    assert.match(page.url(), /tab=transitions#/)
    await page.goto('about:blank')
    await page.goto(`${live.service.url}/inspector?task=${id}&tab=transitions#${acting + 1}`)
    await page.waitForSelector('[data-state="running.callingTool.acting"].on', { timeout: WAIT_MS })
    assert.match((await shown()) ?? '', new RegExp(`^${acting + 1} of`))
    await page.locator('.move[aria-current]').and(page.locator('.move').nth(acting)).waitFor({ timeout: WAIT_MS })
    // Tabs are led through by arrow keys, which move nothing else; what was said leads to its moment.
    await page.getByRole('tab', { selected: true }).press('ArrowLeft')
    await page
      .locator('[role=tab][aria-selected=true]:focus', { hasText: 'Conversation' })
      .waitFor({ timeout: WAIT_MS })
    assert.match((await shown()) ?? '', new RegExp(`^${acting + 1} of`))
    await page.locator('.sayings li', { hasText: 'Done in' }).getByRole('link').click()
    await page.locator('#said', { hasText: /thinking$/ }).waitFor({ timeout: WAIT_MS })
    await page.locator('.steps', { hasText: 'tea' }).waitFor({ timeout: WAIT_MS })
  },
)

withBrowser(
  '[P18] a replay says what the time of a task went to, and a press on that leads to what was then',
  async (scene) => {
    const { page, live } = scene
    scene.answers = true
    const id = await scene.start('call')
    await scene.ended(id)
    await page.goto(`${live.service.url}/inspector?task=${id}`)
    await page
      .locator('#spent', { hasText: /Asking the model [\d.]+ m?s.*Using the browser and tools [\d.]+ m?s/ })
      .waitFor({ timeout: WAIT_MS })
    const slider = page.getByRole('slider', { name: 'Transition' })
    const { x = 0, y = 0, width = 0, height = 0 } = (await slider.boundingBox()) ?? {}
    const at = (what: RegExp) => page.locator('#said', { hasText: what }).waitFor({ timeout: WAIT_MS })
    await slider.click({ position: { x: width - 2, y: height / 2 } })
    await at(/^(\d+) of \1 · ended$/)
    // The colour of the browser is pressed: the call was under way then.
    await slider.locator('.callingTool').first().click({ force: true })
    await at(/ · (?:persistingIntent|acting)$/)
    // The thumb is dragged to the beginning.
    await page.mouse.down()
    await page.mouse.move(x, y + height / 2)
    await page.mouse.up()
    await at(/^1 of /)
    assert.equal(await violations(page), [])
  },
)

withBrowser('[P18] replay of a cancelled task begins at its end', async (scene) => {
  const { page, live } = scene
  scene.answers = false
  const id = await scene.start('call')
  await scene.cancel(id)
  await scene.ended(id)
  await page.goto(`${live.service.url}/inspector?task=${id}`)
  await page.waitForSelector('.drawing [data-state="ended"].on', { timeout: WAIT_MS })
  assert.match((await page.textContent('#said')) ?? '', /^(\d+) of \1 · ended$/)
  assert.match((await page.textContent('#outcome')) ?? '', /Stopped.*Ended by the key “.+”, who stopped it/)
  // What can be done is one press away, and why the call was not run is said once.
  assert.match(
    (await page.getByRole('link', { name: 'Open the task' }).getAttribute('href')) ?? '',
    new RegExp(`^/dashboard/tasks/${id}`),
  )
  assert.is(await page.getByText('The task ended before this was done.').count(), 1)
})

if (noChromium !== null) console.log(`SKIPPED ${skipped} ${noChromium}`)
test.run()
