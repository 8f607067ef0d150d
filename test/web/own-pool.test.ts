import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openScene } from './live-scene.ts'
import { ANN } from './world.ts'

const test = suite('a service that starts browsers by itself, in Chromium')
const { taskService, open, aRunningTask, close } = await openScene(ANN, 'default')
test.after(close)

test('[P17] a fresh account starts a task in the pool of the service, on a screen and on a phone', async () => {
  const { page, errors } = await open('/dashboard')
  const start = page.getByRole('button', { name: 'Start', exact: true })
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.fill('textarea[name=task]', `Look at the weather on ${width} pixels`)
    assert.is(await page.inputValue('[name=browser]'), 'pool default')
    assert.ok(await start.isEnabled())
    const wide = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(wide) <= width, `${wide} pixels wide`)
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${width}.png`, fullPage: true })
  }
  await start.click()
  await page.waitForURL(/\/dashboard\/tasks\//)
  const { request } = taskService.started.at(-1) ?? {}
  assert.equal([request?.browser?.pool, request?.task], ['default', 'Look at the weather on 390 pixels'])
  assert.equal(errors, [])
  await page.close()
})

test('[P17] an ended task is continued there, too', async () => {
  const id = aRunningTask()
  const kept = taskService.tasksById.get(id)
  taskService.tasksById.set(id, {
    ...kept,
    status: 'complete',
    state: 'closed',
    answer: 'Done.',
    completedAt: 1,
  } as never)
  const { page } = await open(`/dashboard/tasks/${id}`)
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor()
  assert.is(await page.inputValue('[name=browser]'), 'pool default')
  await page.close()
})

test.run()
