import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ended } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { THEN } from '../support/stores.ts'
import { openScene } from './live-scene.ts'
import { ANN } from './world.ts'

const test = suite('starting tasks from the dashboard, in Chromium')
const { taskService, aRunningTask, open, close } = await openScene()
test.after(close)

const workspaceId = ANN.workspaces[0]?.id ?? ''
const PASSWORD = 'correct horse battery staple'
const laptop = randomUUID()
taskService.sessionsById.set(laptop, {
  id: laptop,
  workspaceId,
  label: 'Laptop',
  status: 'connected',
  createdAt: THEN,
  expiresAt: THEN,
  state: 'idle',
} as never)

const started = () => taskService.started.at(-1)
async function press(page: Page, name: string): Promise<void> {
  await page.click(`.start button:visible >> text=${name}`)
}

test('[P17] a task starts from the dashboard with a model, approvals, questions, sites, limits, files and secrets', async () => {
  const { page, errors } = await open('/dashboard')
  await page.fill('textarea[name=task]', 'Buy tea')
  await page.click('summary >> text=Options')
  await page.selectOption('[name=model]', 'gpt-5')
  await page.selectOption('[name=effort]', 'high')
  await page.selectOption('[name=approvals]', 'always')
  await page.selectOption('[name=ask_user]', 'no')
  await page.fill('[name=allowed_domains]', 'shop.example, tea.example')
  await page.fill('[name=max_steps]', '12')
  await page.fill('[name=max_cost_usd]', '0.25')
  await page.fill('[name=context]', 'Ada likes green tea.')
  await page.setInputFiles('[name=files]', { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('Sencha') })
  await press(page, 'Add a secret')
  await press(page, 'Add a secret')
  const [first, second] = [page.locator('.secret').first(), page.locator('.secret').last()]
  await first.getByLabel('Name', { exact: true }).fill('shop_password')
  const value = first.locator('[type=password]')
  await value.fill(PASSWORD)
  assert.is(await value.getAttribute('type'), 'password')
  await first.getByLabel('Sites').fill('shop.example')
  await second.getByRole('button', { name: 'Remove' }).click()
  await press(page, 'Start')
  await page.waitForURL(/dashboard\/tasks\//)
  const { request, secrets } = started() ?? {}
  assert.equal(
    [request?.approvals, request?.asksUser, request?.allowedDomains, request?.maxSteps, request?.maxCostUsd],
    ['always', false, ['shop.example', 'tea.example'], 12, 0.25],
  )
  assert.equal([request?.model, request?.effort, request?.context], ['gpt-5', 'high', 'Ada likes green tea.'])
  assert.equal(
    request?.files?.map(({ name }) => name),
    ['list.txt'],
  )
  assert.equal(secrets?.known, [{ name: 'shop_password', kind: 'value', domains: ['shop.example'], description: null }])
  await page.waitForSelector('text=shop.example, tea.example')
  // The value went out with the start and is nowhere any more.
  assert.not.match(await page.content(), PASSWORD)
  assert.equal(errors, [])
  await page.close()
})

test('[P17] a secret that is not complete is pointed at, also when its fields are folded away', async () => {
  const { page } = await open('/dashboard')
  const starts = taskService.started.length
  await page.fill('textarea[name=task]', 'Buy tea')
  await page.click('summary >> text=Options')
  const start = page.getByRole('button', { name: 'Start', exact: true })
  const corner = () => start.evaluate('(one) => [one.offsetLeft, one.offsetTop]')
  const place = await corner()
  await press(page, 'Add a secret')
  assert.match((await page.textContent('.start summary')) ?? '', /^Options:/, 'nothing is typed into it yet')
  assert.equal(await corner(), place, 'Start stays where it is')
  await page.click('summary >> text=Options')
  await press(page, 'Start')
  await page.getByLabel('Name', { exact: true }).waitFor()
  assert.is(taskService.started.length, starts)
  await page.close()
})

test('[P17] an example fills in the task, and is gone once something is written', async () => {
  const { page, errors } = await open('/dashboard')
  const examples = page.getByRole('group', { name: 'Examples' })
  await examples.getByRole('button').nth(1).press('Enter')
  const field = page.getByLabel('What should be done?')
  assert.match(await field.inputValue(), /kettles/)
  assert.is(await page.evaluate('document.activeElement.name'), 'task')
  assert.is(await examples.count(), 0)
  await field.fill('')
  assert.is(await examples.getByRole('button').count(), 3)
  assert.equal(errors, [])
  await page.close()
})

test('[P17] [I10] an ended task is continued on its page, held to the same terms unless others are chosen', async () => {
  const id = aRunningTask()
  taskService.end(id, ended)
  const { page, errors } = await open(`/dashboard/tasks/${id}`)
  await page.fill('textarea[name=task]', 'Now the large one')
  await press(page, 'Start')
  await page.waitForURL((url) => !url.pathname.endsWith(id))
  assert.equal([started()?.request.task, started()?.request.continuesTaskId], ['Now the large one', id])
  await page.waitForSelector('text=an earlier task')
  assert.equal(errors, [])
  await page.close()
})

test('[P17] [I1] a message is sent to a running task from its page', async () => {
  const id = aRunningTask()
  const sent: unknown[] = []
  taskService.sendMessage = async (_, taskId, message) => {
    sent.push([taskId, message])
    return 'sent'
  }
  const { page } = await open(`/dashboard/tasks/${id}`)
  await page.fill('#message', 'The green one, please')
  await page.click('.message button >> text=Send')
  await eventually(async () => (await page.inputValue('#message')) === '', 'the field to be empty again')
  assert.equal(sent, [[id, { text: 'The green one, please', interrupt: false }]])
  await page.close()
})

test.run()
