import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskView } from '../../actors/task-service.ts'
import { state } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { anOrder } from '../support/held.ts'
import { aTask } from '../support/stores.ts'
import { openScene } from './live-scene.ts'
import { ANN } from './world.ts'

const test = suite('what a person comes back to, in Chromium')
const { taskService, open, context, close } = await openScene()
test.after(close)

const workspaceId = ANN.workspaces[0]?.id ?? ''
const PHONE = { width: 390, height: 844 }
/** From the press on a notification to the answer that has arrived, on a busy machine, too. */
const ANSWERED_MS_MAX = 20_000

/** Notifications that are allowed and noted; whether the page is in sight is up to the test. */
const NOTIFICATIONS = `
  window.notices = []
  window.Notification = class { static permission = 'granted'; constructor(title, { body }) { this.body = body; window.notices.push(this) } }
  Object.defineProperty(Document.prototype, 'hidden', { get: () => window.isAway === true })
  localStorage.setItem('notifyWhenNeeded', 'yes')`

const asks = { id: 'r-1', schema: null, expiresAt: Date.now() + 600_000 } as const
const { id: _, terms, numbers, ...held } = anOrder('113.00', {})
const REQUESTS = [
  ['question', { ...asks, kind: 'question', call: null, message: 'Which size?' }, 'Answer'],
  [
    'approval',
    { ...asks, kind: 'approval', call: { tool: 'computer', input: {}, held }, message: 'Pay for two teapots?' },
    'Approve',
  ],
] as const

const isInSight = (page: Page, button: string): Promise<boolean> =>
  page.getByRole('button', { name: button, exact: true }).evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= (element.ownerDocument.defaultView?.innerHeight ?? 0)
  })

await context.addInitScript(NOTIFICATIONS)

for (const [kind, inputRequest, button] of REQUESTS)
  test(`[P40] from the notification of a ${kind} to its answer, at a phone's width: two presses`, async () => {
    taskService.tasksById.clear()
    const record = aTask({ workspaceId, task: 'Order two pieces of the Kyoto teapot, wrapped as a gift' })
    const { id } = record
    taskService.tasksById.set(id, { ...record, state: 'thinking' })
    taskService.keep(taskService.log.begin(record))
    const answers: unknown[] = []
    taskService.answerInput = async (_, taskId, requestId, { action }) => {
      answers.push([taskId, requestId, action])
      return 'accepted'
    }
    const { page, errors } = await open('/dashboard')
    await page.setViewportSize(PHONE)
    await page.locator('a.task').waitFor()
    await page.evaluate('window.isAway = true')
    taskService.tasksById.set(id, {
      ...record,
      state: 'waitingForInput',
      inputRequest,
    } as Partial<TaskView> as TaskView)
    taskService.log.append(id, state('waitingForInput'))
    await eventually(async () => (await page.evaluate('window.notices.length')) === 1, 'the notification')
    assert.is(await page.evaluate('window.notices[0].body'), inputRequest.message)

    const at = performance.now()
    let presses = 1
    await page.evaluate('window.notices[0].onclick()')
    await page.locator('section.input').waitFor()
    assert.is(new URL(page.url()).pathname, `/dashboard/tasks/${id}`)
    assert.ok(await isInSight(page, button), 'the answer is below what is in sight')
    if (kind === 'question') await page.locator('section.input textarea').fill('The large one')
    await page.getByRole('button', { name: button, exact: true }).click()
    presses++
    await eventually(() => answers.length === 1, 'the answer')
    const ms = Math.round(performance.now() - at)
    console.log(`${kind}, from the notification to its answer: ${(ms / 1_000).toFixed(1)} s, ${presses} presses`)
    assert.equal(answers, [[id, 'r-1', 'accept']])
    assert.ok(ms <= ANSWERED_MS_MAX, `${ms} ms`)
    assert.equal(errors, [])
    await page.close()
  })

test('[P40] a search is saved, chosen again after a reload, and forgotten', async () => {
  taskService.tasksById.clear()
  for (const task of ['Buy green tea', 'Buy black tea']) {
    const record = aTask({ workspaceId, task, status: 'complete' })
    taskService.tasksById.set(record.id, { ...record, state: 'closed' })
  }
  const { page, errors } = await open('/dashboard')
  await page.setViewportSize(PHONE)
  const filters = page.getByRole('button', { name: 'Filters' })
  assert.equal([await page.isVisible('#status'), await filters.getAttribute('aria-expanded')], [false, 'false'])
  await filters.press('Enter')
  const isCount = (count: number) =>
    eventually(async () => (await page.locator('a.task').count()) === count, `${count} tasks`)
  await isCount(2)
  assert.is(await page.getByRole('button', { name: 'Save this search' }).count(), 0)
  await page.fill('#search', 'green')
  await page.selectOption('#status', 'complete')
  await isCount(1)
  await page.getByRole('button', { name: 'Save this search' }).press('Enter')
  const saved = page.getByRole('button', { name: 'green, Done' })
  await saved.waitFor()
  await page.goto(new URL('/dashboard', page.url()).href)
  await isCount(2)
  await filters.press('Enter')
  assert.is(await saved.getAttribute('aria-pressed'), 'false')
  await saved.press('Enter')
  await isCount(1)
  assert.match(page.url(), /q=green&status=complete/)
  assert.is(await page.inputValue('#search'), 'green')
  await page.getByRole('button', { name: 'Forget this search' }).press('Enter')
  await page.fill('#search', '')
  await page.selectOption('#status', '')
  await isCount(2)
  assert.is(await saved.count(), 0)
  assert.equal(errors, [])
  await page.close()
})

test.run()
