import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { manyTasks } from '../observe/inspector/thousand.ts'
import { noChromium, startChromium } from '../observe/inspector/world.ts'

const test = suite('ten thousand actors in the inspector')
/** Each with its call and browser, and a workspace for five of them: 10,000 actors. */
const TASKS = 3_130
/** A call takes 9 to 36 s: they make some 140 steps a second. */
const PACE = 4.5
const ACTORS = 10_000
/** From the address to the first paint, and to the list, on a quiet machine. */
const PAINT_MS_MAX = 1_000
/** Sixty pictures a second. */
const FRAME_MS = 1_000 / 60
const LOOK_MS = 3_000
const WAIT_MS = 30_000
/** Others use the machine, too: the quietest of several looks is judged. */
const LOOKS_MAX = 4

/** In the page: how many frames are drawn in a while, with the list being scrolled, and how many rows changed. */
const FRAMES = `new Promise((done) => {
  const list = document.querySelector('.actors .scroll')
  let frames = 0, changed = 0
  const watch = new MutationObserver((records) => { changed += records.length })
  watch.observe(document.querySelector('#actors'), { subtree: true, childList: true, characterData: true })
  const from = performance.now()
  const frame = () => {
    frames++
    list.scrollTop += 40
    if (performance.now() - from < ${LOOK_MS}) return requestAnimationFrame(frame)
    watch.disconnect()
    done({ frames, changed })
  }
  requestAnimationFrame(frame)
})`

/** In the page: from a letter in the filter to the next frame, with the rows that are left. */
const FILTER = `new Promise((done) => {
  const input = document.querySelector('#filter')
  const set = (text) => { input.value = text; input.dispatchEvent(new Event('input', { bubbles: true })) }
  set('task:')
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const links = [...document.querySelectorAll('#actors a')]
    const odd = links.filter((link) => !link.dataset.address.startsWith('task:')).length
    const count = document.querySelector('#count').textContent
    set('')
    done({ rows: links.length > 5, odd, count: Number(count.split(' ')[0]) })
  }))
})`

/** A visit: from the address to the first paint, and to the list of all actors. */
async function paintOf(page: Page, address: string): Promise<{ paintMs: number; listMs: number }> {
  await page.goto('about:blank')
  await page.goto(address)
  // Looked for by a script of ours: the policy of the page forbids waitForFunction to make one of a text.
  await page.evaluate(`new Promise((done) => {
    const look = () => (Number(document.querySelector('#count')?.textContent) >= ${ACTORS} ? done() : requestAnimationFrame(look))
    look()
  })`)
  return page.evaluate(`({
    paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    listMs: performance.now(),
  })`)
}

async function look(): Promise<void> {
  const [many, browser] = await Promise.all([manyTasks(TASKS, PACE), startChromium()])
  try {
    assert.is(many.running(), TASKS)
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await page.goto(`${many.url}/inspector?owner=${many.key}`)
    const paints: { paintMs: number; listMs: number }[] = []
    for (let n = 0; n < LOOKS_MAX && !paints.some(({ listMs }) => listMs < PAINT_MS_MAX); n++)
      paints.push(await paintOf(page, `${many.url}/inspector`))
    const painted = paints.map(({ paintMs, listMs }) => `${Math.round(paintMs)} ms, the list ${Math.round(listMs)} ms`)
    console.log(`  first paint: ${painted.join('; ')}`)
    assert.ok(
      paints.some(({ paintMs, listMs }) => paintMs < PAINT_MS_MAX && listMs < PAINT_MS_MAX),
      painted.join('; '),
    )
    const session = await page.context().newCDPSession(page)
    // What the page's thread itself used: not what it waited for on a machine that others use.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const busyMs = async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
    }
    const looks: { perFrame: number; busy: number; frames: number; changed: number }[] = []
    for (let n = 0; n < LOOKS_MAX && !looks.some(({ perFrame }) => perFrame < FRAME_MS); n++) {
      const before = await busyMs()
      const { frames, changed } = await page.evaluate<{ frames: number; changed: number }>(FRAMES)
      const used = (await busyMs()) - before
      looks.push({ perFrame: used / frames, busy: used / LOOK_MS, frames, changed })
    }
    const said = looks.map(
      ({ perFrame, busy, frames, changed }) =>
        `${perFrame.toFixed(1)} ms a frame, ${(busy * 100).toFixed(0)} % busy, ${frames} frames, ${changed} changes`,
    )
    console.log(`  ${await page.textContent('#count')} actors: ${said.join('; ')}`)
    assert.ok(
      looks.every(({ changed }) => changed > 100),
      'the list must move while it is measured',
    )
    assert.ok(
      looks.some(({ perFrame }) => perFrame < FRAME_MS),
      said.join('; '),
    )
    assert.equal(await page.evaluate(FILTER), { rows: true, odd: 0, count: TASKS })
    // One of them is chosen and drawn while all others go on.
    await page.locator('#actors a[data-address^="task:"]').nth(5).click()
    await page.waitForSelector('.drawing .state.on', { timeout: WAIT_MS })
    await page.waitForSelector('#moves tr', { timeout: WAIT_MS })
    assert.is(many.running(), TASKS)
  } finally {
    await browser.close()
    await many.close()
  }
}

if (noChromium === null)
  test(
    '[P21] a list of ten thousand actors is there within a second, and is scrolled and filtered within its frame budget',
    look,
  )
else console.log(`SKIPPED 1 ${noChromium}`)
test.run()
