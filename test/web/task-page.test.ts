import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { approvalOf } from '../../machines/approval.ts'
import type { JournalCall, StepRecord } from '../../machines/records.ts'
import { ended } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { anOrder } from '../support/held.ts'
import { THEN } from '../support/stores.ts'
import { call, openScene, result, said } from './live-scene.ts'

const test = suite('the page of a task, in Chromium')
const { taskService, base, aRunningTask, open, close } = await openScene()
test.after(close)

test('[P10] [V5] the page of a task follows its log: calls in words with their results, opened parts stay open', async () => {
  const id = aRunningTask()
  const { page, asked, errors } = await open(`/dashboard/tasks/${id}`)
  const { log } = taskService
  await page.waitForSelector('text=No steps yet')
  log.append(id, { type: 'step.started', at: THEN, step: 1 })
  log.append(id, said(1, 'I look for the teapot.'))
  log.append(id, call(1, 'c', 'find', { query: 'tea' }))
  log.append(id, result(1, 'c', 'find', 'textbox "E-mail" [e4]'))
  await page.waitForSelector('text=I look for the teapot.')
  const found = page.locator('.call', { hasText: 'Looks for tea' })
  await found.locator('summary').first().click()
  assert.match((await found.locator('pre').first().textContent()) ?? '', 'textbox "E-mail"')
  await page.fill('#message', 'half a')
  await page.evaluate("document.querySelector('.call').seen = true")
  log.append(id, { type: 'step.started', at: THEN, step: 2 })
  log.append(id, said(2, 'I fill it in.'))
  log.append(id, call(2, 'd', 'form_input', { ref: 'e4', value: 'ada@example.com' }))
  await page.waitForSelector('.doing >> text=Fills in E-mail')
  // Nothing was made anew: what is open stays open, what is typed stays typed, where the focus is it stays.
  assert.is(await page.evaluate("document.querySelector('.call').seen"), true)
  assert.is(await page.evaluate("document.querySelector('.call details').open"), true)
  assert.is(await page.inputValue('#message'), 'half a')
  assert.is(await page.evaluate('document.activeElement.id'), 'message')
  log.append(id, { ...result(2, 'd', 'form_input', ''), error: 'The field is gone.' })
  await page.waitForSelector('.call.failed >> text=The field is gone.')
  taskService.end(id, ended)
  await page.waitForSelector('.badge.good >> text=Done')
  assert.is(await page.locator('text=Run again').count(), 1)
  assert.is(await page.locator('button', { hasText: 'Stop' }).count(), 0)
  const foreign = asked.filter((address) => !address.startsWith(base))
  assert.equal([foreign, errors], [[], []])
  await page.close()
})

test('[P31] a task without events is told by its step records', async () => {
  const id = aRunningTask()
  taskService.end(id, ended)
  taskService.removeEvents(({ taskId }) => taskId === id)
  const record = (status: StepRecord['status'], more: Partial<StepRecord> = {}): StepRecord => ({
    ...{ step: 1, status, toolName: null, toolInput: null, output: null, screenshot: null },
    ...{ durationMs: null, createdAt: THEN, ...more },
  })
  const find = { toolName: 'find', callId: 'c' }
  const click = { toolName: 'computer', callId: 'd' }
  taskService.stepsOf.set(id, [
    record('thinking', { output: 'I look for the teapot.' }),
    record('tool_use', { ...find, toolInput: { query: 'tea' } }),
    record('tool_output', { ...find, output: 'textbox "E-mail" [e4]' }),
    record('tool_result', { ...find, durationMs: 5 }),
    record('tool_use', { ...click, toolInput: { action: 'left_click', ref: 'e4' } }),
    record('tool_result', { ...click, output: 'The field is gone.', durationMs: 5 }),
    record('complete', { step: 2 }),
  ])
  const { page, errors } = await open(`/dashboard/tasks/${id}`)
  await page.waitForSelector('text=I look for the teapot.')
  await page.waitForSelector('.call.done >> text=Looks for tea')
  await page.waitForSelector('.call.failed >> text=The field is gone.')
  assert.is(await page.locator('.steps > ol > li').count(), 1)
  assert.equal(errors, [])
  await page.close()
})

