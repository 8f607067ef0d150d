import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskView } from '../../actors/task-service.ts'
import { eventually } from '../support/eventually.ts'
import { anOrder } from '../support/held.ts'
import { aTask, THEN } from '../support/stores.ts'
import { openScene } from './live-scene.ts'
import { ANN } from './world.ts'

const test = suite('the list of tasks, in Chromium')
const { taskService, store, pairings, open, close } = await openScene()
test.after(close)

test('[P13] the list has every task by pages, finds them by text, browser and metadata, and is walked by keys', async () => {
  const workspaceId = ANN.workspaces[0]?.id ?? ''
  taskService.tasksById.clear()
  for (let n = 0; n < 70; n++) {
    const record = aTask({ workspaceId, createdAt: THEN + n, task: `Buy tea ${n}` })
    taskService.tasksById.set(record.id, { ...record, state: 'closed', status: 'complete', answer: `Tea ${n}.` })
  }
  const marked = [...taskService.tasksById.values()][3]
  assert.ok(marked)
  taskService.tasksById.set(marked.id, { ...marked, metadata: { order: 'a17' } })
  const { page, errors } = await open('/dashboard')
  const shows = (tasks: number) =>
    eventually(async () => (await page.locator('a.task').count()) === tasks, `${tasks} tasks in the list`, 15_000)
  await shows(50)
  await page.click('text=Show more')
  await page.waitForSelector('text=Buy tea 0')
  assert.is(await page.locator('a.task').count(), 70)
  await page.keyboard.press('/')
  await page.keyboard.type('tea 42')
  await shows(1)
  assert.match(page.url(), 'q=tea+42')
  const corner = () => page.evaluate('[search.offsetLeft, search.offsetTop]')
  const place = await corner()
  await page.fill('#search', 'no such tea')
  await page.waitForSelector('text=No task matches')
  assert.equal(await corner(), place, 'the search stays where it is')
  await page.fill('#search', '')
  assert.is(await page.isVisible('#metadata'), false)
  const filters = page.getByRole('button', { name: 'Filters' })
  await filters.press('Enter')
  await page.fill('#metadata', 'order=a17')
  await page.waitForSelector('a.task >> text=Buy tea 3')
  await shows(1)
  assert.is((await filters.textContent())?.trim(), 'Filters (1)')
  await page.fill('#metadata', '')
  await shows(50)
  const [own] = taskService.tasksById.values()
  await page.goto(`${page.url()}?browser=${own?.browserSessionId}`)
  await page.waitForSelector('a.task >> text=Buy tea 0')
  await shows(1)
  await filters.press('Enter')
  await page.selectOption('#browser', '')
  await shows(50)
  await page.locator('#browser').blur()
  for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key)
  await page.keyboard.press('Enter')
  await page.waitForURL(/dashboard\/tasks\//)
  assert.is((await page.textContent('h1'))?.trim(), 'Buy tea 68')
  assert.equal(errors, [])
  await page.close()
})

