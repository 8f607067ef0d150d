import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { extensionSuite } from '../extension/browser.ts'
import { call, modelOf, type Next, refIn, resultsOf } from '../extension/playing.ts'
import { openScene } from '../extension/scene.ts'
import { eventually } from '../support/eventually.ts'
import { servePages } from '../support/pages.ts'

type Messages = Parameters<Parameters<typeof modelOf>[0]>[1]
let play: (turn: number, messages: Messages) => Next | Promise<Next> = () => ({ answer: 'Nothing to do.' })

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple' }
const SETTINGS = { BETTER_AUTH_SECRET: 'a secret of this test, longer than is asked for' }
const TABS_MAX = 80

const test = extensionSuite(
  'use by keyboard alone',
  async () => {
    const model = modelOf((turn, messages) => play(turn, messages))
    return { scene: await openScene(model, undefined, SETTINGS), pages: await servePages() }
  },
  ({ scene, pages }) => Promise.all([scene.close(), pages.close()]),
)

/** Goes on by the Tab key until what has the focus is named so, or has this name or id. */
async function tabTo(page: Page, wanted: string): Promise<void> {
  await page.bringToFront()
  const seen: string[] = []
  for (let n = 0; n < TABS_MAX; n++) {
    await page.keyboard.press('Tab')
    const focused = (await page.evaluate(`(() => {
      const { textContent, name, id } = document.activeElement
      return [textContent.trim(), name, id]
    })()`)) as string[]
    if (focused.includes(wanted)) return
    seen.push(focused.join('|'))
  }
  throw new Error(`Tab does not lead to ${wanted}: ${seen.join(', ')}`)
}
async function pressOn(page: Page, wanted: string): Promise<void> {
  await tabTo(page, wanted)
  await page.keyboard.press('Enter')
}
async function typeInto(page: Page, wanted: string, text: string): Promise<void> {
  await tabTo(page, wanted)
  await page.keyboard.type(text)
}

test('[P24] signing in, pairing, starting, approving and answering take no mouse', async ({ scene, pages }) => {
  const { browser, service } = scene
  play = (turn, messages) => {
    if (turn === 0) return call('navigate', { url: `${pages.origin}/teapot` })
    if (turn === 1) return call('find', { query: 'Order now' })
    if (turn === 2) return call('computer', { action: 'left_click', ref: refIn(messages, /Order now/) })
    if (turn === 3) return call('ask_user', { question: 'Wrapped as a gift?' })
    return { answer: `You said: ${resultsOf(messages).at(-1)?.text}` }
  }
  const page = await browser.context.newPage()
  await fetch(`${service.url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify(ADA),
  })
  await page.goto(`${service.url}/dashboard`)
  await page.locator('form[action="/dashboard/sign-in"]').waitFor()
  await typeInto(page, 'email', ADA.email)
  await typeInto(page, 'password', ADA.password)
  await page.keyboard.press('Enter')
  await page.locator('textarea[name=task]').waitFor()
  await pressOn(page, 'Browsers')
  await page.waitForURL(/\/browsers/)
  await pressOn(page, 'Pair a browser')
  await pressOn(page, 'Create pairing link')
  await page.getByText('Open the pairing page in this browser').waitFor()
  const opened = browser.context.waitForEvent('page')
  await pressOn(page, 'Open the pairing page in this browser')
  const pairing = await opened
  await pairing.getByRole('button', { name: 'Pair this browser' }).waitFor()
  await pressOn(pairing, 'Pair this browser')
  const consent = await browser.page('consent.html')
  await eventually(() => consent.getByRole('button', { name: 'Pair', exact: true }).isEnabled(), 'the question')
  await pressOn(consent, 'Pair')
  await page.waitForURL(/\/dashboard\?workspace=/)
  await page.locator('select[name=browser] option').first().waitFor({ state: 'attached' })
  await eventually(() => page.getByRole('button', { name: 'Start' }).isEnabled(), 'a connected browser', 10_000)
  await typeInto(page, 'task', 'Order it')
  await page.keyboard.press('Control+Enter')
  await page.waitForURL(/\/dashboard\/tasks\//)
  await page.locator('dd', { hasText: `${pages.origin}/ordered` }).waitFor()
  await pressOn(page, 'Approve')
  await page.getByText('Wrapped as a gift?').first().waitFor()
  await typeInto(page, 'content', 'Yes, please')
  await pressOn(page, 'Answer')
  await page.locator('.answer').getByText('Yes, please').waitFor()
  assert.ok(pages.asked.some((path) => path.startsWith('/ordered')))
})

await test.run()
