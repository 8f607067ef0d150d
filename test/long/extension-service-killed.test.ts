import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { DEMO_SCRIPT, DEMO_TASK, expectedTotal } from '../../src/demo/script.ts'
import { GOODS, money } from '../../src/demo/shop/goods.ts'
import { openShop } from '../../src/demo/shop.ts'
import { extensionSuite, openBrowser } from '../extension/browser.ts'
import { COUNT_ONCE, countingPage } from '../extension/counting.ts'
import { connected, ended, pair, start } from '../extension/scene.ts'
import { eventually } from '../support/eventually.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

/** The script puts two teapots into the cart in this step: done twice, the order would be of four. */
const STEP_OF_THE_CART = 7

const test = extensionSuite(
  'a service that is killed',
  async () => {
    const page = await countingPage()
    const [service, shop, browser] = await Promise.all([
      openService({ env: { LLM_SCRIPT: scriptFor(page.url) } }),
      openShop(),
      openBrowser(),
    ])
    const session = await pair({ api: service.api, browser })
    return { service, shop, browser, page, session }
  },
  ({ service, shop, browser, page }) => Promise.all([service.stop(), shop.close(), browser.close(), page.close()]),
)

/** The demo's script, and one that counts once. */
function scriptFor(url: string): string {
  const text = COUNT_ONCE
  const counting = {
    when: 'Count once',
    steps: [
      { say: 'I open the page.', tool: 'navigate', input: { url } },
      { say: 'I count.', tool: 'javascript_tool', input: { action: 'javascript_exec', text } },
      { answer: 'It says {{match:/(counted)/}}.' },
    ],
  }
  const read = (chars: number) => ({ say: 'I read it.', tool: 'get_page_text', input: { max_chars: chars } })
  const waiting = {
    when: 'Keep out',
    think_ms: 250,
    steps: [
      { say: 'I open the page.', tool: 'navigate', input: { url } },
      { say: 'I wait.', tool: 'computer', input: { action: 'wait', duration: 8 } },
      ...Array.from({ length: 8 }, (_, at) => read(1_000 + at)),
      { answer: 'It says {{match:/(Counting)/}}.' },
    ],
  }
  const file = join(tempFolder(), 'script.json')
  writeFileSync(
    file,
    JSON.stringify({ scripts: [counting, waiting, ...JSON.parse(readFileSync(DEMO_SCRIPT, 'utf8')).scripts] }),
  )
  return file
}

test('[R38] [R39] [D8] killed with SIGKILL while a call runs: its result is delivered to the next process, and it ran once', async ({
  service,
  page,
  session,
}) => {
  const { api } = service
  const id = await start(api, session, 'Count once')
  await eventually(() => page.counted.length === 1, 'the call to be under way', 20_000)
  await service.kill()
  service.spawn()
  await service.answers()
  assert.is(await connected(api), session)
  page.release()
  const task = await ended(api, id)
  assert.match(task.answer ?? '', /^It says counted\./, task.answer ?? '')
  assert.is(page.counted.length, 1)
})

test('killed while the user has a tab: the next process is told of the pause, and the task waits until it is handed back', async ({
  service,
  browser,
  session,
}) => {
  const { api } = service
  const panel = await browser.open('panel.html')
  const id = await start(api, session, 'Keep out')
  const card = panel.getByRole('article', { name: 'Keep out' })
  await card.getByText('Waits').first().waitFor()
  await panel.bringToFront()
  await panel.getByRole('contentinfo').getByRole('button', { name: 'Take over' }).click()
  const isPaused = async () => (await api.task(id)).state === 'paused'
  await eventually(isPaused, 'the pause', 20_000)
  await service.kill()
  await panel.getByText('Cannot reach').waitFor()
  service.spawn()
  await service.answers()
  await eventually(isPaused, 'the pause, said anew', 20_000)
  await panel.bringToFront()
  await panel.getByRole('contentinfo').getByRole('button', { name: 'Hand back' }).click()
  const { answer } = await ended(api, id)
  assert.match(answer ?? '', /^It says Counting\./, answer ?? '')
  await panel.close()
})

test('[R39] [R40] [D7] [D8] killed with SIGKILL in mid-task: the extension connects again by itself, the task completes, and nothing is done twice', async ({
  service,
  shop,
  session,
}) => {
  const { api } = service
  const id = await start(api, session, DEMO_TASK, { url: shop.url })
  await eventually(async () => (await api.task(id)).steps >= STEP_OF_THE_CART, 'the step of the cart', 30_000)
  const { signal } = await service.kill()
  assert.is(signal, 'SIGKILL')
  service.spawn()
  await service.answers()
  const task = await ended(api, id)
  assert.is(task.status, 'complete', task.answer ?? '')
  const [order, ...more] = shop.orders
  assert.equal(more, [])
  assert.is(order?.totalCents, expectedTotal(GOODS))
  assert.ok(task.answer?.includes(money(expectedTotal(GOODS)).slice(1)), task.answer ?? '')
  const { json } = await api.get('/v1/browser-sessions')
  assert.is(json.sessions.length, 1)
})

await test.run()
