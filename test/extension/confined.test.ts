import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { openWaysOut } from '../support/ways-out.ts'
import { extensionSuite } from './browser.ts'
import { call, modelOf, type Next, refIn, resultsOf } from './playing.ts'
import { ended, openScene, pair, start } from './scene.ts'

type Messages = Parameters<typeof refIn>[0]
let play: (turn: number, messages: Messages) => Next | Promise<Next> = () => ({ answer: 'Nothing to do.' })

const test = extensionSuite(
  'confined tasks of the extension',
  async () => {
    const scene = await openScene(modelOf((turn, messages) => play(turn, messages)))
    return { scene, session: await pair(scene) }
  },
  ({ scene }) => scene.close(),
)

const wait = call('computer', { action: 'wait', duration: 2 })
const script = (text: string): Next => call('javascript_tool', { action: 'javascript_exec', text })

test('[F3] of a page with 40 ways out none leads to a server that is not listed; unconfined nearly all do', async ({
  scene,
  session,
}) => {
  const ways = await openWaysOut()
  const steps = [call('navigate', { url: `${ways.shop}/many` }), wait, call('get_page_text')]
  let read: string[] = []
  play = (turn, messages) => {
    read = resultsOf(messages).map(({ text }) => text)
    return steps[turn] ?? { answer: 'Read.' }
  }
  try {
    await ended(scene.api, await start(scene.api, session, 'Read the shop', { allowed_domains: [ways.domain] }))
    assert.match(read[2] ?? '', /Shop/, read[2])
    // [F3] What no rule of the browser sees is said in docs/security.md: connections that carry no request.
    assert.equal(
      ways.reached.filter((path) => path !== 'a connection'),
      [],
    )
    ways.reached.length = 0
    await ended(scene.api, await start(scene.api, session, 'Read the shop'))
    assert.ok(new Set(ways.reached).size >= 30, ways.reached.join(' '))
  } finally {
    await ways.close()
  }
})

/** What a page has the browser itself ask for. */
const ASKS = (outside: string) => `
  try { new PaymentRequest([{ supportedMethods: 'https://${outside}/pay' }], { total: { label: 'a', amount: { currency: 'EUR', value: '1' } } }).canMakePayment().catch(() => {}) } catch {}
  try { navigator.credentials.get({ identity: { providers: [{ configURL: 'https://${outside}/fedcm.json', clientId: 'a' }] } }).catch(() => {}) } catch {}
  [typeof PaymentRequest, typeof IdentityCredential].join(' ')`

test('[F5] no payment method and no identity provider is asked by a page of a confined task', async ({
  scene,
  session,
}) => {
  const ways = await openWaysOut()
  let read: string[] = []
  const steps = [call('navigate', { url: ways.shop }), script(ASKS(ways.outside)), wait, call('get_page_text')]
  play = (turn, messages) => {
    read = resultsOf(messages).map(({ text }) => text)
    return steps[turn] ?? { answer: 'Asked.' }
  }
  try {
    await ended(scene.api, await start(scene.api, session, 'Pay', { allowed_domains: [ways.domain] }))
    assert.match(read[1] ?? '', /undefined undefined/)
    assert.equal(ways.reached, [])
    await ended(scene.api, await start(scene.api, session, 'Pay'))
    assert.match(read[1] ?? '', /function/)
    assert.ok(ways.reached.length > 0, 'without domains nothing is reached either: the page asks for nothing')
  } finally {
    await ways.close()
  }
})

test('[S15] the click of a task is none of a person: what looks like a pairing page opens no window', async ({
  scene,
  session,
}) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<button id="pair-this-browser">Free tea</button>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/pair/svc_pair_${'0123456789abcdef'.repeat(4)}`
  play = (turn, messages) => {
    if (turn === 0) return call('navigate', { url })
    if (turn === 1) return call('find', { query: 'Free tea' })
    if (turn === 2) return call('computer', { action: 'left_click', ref: refIn(messages, /Free tea/) })
    return turn === 3 ? wait : { answer: 'Pressed.' }
  }
  try {
    await ended(scene.api, await start(scene.api, session, 'Get the free tea'))
    assert.equal(
      scene.browser.context.pages().filter((page) => page.url().includes('consent.html')),
      [],
    )
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

await test.run()
