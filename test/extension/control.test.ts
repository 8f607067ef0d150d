import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { servePages } from '../support/pages.ts'
import { extensionSuite } from './browser.ts'
import { call, modelOf, type Next, resultsOf } from './playing.ts'
import { comesTrue, ended, openScene, pair, type Scene, start } from './scene.ts'

/** What the model says next, as the test at hand wants it; results are those of its task. */
let play: (turn: number, results: ReturnType<typeof resultsOf>) => Next | Promise<Next> = () => ({
  answer: 'Nothing to do.',
})
/** How often a page is opened to get a picture of it. */
const VISITS_MAX = 8
const wait = call('computer', { action: 'wait', duration: 8 })

const test = extensionSuite(
  'control over tasks',
  async () => {
    const scene = await openScene(modelOf((turn, messages) => play(turn, resultsOf(messages))))
    const [session, pages] = [await pair(scene), await servePages()]
    return { scene, session, pages, panel: await scene.browser.open('panel.html') }
  },
  ({ scene, pages }) => Promise.all([scene.close(), pages.close()]),
)

const inTab = ({ browser }: Scene, part: string) => browser.context.pages().find((page) => page.url().includes(part))

/** Whether the extension is attached to the tab with this page: nobody is twice. */
const isDebugged = (options: Page, url: string): Promise<boolean> =>
  options.evaluate(`(async () => {
    const { tabId } = (await chrome.debugger.getTargets()).find(({ url }) => url === ${JSON.stringify(url)})
    try {
      await chrome.debugger.attach({ tabId }, '1.3')
    } catch {
      return true
    }
    await chrome.debugger.detach({ tabId })
    return false
  })()`)

test('[R22] a task starts from the panel, is taken over, handed back, and ends with its answer in the panel', async ({
  scene,
  panel,
  pages,
}) => {
  const { api } = scene
  let afterwards = ''
  const card = panel.getByRole('article', { name: 'Read the first page' })
  const picture = card.getByRole('img', { name: new RegExp(`^The page after: Opens ${pages.origin}/first`) })
  play = async (turn, results) => {
    const visits = results.filter(({ tool }) => tool === 'navigate').length
    // A picture that takes too long is left out, as it may be on a busy machine.
    const isSeen = visits > 0 && (visits === VISITS_MAX || (await comesTrue(async () => (await picture.count()) > 0)))
    if (!isSeen && turn === visits) return call('navigate', { url: `${pages.origin}/first#${visits}` })
    if (turn === visits) return wait
    if (turn === visits + 1) return call('get_page_text')
    afterwards = results
      .slice(visits - 1)
      .map(({ text }) => text)
      .join('\n---\n')
    return { answer: 'The page says First.' }
  }
  await panel.getByLabel('What should be done?').fill('Read the first page')
  await panel.getByRole('button', { name: 'Start' }).click()
  await card.getByText('Waits').waitFor()
  await picture.first().waitFor()
  await panel.bringToFront()
  await panel.getByRole('contentinfo').getByRole('button', { name: 'Take over' }).click()
  await card.getByText('You have taken over').waitFor()
  const { json } = await api.get('/v1/tasks')
  const [{ id }] = json.tasks
  await eventually(async () => (await api.task(id)).state === 'paused', 'the pause')
  assert.ok(inTab(scene, '/first'))
  await panel.bringToFront()
  await panel.getByRole('contentinfo').getByRole('button', { name: 'Hand back' }).click()
  const task = await ended(api, id)
  assert.is(task.answer, 'The page says First.')
  const [, held, text] = afterwards.split('\n---\n')
  assert.match(held ?? '', /^Error: The user has taken over the tab/)
  assert.match(text ?? '', /First/)
  await card.getByText('The page says First.').waitFor()
  await card.getByText('Done', { exact: true }).waitFor()
  await eventually(() => !inTab(scene, '/first'), 'the tab to be closed')
})

test('what the service asks of a tab that the user has is refused by the browser itself', async ({
  scene,
  session,
  panel,
  pages,
}) => {
  let read = ''
  play = (turn, results) => {
    if (turn === 0) return call('navigate', { url: `${pages.origin}/first` })
    if (turn === 1) return wait
    if (turn === 2) return call('navigate', { url: `${pages.origin}/third` })
    read = results.at(-1)?.text ?? ''
    return { answer: 'I leave it to you.' }
  }
  const id = await start(scene.api, session, 'Keep out')
  const card = panel.getByRole('article', { name: 'Keep out' })
  await card.getByText('Waits').first().waitFor()
  const options = await scene.browser.open('options.html')
  assert.ok(await isDebugged(options, `${pages.origin}/first`))
  await panel.bringToFront()
  await panel.getByRole('contentinfo').getByRole('button', { name: 'Take over' }).click()
  await eventually(async () => (await scene.api.task(id)).state === 'paused', 'the pause')
  // As a service that was started again: it knows nothing of the pause.
  const record = await scene.service.store.tasks.get(id)
  await scene.service.taskService.pauseTask(record?.workspaceId ?? '', id, false, 'browser')
  await ended(scene.api, id)
  assert.match(read, /^Error: The user has taken over the tab/)
  assert.not.ok(pages.asked.includes('/third'))
  // It is the user's now.
  const tab = inTab(scene, '/first')
  assert.ok(tab)
  await eventually(async () => !(await isDebugged(options, `${pages.origin}/first`)), 'the debugger to let go of it')
  await options.close()
  await tab?.close()
})

test('[T48] Stop in the panel ends the task and closes its tab', async ({ scene, session, panel, pages }) => {
  play = (turn) => (turn === 0 ? call('navigate', { url: `${pages.origin}/second` }) : wait)
  const id = await start(scene.api, session, 'Wait for ever')
  const card = panel.getByRole('article', { name: 'Wait for ever' })
  await card.getByText('Waits').first().waitFor()
  await panel.bringToFront()
  await panel.getByRole('contentinfo').getByRole('button', { name: 'Stop' }).click()
  const task = await ended(scene.api, id)
  assert.is(task.answer, 'Task was cancelled.')
  await card.getByText('Ended without success').waitFor()
  await eventually(() => !inTab(scene, '/second'), 'the tab to be closed')
})

test('when the pairing is ended in mid-task, its tab is let go and closed, and nothing of it stays', async ({
  scene,
  session,
  panel,
}) => {
  play = (turn) => (turn === 0 ? call('navigate', { url: `${scene.shop.url}/` }) : wait)
  await start(scene.api, session, 'Left alone')
  await panel.getByRole('article', { name: 'Left alone' }).getByText('Waits').first().waitFor()
  assert.ok(inTab(scene, scene.shop.url))
  const options = await scene.browser.open('options.html')
  await options.getByRole('button', { name: 'Unpair this browser' }).click()
  await panel.getByText('Not paired with a service').waitFor()
  await eventually(() => !inTab(scene, scene.shop.url), 'the tab to be closed')
  await eventually(async () => (await panel.getByRole('article').count()) === 0, 'the tasks to be forgotten')
  const kept = await options.evaluate('chrome.storage.local.get(null).then((all) => Object.keys(all))')
  assert.equal(kept, [])
})

await test.run()
