import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { servePages } from '../support/pages.ts'
import { extensionSuite } from './browser.ts'
import { call, modelOf, type Next, refIn, resultsOf } from './playing.ts'
import { ended, openScene, pair, pressAndClose, start } from './scene.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let play: (turn: number, messages: Parameters<typeof refIn>[0]) => Next = () => ({ answer: 'Nothing to do.' })

const test = extensionSuite(
  'what tasks ask, in the extension',
  async () => {
    const scene = await openScene(modelOf((turn, messages) => play(turn, messages)))
    const [session, pages] = [await pair(scene), await servePages()]
    return { scene, session, pages, panel: await scene.browser.open('panel.html') }
  },
  ({ scene, pages }) => Promise.all([scene.close(), pages.close()]),
)

async function violations(page: Page): Promise<unknown> {
  await page.evaluate(AXE)
  return page.evaluate('axe.run(document).then(({ violations }) => violations.map(({ id }) => id))')
}

test('[I9] a question is answered in the side panel, with the answer in the words of the user', async ({
  scene,
  session,
  panel,
}) => {
  play = (turn, messages) =>
    turn === 0
      ? call('ask_user', { question: 'Green or black?' })
      : { answer: `You want: ${resultsOf(messages).at(-1)?.text}` }
  const id = await start(scene.api, session, 'Choose a tea', { ask_user: true })
  const card = panel.getByRole('article', { name: 'Choose a tea' })
  await card.getByText('Green or black?').waitFor()
  await card.getByText('Waiting for your answer').waitFor()
  assert.equal(await violations(panel), [])
  await panel.bringToFront()
  const badge = () => panel.evaluate('chrome.action.getBadgeText({})')
  await eventually(async () => (await badge()) === '?', 'the badge to say that it waits')
  await card.getByLabel('Your answer').fill('The green one')
  await card.getByRole('button', { name: 'Answer', exact: true }).click()
  assert.match((await ended(scene.api, id)).answer ?? '', 'The green one')
  await card.getByText('Done', { exact: true }).waitFor()
  assert.is(await card.getByText('Green or black?').count(), 0)
})

test('[I9] something only the user can do is reported as done in the side panel', async ({ scene, session, panel }) => {
  play = (turn, messages) =>
    turn === 0
      ? call('ask_user', { question: 'Please sign in.', takeover: true })
      : { answer: String(resultsOf(messages).at(-1)?.text) }
  const id = await start(scene.api, session, 'Sign in first', { ask_user: true })
  const card = panel.getByRole('article', { name: 'Sign in first' })
  await card.getByText('Please sign in.').waitFor()
  await panel.bringToFront()
  await card.getByRole('button', { name: 'I cannot do this' }).click()
  await ended(scene.api, id)
  const { events } = (await scene.api.get(`/v1/tasks/${id}/events`)).json
  const answers = events.filter(({ type }: { type: string }) => type === 'input.answered')
  assert.equal(
    answers.map(({ action, by }: { action: string; by: string }) => [action, by]),
    [['decline', 'user']],
  )
})

for (const [answer, sent] of [
  ['Decline', 0],
  ['Approve', 1],
] as const) {
  test(`[I9 I5] an action to be approved is shown in a window of the extension, and ${answer} there is the answer`, async ({
    scene,
    session,
    pages,
  }) => {
    const address = `${pages.origin}/teapot`
    const before = pages.asked.filter((path) => path.startsWith('/ordered')).length
    play = (turn, messages) => {
      if (turn === 0) return call('navigate', { url: address })
      if (turn === 1) return call('find', { query: 'Order now' })
      if (turn === 2) return call('computer', { action: 'left_click', ref: refIn(messages, /Order now/) })
      return { answer: 'That is all.' }
    }
    const id = await start(scene.api, session, `Order it: ${answer}`, { approvals: 'irreversible' })
    const window = await scene.browser.page('input.html')
    await window.locator('dd', { hasText: `${pages.origin}/ordered` }).waitFor()
    await window.getByText('button “Order now”').waitFor()
    assert.is(pages.asked.filter((path) => path.startsWith('/ordered')).length, before)
    assert.equal(await violations(window), [])
    // Nothing of it is in the page.
    const tab = await scene.browser.page('/teapot')
    assert.is(await tab.getByText('Approve').count(), 0)
    const isPopup = await window.evaluate('chrome.windows.getCurrent().then(({ type }) => type)')
    assert.is(isPopup, 'popup')
    await window.bringToFront()
    await pressAndClose(window, answer)
    await ended(scene.api, id)
    assert.is(pages.asked.filter((path) => path.startsWith('/ordered')).length - before, sent)
  })
}

test('[I9] an approval that is given elsewhere closes the window; one that the user closed does not come again', async ({
  scene,
  session,
  pages,
}) => {
  play = (turn) => {
    if (turn === 0) return call('navigate', { url: `${pages.origin}/teapot` })
    if (turn === 1) return call('javascript_tool', { action: 'javascript_exec', text: 'document.title' })
    return { answer: 'Read.' }
  }
  const id = await start(scene.api, session, 'Run something', { approvals: 'always' })
  const window = await scene.browser.page('input.html')
  await window.getByText(/^Run a script on/).waitFor()
  await window.close()
  const task = await scene.api.get(`/v1/tasks/${id}`)
  assert.is(task.json.state, 'waitingForInput')
  const second = await start(scene.api, session, 'Run something more', { approvals: 'always' })
  const other = await scene.browser.page('input.html')
  await other.getByText('Run something more').waitFor()
  for (const each of [second, id]) {
    const { input_request } = (await scene.api.get(`/v1/tasks/${each}`)).json
    await scene.api.post(`/v1/tasks/${each}/inputs/${input_request.id}`, { action: 'decline' })
    await ended(scene.api, each)
  }
  await eventually(() => other.isClosed(), 'the window to be gone')
})

await test.run()
