import * as assert from 'uvu/assert'
import { openSignInPages } from '../support/sign-in.ts'
import { extensionSuite } from './browser.ts'
import { call, modelOf, type Next, refIn, resultsOf } from './playing.ts'
import { ended, openScene, pair, start } from './scene.ts'

type Messages = Parameters<typeof refIn>[0]
let play: (turn: number, messages: Messages) => Next | Promise<Next> = () => ({ answer: 'Nothing to do.' })

const test = extensionSuite(
  'secrets in the extension',
  async () => {
    const scene = await openScene(modelOf((turn, messages) => play(turn, messages)))
    return { scene, session: await pair(scene) }
  },
  ({ scene }) => scene.close(),
)

const VALUE = 'Tr0ub4dor &3'
const P = '{{secret:password}}'
const refOf = (messages: Messages): string =>
  /textbox "Password" \[((?:f\d+)?e\d+)\]/.exec(resultsOf(messages).at(-1)?.text ?? '')?.[1] ?? 'none'
const fill = (messages: Messages): Next => call('form_input', { ref: refOf(messages), value: P })
const type = (messages: Messages): Next =>
  call('computer', { action: 'type', ref: refOf(messages), text: P, clear: true })
const read = call('read_page')

test('[X3] [X4] [X6] a secret is typed on a page of its domains; a page and a frame of another origin get nothing', async ({
  scene,
  session,
}) => {
  const pages = await openSignInPages()
  pages.accepts.password = VALUE
  const steps: (Next | ((messages: Messages) => Next))[] = [
    call('navigate', { url: `${pages.own}/shows` }),
    fill,
    call('get_page_text'),
    call('navigate', { url: pages.foreign }),
    fill,
    call('navigate', { url: `${pages.own}/around` }),
    read,
    type,
    call('navigate', { url: pages.own }),
    type,
    read,
    (messages) => call('computer', { action: 'left_click', ref: refIn(messages, /button "Sign in"/) }),
  ]
  let results: string[] = []
  play = (turn, messages) => {
    results = resultsOf(messages).map(({ text }) => text)
    const step = steps[turn]
    return typeof step === 'function' ? step(messages) : (step ?? { answer: `Signed in with ${VALUE}.` })
  }
  try {
    const secrets = [{ name: 'password', value: VALUE, domains: [pages.domain] }]
    const task = await ended(scene.api, await start(scene.api, session, 'Sign in', { secrets }))
    assert.is(task.answer, `Signed in with ${P}.`)
    assert.match(results[2] ?? '', 'You typed {{secret:password}}, {{secret:password}}, {{secret:password}}')
    for (const at of [4, 7]) assert.match(results[at] ?? '', /^Error: Nothing was typed: the secret password/)
    assert.match(results.at(-1) ?? '', 'Enter your code')
    assert.equal(pages.told.foreign, [])
    assert.not.match(results.join('\n'), 'Tr0ub')
    // What the extension keeps of calls has no value either.
    const [worker] = scene.browser.context.serviceWorkers()
    const kept = await worker?.evaluate(() => chrome.storage.session.get(null))
    assert.match(JSON.stringify(kept), 'call:')
    assert.not.match(JSON.stringify(kept), 'Tr0ub')
  } finally {
    await pages.close()
  }
})

await test.run()
