import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import { eventually } from '../support/eventually.ts'
import { type ExtendedBrowser, extensionSuite } from './browser.ts'
import { expiredUrl, openScene, pair, pairingUrl, pressAndClose, type Scene } from './scene.ts'

const TOKEN = `svc_pair_${'0123456789abcdef'.repeat(4)}`

/** A page that does all that a page can to be paired with. */
const HOSTILE = `<!doctype html><title>Hostile</title>
<button id="pair-this-browser">Free tea</button><p id="pairing-state"></p>
<script>
  const said = [{type: 'page.pair'}, {type: 'page.here'}, {type: 'answer', agreed: true},
    {type: 'register', origin: location.origin, token: '${TOKEN}'}, {type: 'paired', workspace: 'x'}]
  for (const message of said) {
    postMessage(message, '*')
    document.dispatchEvent(new CustomEvent('browser-task', {detail: message}))
    try { chrome.runtime.sendMessage(message) } catch {}
  }
  const button = document.getElementById('pair-this-browser')
  setTimeout(() => { button.click(); button.dispatchEvent(new MouseEvent('click', {bubbles: true})); document.title = 'Tried' }, 300)
</script>`

const test = extensionSuite(
  'pairing with the extension',
  async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.writeHead(200, { 'content-type': 'text/html' }).end(HOSTILE)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const foreign = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { scene: await openScene(), asked, foreign, server }
  },
  async ({ scene, server }) => {
    await scene.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  },
)

const consents = ({ context }: ExtendedBrowser): Page[] =>
  context.pages().filter((page) => page.url().includes('consent.html'))

/** What the extension keeps of a pairing, and what it is connected to. */
async function kept({ browser }: Scene): Promise<Record<string, unknown> | undefined> {
  const options = await browser.open('options.html')
  const pairing = await options.evaluate("chrome.storage.local.get('pairing').then(({pairing}) => pairing)")
  await options.close()
  return pairing as Record<string, unknown> | undefined
}

async function tries(scene: Scene, url: string): Promise<void> {
  const page = await scene.browser.context.newPage()
  await page.goto(url)
  await eventually(async () => (await page.title()) === 'Tried', 'the page to have tried')
  // [S20] It cannot tell whether the extension is here.
  assert.is(await page.locator('html').getAttribute('data-browser-tasks'), null)
  assert.is(await page.locator('#pairing-state').textContent(), '')
  // The worker has had its turn since: whatever it made of all that, it would ask about now.
  const options = await scene.browser.open('options.html')
  assert.is(await options.evaluate("chrome.runtime.sendMessage({type: 'question'})"), null)
  assert.equal(consents(scene.browser), [])
  await options.close()
  await page.close()
}

test('[S20] a page of another origin that posts the pairing message changes and learns nothing, on whatever path', async ({
  scene,
  foreign,
  asked,
}) => {
  for (const path of ['/', '/pair/x', `/pair/${TOKEN}`]) await tries(scene, foreign + path)
  assert.is(await kept(scene), undefined)
  assert.equal(
    asked.filter((line) => line.startsWith('POST')),
    [],
  )
})

test('a person who clicks on a foreign page is asked, sees its address, and says no', async ({
  scene,
  foreign,
  asked,
}) => {
  const page = await scene.browser.context.newPage()
  await page.goto(`${foreign}/pair/${TOKEN}`)
  await page.getByRole('button').click()
  const consent = await scene.browser.page('consent.html')
  await consent.getByText(foreign, { exact: true }).waitFor()
  // [S15] Nobody says whose link it is: there is nothing to agree to.
  await consent.getByText('did not say which workspace').waitFor()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  assert.is(await consent.getByRole('button', { name: 'Pair', exact: true }).isDisabled(), true)
  await pressAndClose(consent, 'Do not pair')
  await page.getByText('Nothing was paired.').waitFor()
  assert.is(await kept(scene), undefined)
  assert.equal(
    asked.filter((line) => line.startsWith('POST')),
    ['POST /v1/browser-sessions/pairing'],
  )
  await page.close()
})

test('[S5] a malformed, an expired and a used link each say what is wrong, and offer no button', async ({ scene }) => {
  const { api, browser, service } = scene
  const page = await browser.context.newPage()
  const says = async (url: string, words: RegExp) => {
    await page.goto(url)
    assert.match((await page.locator('main').textContent()) ?? '', words)
    assert.is(await page.getByRole('button', { name: 'Pair this browser' }).count(), 0)
  }
  await says(`${service.url}/pair/svc_pair_123`, /Invalid pairing link/)
  const usedUrl = await pairingUrl(api)
  const token = usedUrl.split('/').at(-1)
  assert.is((await api.post('/v1/browser-sessions/register', { pairing_token: token })).status, 201)
  await says(usedUrl, /already used/)
  await says(await expiredUrl(scene), /has expired/)
  await page.close()
})

