import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { extensionSuite } from './browser.ts'
import { call, modelOf, refIn, resultsOf } from './playing.ts'
import { comesTrue, ended, expiredUrl, openScene, pair, pairingUrl, type Scene } from './scene.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** As narrow as Chrome makes a side panel. */
const PANEL = { width: 360, height: 640 }
const PAGE = { width: 1000, height: 560 }
const CONSENT = { width: 460, height: 480 }

/** A browser leaves a picture out that takes too long, as it may on a busy machine: then there is one step more. */
const STEPS_MORE_MAX = 12

/** A few steps in the shop, of which there are pictures; then it waits until the test lets it answer. */
function shopping() {
  let go = (): void => {}
  const until = new Promise<void>((resolve) => {
    go = resolve
  })
  let url = ''
  let arePictured = async (): Promise<boolean> => true
  const model = modelOf(async (turn, messages) => {
    if (/Choose a tea/.test(JSON.stringify(messages)))
      return turn === 0
        ? call('ask_user', { question: 'Sencha is sold out. Would Gyokuro do?' })
        : call('ask_user', { question: 'Please sign in to the shop.', takeover: true })
    if (turn === 0) return call('navigate', { url })
    if (turn === 1) return call('find', { query: 'search box' })
    if (turn === 2) return call('form_input', { ref: refIn(messages, /searchbox/), value: 'kyoto teapot' })
    if (turn === 3) return call('computer', { action: 'key', text: 'Enter' })
    const results = resultsOf(messages)
    if (results.at(-1)?.tool === 'navigate') {
      await until
      return { answer: 'The Kyoto teapot costs $48.50.' }
    }
    if (turn < STEPS_MORE_MAX && !(await arePictured()))
      return call('computer', { action: 'wait', duration: 1 + turn / 10 })
    return call('navigate', { url: 'file:///etc/passwd' })
  })
  const visit = (shop: string, pictured: () => Promise<boolean>): void => {
    url = shop
    arePictured = pictured
  }
  return { model, go: () => go(), visit }
}

/**
 * [the extension] Every page that people see: axe finds nothing wrong with it, in this colour scheme. With
 * `EXTENSION_PICTURES=<folder>` it is photographed too, for docs/images.
 */
