import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { servePages } from '../support/pages.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { extensionSuite } from './browser.ts'
import { call, modelOf, type Next } from './playing.ts'
import { openScene, pressAndClose, type Scene } from './scene.ts'

type Messages = Parameters<Parameters<typeof modelOf>[0]>[1]
let play: (turn: number, messages: Messages) => Next | Promise<Next> = () => ({ answer: 'Nothing to do.' })

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple' }
const SETTINGS = { BETTER_AUTH_SECRET: 'a secret of this test, longer than is asked for' }

const test = extensionSuite(
  'from the first page to a finished task',
  async () => {
    const model = modelOf((turn, messages) => play(turn, messages))
    return { scene: await openScene(model, undefined, SETTINGS), pages: await servePages() }
  },
  ({ scene, pages }) => Promise.all([scene.close(), pages.close()]),
)

/** Another browser of the workspace that the page is of, connected. */
async function anotherBrowser(page: Page, { service }: Scene): Promise<TestBrowser> {
  const { pairing_token } = (await page.evaluate(`(async () => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch('/v1/browser-sessions/pair', { method: 'POST', headers, body: '{"label":"Tower"}' })
    return answer.json()
  })()`)) as { pairing_token: string }
  const answer = await fetch(`${service.url}/v1/browser-sessions/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ pairing_token }),
  })
  const session = (await answer.json()) as { session_token: string; relay_port: number }
  return TestBrowser.open({ relayPort: session.relay_port, token: session.session_token })
}

test('[P24] [P10] a newcomer comes from the first page to a finished task by clicks, and watches it without a reload', async ({
  scene,
  pages,
}) => {
  const { browser, service } = scene
  let isWatched = (): void => {}
  const watched = new Promise<void>((resolve) => {
    isWatched = resolve
  })
  play = async (turn) => {
    if (turn === 0) return call('navigate', { url: `${pages.origin}/first` })
    if (turn === 1) return call('get_page_text')
    await watched
    return { answer: 'The page says **First**.' }
  }
  const began = Date.now()
  const page = await browser.context.newPage()
  await page.goto(service.url)
  await page.getByText('Create an account').click()
  const form = page.locator('form[action="/dashboard/sign-up"]')
  for (const [name, value] of Object.entries(ADA)) await form.locator(`[name=${name}]`).fill(value)
  await form.getByRole('button').click()
  await page.getByText('Three steps to your first task').waitFor()
  await page.locator('summary', { hasText: 'Pair this browser' }).click()
  await page.getByRole('button', { name: 'Pair a browser' }).click()
  const opened = browser.context.waitForEvent('page')
  await page.getByText('Open the pairing page in this browser').click()
  await (await opened).getByRole('button', { name: 'Pair this browser' }).click()
  await pressAndClose(await browser.page('consent.html'), 'Pair')
  await page.waitForURL(/\/dashboard\?workspace=/)
  await page.bringToFront()
  await page.locator('textarea[name=task]').fill('Read the first page')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.waitForURL(/\/dashboard\/tasks\//)

  // It is watched from its first moment to its last: nothing of what is open, typed or focused is lost.
  await page.evaluate('window.isWatched = true')
  const first = page.locator('.call', { hasText: 'Opens' })
  await first.locator('summary').first().click()
  await page.locator('#message').fill('half a')
  await page.locator('canvas:not([hidden])').waitFor()
  const other = await anotherBrowser(page, scene)
  await page.locator('.call', { hasText: 'Reads the text' }).waitFor()
  await page.locator('.doing').getByText('Thinking').waitFor()
  const kept = `[window.isWatched, document.querySelector('.call details').open, document.querySelector('#message').value, document.activeElement.id]`
  assert.equal(await page.evaluate(kept), [true, true, 'half a', 'message'])
  isWatched()
  await page.locator('.answer strong').getByText('First').waitFor()
  const took = Date.now() - began
  assert.equal(await page.evaluate("[window.isWatched, document.querySelector('.call details').open]"), [true, true])
  console.log(`From the first page to the first finished task: ${(took / 1_000).toFixed(1)} s`)
  other.disconnect()
})

await test.run()