test('[P10] a failed task says once how to go on, beside why it failed', async () => {
  const id = aRunningTask()
  taskService.end(id, ended)
  const view = taskService.tasksById.get(id)
  taskService.tasksById.set(id, {
    ...view,
    status: 'error',
    answer: 'It asks for a code.',
    endedBy: 'gave_up',
  } as never)
  const { page, errors } = await open(`/dashboard/tasks/${id}`)
  await page.waitForSelector('.answer >> text=Say below what it was missing.')
  await page.getByRole('heading', { name: 'Continue this task' }).waitFor()
  assert.is(
    await page
      .locator('main')
      .getByText(/continue/i)
      .count(),
    1,
  )
  assert.equal(errors, [])
  await page.close()
})

test('[P11] an answer is shown as markdown, but nothing of it is markup, a script or a picture from elsewhere', async () => {
  const id = aRunningTask()
  taskService.end(id, ended)
  const answer =
    '# Found\n\n**Two** teapots:\n\n| name | price |\n| - | - |\n| Kyoto | $48 |\n\n<img src="http://evil.example/a.png" onerror="alert(1)">\n\n![track](http://evil.example/b.png) [bad](javascript:alert(1)) [good](https://shop.example/)'
  const view = taskService.tasksById.get(id)
  assert.ok(view)
  const output = JSON.stringify({ items: [{ name: 'Kyoto', price: 48 }], note: '<b>x</b>' })
  taskService.tasksById.set(id, { ...view, answer, output })
  const { page, asked, errors } = await open(`/dashboard/tasks/${id}`)
  await page.waitForSelector('.answer table')
  assert.is(await page.locator('.answer strong').first().textContent(), 'Two')
  assert.is(await page.locator('.answer img').count(), 0)
  assert.match((await page.locator('.answer').textContent()) ?? '', '<img src="http://evil.example/a.png"')
  assert.equal(await page.evaluate("[...document.querySelectorAll('.answer a[href]')].map(({ href }) => href)"), [
    'https://shop.example/',
  ])
  assert.equal(await page.locator('table.output td').last().textContent(), '<b>x</b> ')
  assert.equal(
    asked.filter((address) => address.includes('evil')),
    [],
  )
  assert.equal(errors, [])
  await page.close()
})

test('[I7 I13] what is held is shown with what has changed, and approved for the rest of the task', async () => {
  const id = aRunningTask()
  const view = taskService.tasksById.get(id)
  const call: JournalCall = { requestId: 'r', tool: 'computer', input: { action: 'left_click' }, refusal: null }
  const inputRequest = approvalOf('r-2', call, anOrder('<b>99</b>'), anOrder('52.50'), Date.now())
  taskService.tasksById.set(id, { ...view, state: 'waitingForInput', inputRequest } as never)
  let heard: unknown = null
  taskService.answerInput = async (_, __, requestId, given) => {
    heard = [requestId, given]
    if (view) taskService.tasksById.set(id, view)
    return 'accepted'
  }
  const { page, errors } = await open(`/dashboard/tasks/${id}`)
  const asked = (await page.locator('section.input').textContent()) ?? ''
  assert.is(await page.locator('section.input .sentence').textContent(), 'Press “Buy now” at shop.example')
  const checked = (await page.locator('.proof > div >> nth=0').textContent()) ?? ''
  assert.match(checked, /^\s*Checked by the browser\s*Sends to\s*https:\/\/shop\.example\/orders$/)
  for (const words of ['POST https://shop.example/orders', 'button “Buy now”', '52.50 → <b>99</b>', 'has changed'])
    assert.ok(asked.includes(words), words)
  assert.is(await page.locator('section.input b').count(), 0)
  const tops = ['.sentence', '.changed', 'button >> text=/^ *Approve$/', '.proof'].map(async (part) => {
    const box = await page.locator(`section.input ${part}`).boundingBox()
    return box?.y ?? Number.NaN
  })
  const [sentence = 0, changed = 0, approve = 0, proof = 0] = await Promise.all(tops)
  assert.ok(
    sentence < changed && changed < approve && approve < proof,
    'what happens, the buttons, then how it is known',
  )
  await page.setViewportSize({ width: 320, height: 500 })
  for (const part of ['section.input h2', '.proof', '.means >> nth=-1']) {
    await page
      .locator(part)
      .first()
      .evaluate((seen) => seen.scrollIntoView({ block: 'center' }))
    const box = await page.getByRole('button', { name: 'Approve', exact: true }).boundingBox()
    assert.ok(box && box.y >= 0 && box.y + box.height <= 500, `on a phone Approve is in sight beside ${part}`)
  }
  const screens = [await page.locator('.screen').count(), await page.locator('section.input .screen').count()]
  assert.equal(screens, [1, 1], 'the page is seen beside the question, and nowhere else')
  await page.click('section.input button >> text=Approve for the rest of this task')
  await page.waitForSelector('section.input', { state: 'detached' })
  assert.equal(heard, ['r-2', { action: 'accept', content: null, forTask: true }])
  assert.equal(errors, [])
  await page.close()
})

