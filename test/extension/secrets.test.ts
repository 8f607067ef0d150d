import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openSignInPages } from '../support/sign-in.ts'
import { tempFolder } from '../support/stores.ts'
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
    // What keeps the secret from the foreign page are its own domains.
    const secrets = [{ name: 'password', value: VALUE, domains: [pages.domain] }]
    const task = await ended(scene.api, await start(scene.api, session, 'Sign in', { secrets, allowed_domains: ['*'] }))
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

test('[I12] a task that starts from the side panel gets files and secrets; no value of these stays in the extension', async ({
  scene,
}) => {
  const pages = await openSignInPages()
  pages.accepts.password = VALUE
  play = (turn, messages) => {
    if (turn === 0) return call('navigate', { url: pages.own })
    if (turn === 1) return fill(messages)
    if (turn === 2) return call('read_page')
    if (turn === 3) return call('computer', { action: 'left_click', ref: refIn(messages, /button "Sign in"/) })
    return { answer: resultsOf(messages).at(-1)?.text.includes('Enter your code') ? 'Signed in.' : 'Not signed in.' }
  }
  const panel = await scene.browser.open('panel.html')
  const folder = tempFolder()
  try {
    await panel.getByText('Connected to').waitFor()
    await panel.getByLabel('What should be done?').fill('Sign in with the contract')
    // The page sends each key that is pressed, which would be asked for.
    await panel.getByLabel('Ask me before').selectOption('nothing')
    await panel.getByText('Files, secrets', { exact: true }).click()
    const choose = panel.getByLabel('Files for it to use')
    const [small, large] = [join(folder, 'contract.txt'), join(folder, 'large.bin')]
    writeFileSync(small, 'Signed')
    writeFileSync(large, '')
    truncateSync(large, 25 * 1024 * 1024 + 1)
    await choose.setInputFiles(large)
    await panel.getByRole('button', { name: 'Start' }).click()
    await panel.getByRole('alert').getByText('large.bin is too large: a file may have 25 MB.').waitFor()
    await choose.setInputFiles(small)
    await panel.getByRole('button', { name: 'Add a secret' }).click()
    await panel.getByLabel('Name', { exact: true }).fill('password')
    await panel.getByLabel('Value', { exact: true }).fill(VALUE)
    await panel.getByLabel('Sites', { exact: true }).fill('not a site!')
    await panel.getByRole('button', { name: 'Start' }).click()
    await panel.getByRole('alert').getByText('Invalid secrets.0.domains').waitFor()
    await panel.getByLabel('Sites', { exact: true }).fill(pages.domain)
    await panel.getByRole('button', { name: 'Start' }).click()
    const card = panel.getByRole('article', { name: 'Sign in with the contract' })
    await card.getByText('Signed in.', { exact: true }).waitFor()
    await panel.getByText('Files, secrets', { exact: true }).waitFor()
    assert.not.match(await panel.content(), 'Tr0ub')
    const { json } = await scene.api.get('/v1/tasks')
    const { files } = (await scene.api.get(`/v1/tasks/${json.tasks[0].id}/files`)).json
    assert.equal(
      files.map(({ name, size }: { name: string; size: number }) => [name, size]),
      [['contract.txt', 6]],
    )
    const [worker] = scene.browser.context.serviceWorkers()
    const kept = await worker?.evaluate(async () => [
      await chrome.storage.session.get(null),
      await chrome.storage.local.get(null),
    ])
    assert.not.match(JSON.stringify(kept), 'Tr0ub')
  } finally {
    await pages.close()
  }
})

await test.run()