test('[P32] tasks that need their user come first, with question and amount, are counted, found and answered there; answers are one line of words', async () => {
  const workspaceId = ANN.workspaces[0]?.id ?? ''
  taskService.tasksById.clear()
  const answer = '| item | price |\n| :--- | ---: |\n| **Kyoto** | $48.50 |\n\n- one\n- `two`'
  const { id: _, terms, numbers, ...held } = anOrder('113.00', {})
  const request = { id: 'r-1', kind: 'approval', schema: null, expiresAt: Date.now() + 60_000 } as const
  const call = { tool: 'computer', input: {}, held }
  const asks = { inputRequest: { ...request, message: 'Pay for two teapots?', call } } as Partial<TaskView>
  for (const [n, state] of ['waitingForInput', 'thinking', 'closed'].entries()) {
    const record = aTask({ workspaceId, createdAt: THEN + n, task: `Buy ${state}` })
    const end = state === 'closed' ? ({ status: 'complete', answer } as const) : {}
    taskService.tasksById.set(record.id, { ...record, state, ...end, ...(state === 'waitingForInput' ? asks : {}) })
  }
  const [waiting] = taskService.tasksById.values()
  const answers: unknown[] = []
  taskService.answerInput = async (_, taskId, requestId, { action }) => {
    answers.push([taskId, requestId, action])
    return 'accepted'
  }
  const { page, errors } = await open('/dashboard')
  const asking = page.locator('.needs-you li')
  await asking.waitFor()
  assert.is(await asking.count(), 1)
  assert.match((await asking.textContent()) ?? '', /Buy waitingForInput\s*Pay 113\.00 at shop\.example/)
  await eventually(async () => /^\(1\) /.test(await page.title()), 'the number in the title')
  const icon = await page.getAttribute('link[rel=icon]', 'href')
  assert.is(icon, '/icon/1.svg')
  assert.match(await (await page.request.get(new URL(icon ?? '', page.url()).href)).text(), />1<\/text>/)
  assert.is(await page.locator('a.task .said').textContent(), 'item, price; Kyoto, $48.50; one; two')
  await page.getByRole('button', { name: 'Filters' }).press('Enter')
  await page.selectOption('#status', 'waiting')
  await eventually(async () => (await page.locator('a.task').count()) === 1, 'the one task that waits')
  assert.match((await page.locator('a.task').textContent()) ?? '', /Buy waitingForInput/)
  await asking.getByRole('button', { name: 'Review' }).press('Enter')
  await asking.getByRole('button', { name: 'Approve', exact: true }).press('Enter')
  await eventually(() => answers.length === 1, 'the answer')
  assert.equal(answers, [[waiting?.id, 'r-1', 'accept']])
  assert.equal(errors, [])
  await page.close()
})

