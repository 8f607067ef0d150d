import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ended } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { THEN } from '../support/stores.ts'
import { call, openScene, result, said } from './live-scene.ts'
import { ANN } from './world.ts'

const test = suite('what is done with a task on its page, in Chromium')
const { taskService, base, context, aRunningTask, open, close } = await openScene()
test.after(close)
await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base })

/** A finished task that clicked twice, with a picture after each click. */
function finished(): string {
  const id = aRunningTask()
  const { log } = taskService
  log.append(id, { type: 'step.started', at: THEN, step: 1 })
  log.append(id, said(1, 'I look.'))
  for (const picture of [0, 1]) {
    const callId = `c${picture}`
    log.append(id, call(1, callId, 'computer', { action: 'left_click', coordinate: [picture, 90] }))
    log.append(id, result(1, callId, 'computer', 'Clicked.'))
    log.append(id, { type: 'picture.taken', at: THEN, step: 1, call_id: callId, picture })
  }
  taskService.end(id, ended)
  const view = taskService.tasksById.get(id)
  if (view) taskService.tasksById.set(id, { ...view, answer: 'Two teapots.' })
  return id
}

test('[P26] the id, the answer and programs for the same task are copied; raw input is one press away', async () => {
  const id = finished()
  const { page } = await open(`/dashboard/tasks/${id}`)
  const copied = (text: string | RegExp) =>
    eventually(async () => {
      const now = String(await page.evaluate('navigator.clipboard.readText()'))
      return typeof text === 'string' ? now === text : text.test(now)
    }, `${text} to be copied`)
  await page.locator('dd', { hasText: id }).locator('button').click()
  await copied(id)
  await page.getByRole('button', { name: 'More for this task' }).click()
  await page.getByRole('button', { name: 'Copy answer' }).click()
  await copied('Two teapots.')
  await page.getByText('Run it through the API').click()
  const snippets = page.locator('.snippet')
  await snippets.filter({ hasText: 'curl' }).locator('button').click()
  await copied(new RegExp(`^curl -s ${base}/v1/tasks`))
  await snippets.filter({ hasText: 'Node.js' }).locator('button').click()
  await copied(
    /^\/\/ npm install http:\S+\/clients\/browser-task-client\.tgz\nimport \{ BrowserTasks \} from 'browser-task-client'/,
  )
  await page.locator('.call summary').first().click()
  await page.locator('.call').first().getByText('Input of').click()
  assert.match((await page.locator('.call pre').last().textContent()) ?? '', /"left_click"/)
  await page.close()
})

test('[P26] where there is no answer, none is offered to be copied', async () => {
  const id = finished()
  const view = taskService.tasksById.get(id)
  if (view) taskService.tasksById.set(id, { ...view, status: 'error', answer: null })
  const { page } = await open(`/dashboard/tasks/${id}`)
  await page.getByText('The task ended without an answer.').waitFor()
  await page.getByRole('button', { name: 'More for this task' }).click()
  await page.getByRole('button', { name: 'Print' }).waitFor()
  assert.is(await page.getByRole('button', { name: 'Copy answer' }).count(), 0)
  await page.close()
})

test('[P26] pictures are stepped through and enlarged by mouse and keys', async () => {
  const { page } = await open(`/dashboard/tasks/${finished()}`)
  const shown = page.locator('.screen > .stepper')
  await shown.getByText('2 of 2').waitFor()
  await page.locator('.screen > .stepper').getByRole('button', { name: 'Previous picture' }).click()
  await shown.getByText('1 of 2').waitFor()
  await page.locator('button.picture').focus()
  await page.keyboard.press('ArrowRight')
  await shown.getByText('2 of 2').waitFor()
  await page.keyboard.press('Enter')
  const enlarged = page.locator('dialog.lightbox')
  await enlarged.waitFor()
  await page.keyboard.press('ArrowLeft')
  await enlarged.getByText('1 of 2').waitFor()
  assert.match((await enlarged.locator('img').getAttribute('src')) ?? '', /\/screenshots\/0$/)
  await page.keyboard.press('Escape')
  await enlarged.waitFor({ state: 'hidden' })
  await page.close()
})

test('[P26] a finished task is run again with one press', async () => {
  const id = finished()
  const laptop = taskService.tasksById.get(id)?.browserSessionId ?? randomUUID()
  const workspaceId = ANN.workspaces[0]?.id ?? ''
  const session = { id: laptop, workspaceId, label: 'Laptop', status: 'connected', state: 'idle', lastHeartbeat: null }
  taskService.sessionsById.set(laptop, { ...session, createdAt: THEN, expiresAt: THEN } as never)
  const { page } = await open(`/dashboard/tasks/${id}`)
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.waitForURL((url) => /\/dashboard\/tasks\//.test(url.pathname) && !url.pathname.endsWith(id))
  assert.is(taskService.started.at(-1)?.request.task, taskService.tasksById.get(id)?.task)
  await page.close()
})

test('[P27] a pairing link is copied with one press', async () => {
  const { page } = await open('/dashboard/browsers')
  await page.click('button >> text=Pair a browser')
  await page.click('button >> text=Create pairing link')
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /\/pair\/svc_pair_[\da-f]{64}$/)
  await page.close()
})

test('[P27] header and tabs take a line each on a phone; the menu has the workspaces and signs out, by keys too', async () => {
  const { page } = await open('/dashboard/members')
  await page.setViewportSize({ width: 390, height: 844 })
  const heightOf = async (selector: string) => (await page.locator(selector).boundingBox())?.height ?? 1_000
  assert.ok((await heightOf('header')) < 70, `the header is ${await heightOf('header')} px high`)
  assert.ok((await heightOf('nav.tabs')) < 60, `the tabs are ${await heightOf('nav.tabs')} px high`)
  await page.locator('button.menu').focus()
  await page.keyboard.press('Enter')
  await page.locator('#account').getByRole('button', { name: 'Sign out' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('#account').waitFor({ state: 'hidden' })
  await page.keyboard.press('Enter')
  await page.locator('#account').getByRole('link', { name: 'second' }).click()
  await page.waitForURL(/\/dashboard\?workspace=w-2/)
  await page.close()
})

test.run()