export function looks(colorScheme: 'light' | 'dark') {
  const shop = shopping()
  const folder = process.env.EXTENSION_PICTURES
  if (folder) mkdirSync(folder, { recursive: true })
  const test = extensionSuite(
    `what the extension looks like, ${colorScheme}`,
    () => openScene(shop.model, { colorScheme }),
    (scene) => scene.close(),
  )

  async function looksRight(page: Page, name: string, size = PAGE): Promise<void> {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(size)
    if (folder) await page.screenshot({ path: `${folder}/extension-${name}-${colorScheme}.png`, fullPage: true })
    await page.evaluate(AXE)
    const violations = (await page.evaluate('axe.run(document).then(({violations}) => violations)')) as {
      id: string
      nodes: { html: string }[]
    }[]
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    assert.equal(found, [], name)
  }

  const opened = async ({ browser }: Scene, url: string): Promise<Page> => {
    const page = await browser.context.newPage()
    await page.goto(url)
    return page
  }

  test('the pairing page in each of its states, and the question before a pairing', async (scene) => {
    const { api, browser, service } = scene
    const url = await pairingUrl(api)
    const page = await opened(scene, url)
    const button = page.getByRole('button', { name: 'Pair this browser' })
    await button.waitFor()
    await looksRight(page, 'pairing-ready')
    await page.getByText('Nothing happens? Install the browser extension').click()
    await looksRight(page, 'pairing-help')
    await button.click()
    const consent = await browser.page('consent.html')
    await consent.getByText(service.url).waitFor()
    const yes = consent.getByRole('button', { name: 'Pair', exact: true })
    await eventually(() => yes.isEnabled(), 'a question that takes an answer')
    await looksRight(page, 'pairing-asking')
    await looksRight(consent, 'consent', CONSENT)
    await yes.click()
    await page.getByText('This browser is paired, workspace “default”.').waitFor()
    assert.is(await page.getByText('The link works once').isVisible(), false)
    await looksRight(page, 'pairing-done')
    await page.goto(url)
    await page.getByText('This browser is already paired').waitFor()
    await looksRight(page, 'pairing-used')
    await page.goto(await pairingUrl(api))
    await page.getByText('This browser is already paired').waitFor()
    await looksRight(page, 'pairing-paired')
    await page.goto(`${service.url}/pair/svc_pair_123`)
    await looksRight(page, 'pairing-malformed')
    await page.goto(await expiredUrl(scene))
    await looksRight(page, 'pairing-expired')
    await page.close()
  })

  test('the side panel idle, running, taken over, finished and unpaired, and the options', async (scene) => {
    const { browser } = scene
    const panel = await browser.open('panel.html')
    const card = panel.getByRole('article')
    const pictures = card.getByRole('img', { name: /^The page after/ })
    shop.visit(scene.shop.url, () => comesTrue(async () => (await pictures.count()) >= 3))
    await panel.getByText('Connected to').waitFor()
    await looksRight(panel, 'panel-idle', PANEL)
    await panel.getByLabel('What should be done?').fill('Find out what the Kyoto teapot costs in this shop')
    await panel.getByLabel('Ask me before').selectOption('nothing')
    await panel.getByRole('button', { name: 'Start' }).click()
    const lastStep = card.getByText('Opens file:///etc/passwd')
    // What there is instead says why: a step that failed, a task that was not started.
    await lastStep.waitFor().catch(async (error) => {
      throw new Error(`${error}\n${await panel.locator('main').textContent()}`)
    })
    await eventually(async () => (await pictures.count()) >= 2, 'pictures')
    await looksRight(panel, 'panel-running', PANEL)
    await panel.bringToFront()
    await panel.getByRole('contentinfo').getByRole('button', { name: 'Take over' }).click()
    await card.getByText('You have taken over').waitFor()
    await looksRight(panel, 'panel-taken-over', PANEL)
    await panel.bringToFront()
    await panel.getByRole('contentinfo').getByRole('button', { name: 'Hand back' }).click()
    shop.go()
    const { json } = await scene.api.get('/v1/tasks')
    await ended(scene.api, json.tasks[0].id)
    await card.getByText('costs $48.50').waitFor()
    await card.getByText(/^\d+ actions$/).click()
    await looksRight(panel, 'panel-finished', PANEL)

    await panel.getByLabel('What should be done?').fill('Choose a tea and put it into the cart')
    await panel.getByRole('button', { name: 'Start' }).click()
    const asks = panel.getByRole('article', { name: 'Choose a tea' })
    await asks.getByText('Would Gyokuro do?').waitFor()
    await looksRight(panel, 'panel-asks', PANEL)
    await asks.getByLabel('Your answer').fill('Yes')
    await asks.getByRole('button', { name: 'Answer', exact: true }).click()
    await asks.getByText('Please sign in to the shop.').waitFor()
    await looksRight(panel, 'panel-asks-takeover', PANEL)
    await panel.bringToFront()
    await panel.getByRole('contentinfo').getByRole('button', { name: 'Stop' }).click()
    await asks.getByText('Ended without success').waitFor()
    await looksRight(panel, 'panel-failed', PANEL)

    const options = await browser.open('options.html')
    await options.getByLabel('Block these sites').fill('bank.example')
    await looksRight(options, 'options')
    await options.getByRole('button', { name: 'Unpair this browser' }).click()
    await panel.getByText('Not paired with a service').waitFor()
    await looksRight(panel, 'panel-unpaired', PANEL)
    await panel.getByLabel('Pairing link or code').fill((await pairingUrl(scene.api)).split('/').at(-1) ?? '')
    await panel.getByLabel('Address of the service').waitFor()
    await looksRight(panel, 'panel-code', PANEL)
  })

  test('the side panel is worked with the keyboard alone', async (scene) => {
    const panel = await scene.browser.open('panel.html')
    await pair(scene)
    await panel.getByText('Connected to').waitFor()
    await panel.bringToFront()
    await panel.locator('body').press('Tab')
    assert.is(await panel.evaluate('document.activeElement.id'), 'task')
    await panel.keyboard.type('Look again')
    await panel.keyboard.press('Control+Enter')
    await panel.getByRole('article', { name: 'Look again' }).waitFor()
  })

  return test.run()
}