test('[P39] selected tasks are stopped together and exported; an answer of a page is no formula', async () => {
  const workspaceId = ANN.workspaces[0]?.id ?? ''
  taskService.tasksById.clear()
  const running = aTask({ workspaceId, createdAt: THEN, task: 'Buy one' })
  const ended = aTask({ workspaceId, createdAt: THEN + 1, task: 'Buy, "two"' })
  const answer = '=HYPERLINK("https://evil.example")'
  taskService.tasksById.set(running.id, { ...running, state: 'thinking' })
  taskService.tasksById.set(ended.id, { ...ended, state: 'closed', status: 'complete', answer })
  const { page, errors } = await open('/dashboard')
  const all = page.getByLabel('Select all')
  const left = async (box: typeof all) => (await box.boundingBox())?.x
  assert.is(await left(all), await left(page.locator('.tasks input >> nth=0')))
  await all.press('Space')
  await page.getByRole('button', { name: 'Run 1 again' }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as CSV' }).press('Enter')
  const lines = (await text(await (await download).createReadStream())).split('\r\n')
  assert.match(lines[1] ?? '', ',"Buy, ""two""",')
  assert.match(lines[1] ?? '', `,"'=HYPERLINK(""https://evil.example"")",`)
  assert.match(lines[2] ?? '', `${running.id},`)
  await page.getByRole('button', { name: 'Stop 1' }).press('Enter')
  await page.locator('dialog[open]').getByRole('button', { name: 'Stop 1' }).press('Enter')
  await eventually(() => taskService.tasksById.get(running.id)?.status === 'error', 'the stop of the task')
  await page.getByLabel('Select all').waitFor()
  assert.equal(errors, [])
  await page.close()
})

test('[P33] pages read all paired browsers once, and then those that are connected', async () => {
  const { page, asked } = await open('/dashboard')
  const reads = () =>
    asked.filter((address) => address.includes('/v1/browser-sessions')).map((to) => new URL(to).search)
  await eventually(() => reads().length >= 3, 'it looks again and again')
  assert.equal([...new Set(reads().slice(1))], ['?status=connected'])
  assert.is(reads()[0], '')
  await page.close()
})

test('[P14] what was typed for a new task stays when a browser connects and when the start is refused', async () => {
  const workspaceId = ANN.workspaces[0]?.id ?? ''
  const { page } = await open('/dashboard')
  await page.fill('textarea[name=task]', 'Buy tea')
  await page.waitForSelector('text=Three steps to your first task')
  const id = randomUUID()
  const session = {
    id,
    workspaceId,
    label: 'Laptop',
    status: 'connected',
    createdAt: THEN,
    expiresAt: THEN,
    state: 'idle',
  }
  taskService.sessionsById.set(id, session as never)
  await page.waitForSelector('option >> text=Laptop', { state: 'attached' })
  assert.is(await page.inputValue('textarea[name=task]'), 'Buy tea')
  taskService.refusals.push({ code: 'too_many_running' })
  await page.click('button >> text=Start')
  await page.waitForSelector('[role=alert]')
  assert.is(await page.inputValue('textarea[name=task]'), 'Buy tea')
  await page.click('button >> text=Start')
  await page.waitForURL(/dashboard\/tasks\//)
  assert.is(taskService.started.at(-1)?.request.task, 'Buy tea')
  await page.close()
})

test('[P10] [S18] browsers come and go in place: what is typed stays; one is told to start no tasks', async () => {
  const workspaceId = ANN.workspaces[0]?.id ?? ''
  taskService.sessionsById.clear()
  const { page, errors } = await open('/dashboard/browsers')
  await page.getByText('No browsers paired yet').waitFor()
  await page.click('button >> text=Pair a browser')
  await page.fill('#label', 'half a')
  const id = randomUUID()
  const session = { id, workspaceId, label: 'Tower', createdAt: THEN, expiresAt: THEN, state: 'idle' }
  const becomes = async (fields: object) => {
    taskService.sessionsById.set(id, { ...session, ...fields } as never)
    await store.sessions.insert({ ...session, ...fields } as never).catch(() => {})
  }
  await becomes({ status: 'connected', lastHeartbeat: null })
  // A dialog is above it, so it is not looked for by its role.
  const shown = page.locator('tr').filter({ hasText: 'Tower' })
  await shown.locator('.badge').getByText('Connected', { exact: true }).waitFor()
  await shown.getByText('never').waitFor()
  const task = aTask({ workspaceId, browserSessionId: id, task: 'Buy tea with it' })
  taskService.tasksById.set(task.id, { ...task, state: 'thinking' })
  await page.reload()
  await shown.getByRole('link', { name: 'Buy tea with it' }).waitFor()
  await page.click('button >> text=Pair a browser')
  await page.fill('#label', 'half a')
  await becomes({ status: 'disconnected', lastHeartbeat: null })
  await shown.getByText('Not connected').waitFor({ timeout: 20_000 })
  assert.is(await page.inputValue('#label'), 'half a')
  assert.is(await page.evaluate('document.activeElement.id'), 'label')
  await page.keyboard.press('Escape')
  assert.is(await page.evaluate('document.activeElement.textContent.trim()'), 'Pair a browser')
  await shown.getByRole('switch', { name: 'Tower may start tasks', checked: true }).click()
  await eventually(async () => (await store.sessions.get(id))?.allowTasks === false, 'no tasks to be allowed')
  assert.equal(errors, [])
  await page.close()
})

test('[P12] [P15] a browser is named and paired, the page goes on by itself; it is removed once that is confirmed', async () => {
  const workspaceId = ANN.workspaces[0]?.id ?? ''
  taskService.sessionsById.clear()
  const { page } = await open('/dashboard/browsers')
  await page.click('button >> text=Pair a browser')
  await page.fill('#label', 'Reading room')
  await page.click('button >> text=Create pairing link')
  await page.waitForSelector('text=this page continues by itself')
  assert.is(pairings.at(-1)?.label, 'Reading room')
  const id = randomUUID()
  const more = {
    workspaceId,
    label: 'Reading room',
    status: 'connected',
    createdAt: THEN,
    expiresAt: THEN,
    state: 'idle',
  }
  // It is looked at twice: what was there before is not new.
  await page.waitForTimeout(500)
  taskService.sessionsById.set(id, { id, lastHeartbeat: THEN, ...more } as never)
  await page.waitForURL(/\/dashboard\?workspace=/)
  await page.goto(page.url().replace('/dashboard?', '/dashboard/browsers?'))
  const remove = async () => {
    await page.getByRole('button', { name: 'More for Reading room' }).click()
    await page.getByRole('button', { name: 'Remove' }).click()
  }
  await remove()
  await page.click('dialog button >> text=Cancel')
  assert.is(taskService.sessionsById.size, 1)
  await remove()
  await page.click('dialog button >> text=Remove')
  await page.waitForSelector('text=No browsers paired yet')
  assert.is(taskService.sessionsById.size, 0)
  await page.close()
})

test.run()