test('[I8] [P12] what a task asks is answered on its page; a task is paused and, once that is confirmed, stopped', async () => {
  const id = aRunningTask()
  const heard: unknown[] = []
  const view = taskService.tasksById.get(id)
  assert.ok(view)
  const schema = { type: 'string', enum: ['green', 'black'] }
  const asks = {
    id: 'r-1',
    kind: 'question',
    message: 'Which tea?',
    schema,
    call: null,
    expiresAt: Date.now() + 60_000,
  }
  taskService.tasksById.set(id, { ...view, state: 'waitingForInput', inputRequest: asks } as never)
  taskService.answerInput = async (_, __, requestId, given) => {
    heard.push([requestId, given])
    taskService.tasksById.set(id, view)
    return 'accepted'
  }
  taskService.pauseTask = async (_, __, paused) => {
    heard.push(paused)
    const changed = {
      ...view,
      ...(paused ? { state: 'paused', pausedBy: ['client'] as const } : { state: 'thinking' }),
    }
    taskService.tasksById.set(id, changed)
    return changed
  }
  const { page, errors } = await open(`/dashboard/tasks/${id}`)
  await page.waitForSelector('.badge.wait >> text=Waiting for you')
  const answer = page.locator('section.input').getByRole('button', { name: 'Answer', exact: true })
  assert.ok(await answer.isDisabled(), 'an answer before one is chosen')
  await page.getByRole('button', { name: 'black', exact: true }).click()
  await answer.click()
  await page.waitForSelector('section.input', { state: 'detached' })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await button('Pause').click()
  await button('Resume').click()
  await button('Pause').waitFor()
  assert.equal(heard, [['r-1', { action: 'accept', content: 'black', forTask: false }], true, false])
  await page.click('.actions > button >> text=Stop')
  await page.click('dialog button >> text=Cancel')
  assert.is(taskService.tasksById.get(id)?.status, 'running')
  await page.click('.actions > button >> text=Stop')
  await page.click('dialog button >> text=Stop')
  await page.waitForSelector('.badge.bad >> text=Stopped')
  assert.equal(errors, [])
  await page.close()
})

test('[I8] a question that yes or no answers offers both; what is chosen can be changed before it is sent', async () => {
  const id = aRunningTask()
  const view = taskService.tasksById.get(id)
  const heard: unknown[] = []
  taskService.answerInput = async (_, __, ___, { content }) => {
    heard.push(content)
    return 'accepted'
  }
  const asks = { id: 'r-1', kind: 'question', schema: null, call: null, expiresAt: Date.now() + 60_000 }
  const asksFor = (message: string) =>
    taskService.tasksById.set(id, { ...view, state: 'waitingForInput', inputRequest: { ...asks, message } } as never)
  const { page, errors } = await open(`/dashboard/tasks/${id}`)
  const choices = page.getByRole('group', { name: 'Answers to choose from' })
  asksFor('Should I order the green one or the black one?')
  await page.reload()
  await page.locator('section.input').waitFor()
  assert.is(await choices.count(), 0)
  asksFor('The large one is sold out. Should I order the small one, 0.8 litres, for $48.50?')
  await page.reload()
  await choices.getByRole('button', { name: 'Yes' }).click()
  assert.is(await page.getByLabel('Message to the task').count(), 0)
  const field = page.getByLabel('Your answer')
  assert.is(await field.inputValue(), 'Yes')
  await field.fill('Yes, two of them')
  await page.getByRole('button', { name: 'Answer', exact: true }).click()
  await eventually(() => heard.length === 1, 'the answer')
  assert.equal(heard, ['Yes, two of them'])
  assert.equal(errors, [])
  await page.close()
})

test.run()
