import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createHandle } from '../../src/http/handle.ts'
import { nodeTransport } from '../../src/http/node.ts'
import { openPages } from '../../src/pages/pages.ts'
import { startChromium } from '../inspector/world.ts'
import { ended } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { makeSurface } from '../support/http-surface.ts'
import { memoryLog } from '../support/http-wire.ts'
import { aTask, THEN } from '../support/stores.ts'
import { ANN, annAlone, depsOf } from './world.ts'

/** The pages and the API behind one listener, and a real browser that is signed in. */
const test = suite('pages that follow events, in Chromium')
const accounts = { ...annAlone, principalOf: async () => ANN }
const surface = await makeSurface({ accounts })
const { taskService, deps } = surface
const { readTokens } = deps
const pages = await openPages(depsOf({ accounts, readTokens, taskService }))
const listener = await nodeTransport(memoryLog()).listen({
  host: '127.0.0.1',
  port: 0,
  maxBodyBytes: 10_000,
  handle: createHandle({ ...deps, pages }),
  sockets: {},
})
const base = `http://127.0.0.1:${listener.port}`
const browser = await startChromium()
const context = await browser.newContext()
await context.addCookies([{ name: 'signed', value: 'in', url: base }])
test.after(async () => {
  await browser.close()
  await listener.close()
})

function aRunningTask(): string {
  const record = aTask({ workspaceId: ANN.workspaces[0]?.id ?? '' })
  taskService.tasksById.set(record.id, { ...record, state: 'thinking' })
  taskService.keep(taskService.log.begin(record))
  return record.id
}
const usage = { inputTokens: 1, outputTokens: 1, apiCalls: 1 }
const said = (step: number, text: string) =>
  ({ type: 'model.replied', at: THEN, step, text, model: 'm', usage }) as const

test('[V6] an EventSource gets each event once and ends by itself after task.ended', async () => {
  const id = aRunningTask()
  const page = await context.newPage()
  const asked: string[] = []
  const answers: number[] = []
  page.on('request', (request) => request.url().includes('/events') && asked.push(request.url()))
  page.on('response', (response) => response.url().includes('/events') && answers.push(response.status()))
  await page.goto(`${base}/docs`)
  /** The page's policy allows no eval, which waiting in the page would take. */
  const becomes = async (expression: string, value: unknown) => {
    await eventually(async () => (await page.evaluate(expression)) === value, `${expression} is ${value}`)
  }
  const { token } = await readTokens.create(id, ANN.workspaces[0]?.id ?? '')
  await page.evaluate(`
    seen = []
    source = new EventSource('/v1/tasks/${id}/events?token=${token}')
    for (const type of ['task.created', 'model.replied', 'task.ended'])
      source.addEventListener(type, (event) => seen.push(event.lastEventId + ' ' + type))
  `)
  await becomes('seen.length', 1)
  taskService.log.append(id, said(1, 'I look.'))
  await becomes('seen.length', 2)
  taskService.end(id, ended)
  await becomes('source.readyState', 2)
  assert.equal(await page.evaluate('seen'), ['1 task.created', '2 model.replied', '3 task.ended'])
  // It asked once more, from where it was, and was told that there is no more.
  assert.equal(answers, [200, 204])
  assert.is(asked.length, 2)
  await page.close()
})

test('[V5 V8] the page of a task follows its log, and nothing else', async () => {
  const id = aRunningTask()
  const page = await context.newPage()
  const streams: string[] = []
  page.on(
    'request',
    (request) => request.resourceType() === 'eventsource' && streams.push(new URL(request.url()).pathname),
  )
  await page.goto(`${base}/dashboard/tasks/${id}`)
  await page.waitForFunction("document.querySelector('.stream').textContent === 'Live'")
  assert.match((await page.textContent('#steps')) ?? '', 'No steps yet')
  taskService.log.append(id, said(1, 'I look for the teapot.'))
  taskService.log.append(id, {
    type: 'tool.called',
    at: THEN,
    step: 1,
    call_id: 'c',
    tool: 'find',
    input: { query: 'tea' },
  })
  const result = { type: 'tool.result', at: THEN, step: 1, call_id: 'c', tool: 'find', duration_ms: 5 } as const
  taskService.log.append(id, { ...result, output: 'e4 the teapot', has_screenshot: true })
  await page.waitForSelector('#steps details')
  const steps = (await page.textContent('#steps')) ?? ''
  assert.match(steps, 'I look for the teapot.')
  assert.match(steps, 'find {"query":"tea"}')
  assert.is(await page.locator('#shots img').count(), 1)
  taskService.end(id, ended)
  await page.waitForSelector('#now .badge.complete')
  assert.is(await page.textContent('.stream'), '')
  assert.equal([...new Set(streams)], [`/v1/tasks/${id}/events`])
  await page.close()
})

test.run()
