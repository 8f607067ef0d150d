import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { aTask } from '../support/stores.ts'
import { OFFER, openScene } from './live-scene.ts'
import { ANN } from './world.ts'

const test = suite('before anything is set up, in Chromium')
const { taskService, context, open, close } = await openScene()
test.after(close)

const workspaceId = ANN.workspaces[0]?.id ?? ''
const TRY = 'Try it in the shop'

const keep = (metadata: Record<string, string>): void => {
  const record = aTask({ workspaceId, metadata, status: 'complete', answer: 'Done' })
  taskService.tasksById.set(record.id, { ...record, state: 'closed' })
}

test('[P44] a try is one press, an ordinary task, and offered again until there is a task of one’s own', async () => {
  const first = await open('/dashboard')
  await first.page.getByRole('button', { name: TRY }).click()
  await first.page.waitForURL(/\/dashboard\/tasks\//)
  const { request } = taskService.started.at(-1) ?? {}
  assert.equal(
    [request?.task, request?.url, request?.model, request?.browser?.pool, request?.metadata],
    [OFFER.task, OFFER.url, OFFER.model, 'default', { demo: 'shop' }],
  )
  assert.equal(first.errors, [])
  await first.page.close()
  taskService.tasksById.clear()
  for (const _ of [1, 2]) keep({ demo: 'shop' })
  const { page, errors } = await open('/dashboard')
  await page.locator('a.task >> nth=1').waitFor()
  await page.getByRole('button', { name: TRY }).waitFor()
  keep({})
  await page.reload()
  await page.locator('a.task >> nth=2').waitFor()
  await eventually(async () => (await page.getByRole('button', { name: TRY }).count()) === 0, 'no offer')
  assert.equal(errors, [])
  await page.close()
})

test('[P17] without a browser and a pool of the service nothing can be started', async () => {
  const { page } = await open('/dashboard')
  assert.is(await page.inputValue('[name=browser]'), '')
  assert.ok(await page.getByRole('button', { name: 'Start', exact: true }).isDisabled())
  await page.close()
})

test('[P44] a stranger looks at a recorded task, transition by transition, with its pictures', async () => {
  await context.clearCookies()
  const { page, errors } = await open('/inspector/example')
  await page.locator('#position').waitFor()
  await page.locator('#shot').waitFor()
  await page.locator('#app .drawing .state.on >> nth=0').waitFor()
  const last = Number(await page.getAttribute('#position', 'aria-valuemax'))
  assert.ok(last > 30, `${last} transitions`)
  await page.locator('#position').focus()
  await page.keyboard.press('End')
  await page.locator('section.answer').getByText('The order is placed.').waitFor()
  const isSeen = () =>
    page.locator('#shot').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0)
  await eventually(isSeen, 'the last picture')
  assert.equal(errors, [])
  await page.close()
})

test.run()
