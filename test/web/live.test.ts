import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ended } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { openScene, said } from './live-scene.ts'
import { ANN } from './world.ts'

const test = suite('a page that follows events, in Chromium')
const { taskService, readTokens, base, context, aRunningTask, close } = await openScene()
test.after(close)

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
  const { token } = await readTokens.create(id, { workspaceId: ANN.workspaces[0]?.id ?? '', keyId: null })
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

test.run()