test('a link that is used between the page and the click says so', async ({ scene }) => {
  const { api, browser } = scene
  const page = await browser.context.newPage()
  const url = await pairingUrl(api)
  await page.goto(url)
  const button = page.getByRole('button', { name: 'Pair this browser' })
  await button.waitFor()
  await api.post('/v1/browser-sessions/register', { pairing_token: url.split('/').at(-1) })
  await button.click()
  await (await browser.page('consent.html')).getByText('did not say which workspace').waitFor()
  await page.getByText('This pairing link has expired or was already used.').waitFor()
  assert.is(await kept(scene), undefined)
  await page.close()
  for (const consent of consents(browser)) await consent.close()
})

test('[S15] the question names the workspace and who made the link, from the record, and the label as theirs', async ({
  scene,
}) => {
  const { api, browser } = scene
  const page = await browser.context.newPage()
  await page.goto(await pairingUrl(api, 'Support taskService of your bank'))
  await page.getByText('Label set by the link’s creator').waitFor()
  await page.getByRole('button', { name: 'Pair this browser' }).click()
  const consent = await browser.page('consent.html')
  const said = async (id: string) => (await consent.locator(`#${id}`).textContent()) ?? ''
  await consent.getByText('default', { exact: true }).waitFor()
  assert.is(await said('workspace'), 'default')
  assert.match(await said('created-by'), /^the key “first key”$/)
  assert.is(await said('label'), 'Support taskService of your bank')
  await consent.getByText('Label set by the link’s creator').waitFor()
  if (process.env.PICTURES) {
    await page.screenshot({ path: `${process.env.PICTURES}/pairing.png` })
    await consent.screenshot({ path: `${process.env.PICTURES}/consent.png` })
  }
  await pressAndClose(consent, 'Do not pair')
  await page.close()
})

test('[S12] paired by two clicks, shown as paired, unpaired when its session is deleted; nothing secret stays', async ({
  scene,
}) => {
  const { api, browser, service } = scene
  const session = await pair(scene)
  const pairing = await kept(scene)
  assert.is(pairing?.origin, service.url)
  assert.is(pairing?.sessionId, session)
  const page = await browser.context.newPage()
  await page.goto(await pairingUrl(api))
  await page.getByText('This browser is already paired with this service, workspace “default”.').waitFor()
  await page.close()
  await api.ask('DELETE', `/v1/browser-sessions/${session}`)
  const panel = await browser.open('panel.html')
  await panel.getByText('This browser session was removed. Pair this browser again.').waitFor()
  assert.is(await kept(scene), undefined)

  // A code or a link that is pasted: one click less, and the same question.
  await panel.getByLabel('Pairing link').fill('https://no.link.example/')
  await panel.getByRole('button', { name: 'Pair' }).click()
  await panel.getByText('Invalid pairing link.').waitFor()
  await panel.getByLabel('Pairing link').fill((await pairingUrl(api)).split('/').at(-1) ?? '')
  await panel.getByLabel('Address of the service').fill(`${service.url}/dashboard`)
  await panel.getByRole('button', { name: 'Pair' }).click()
  await pressAndClose(await browser.page('consent.html'), 'Pair')
  await panel.getByText(`Connected to ${service.url}, workspace default`).waitFor()
})

test('[R6] when another browser takes the session over, this one stops, and connects again only when it is told to', async ({
  scene,
}) => {
  const { browser, service } = scene
  const panel = await browser.page('panel.html')
  const session_token = (await kept(scene))?.sessionToken
  const other = new WebSocket(`${service.url.replace('http', 'ws')}/relay`)
  await new Promise((resolve) => other.once('open', resolve))
  other.send(JSON.stringify({ type: 'register', role: 'extension', protocol: 2, session_token }))
  await panel.getByText('Another browser took over this session.').waitFor()
  await panel.getByText(`Not connected to ${service.url}`).waitFor()
  assert.is(other.readyState, WebSocket.OPEN)
  await panel.getByRole('button', { name: 'Reconnect' }).click()
  await panel.getByText(`Connected to ${service.url}`).waitFor()
  await eventually(() => other.readyState === WebSocket.CLOSED, 'the other to be replaced')
})

await test.run()
