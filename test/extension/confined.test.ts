import * as assert from 'uvu/assert'
import { openWaysOut } from '../support/ways-out.ts'
import { extensionSuite } from './browser.ts'
import { call, modelOf, type Next, type refIn, resultsOf } from './playing.ts'
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

await test.run()
