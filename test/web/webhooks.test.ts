import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DeliveryRecord } from '../../machines/webhook-records.ts'
import { eventually } from '../support/eventually.ts'
import { THEN } from '../support/stores.ts'
import { aDelivery, anEndpoint } from '../support/webhook-memory.ts'
import { openScene } from './live-scene.ts'
import { ANN, HOSTILE, isPage } from './world.ts'

const test = suite('the webhook pages, in Chromium')
const { taskService, store, base, aRunningTask, open, close } = await openScene()
test.after(close)

const workspaceId = ANN.workspaces[0]?.id ?? ''
const redelivered: string[] = []
taskService.redeliver = async ({ id }: DeliveryRecord) => redelivered.push(id) > 0
taskService.testEndpoint = async ({ id }) => {
  const delivery = aDelivery({ endpointId: id, workspaceId, type: 'webhook.test' })
  await store.deliveries.add(delivery)
  return delivery
}

async function add(fields: Parameters<typeof anEndpoint>[0] = {}) {
  const endpoint = anEndpoint({ workspaceId, ...fields })
  await store.endpoints.insert(endpoint)
  return endpoint
}
const row = (page: Page, url: string) => page.getByRole('row').filter({ hasText: url })
/** Opens what else the row of an endpoint has, and chooses from it. */
async function choose(page: Page, url: string, words: string): Promise<void> {
  await page.getByRole('button', { name: `More for ${url}` }).click()
  await page.getByRole('button', { name: words, exact: true }).click()
}
const alert = (page: Page) => page.getByRole('alert').filter({ hasText: 'were disabled' })

test('[W10 W13] an endpoint is made on the dashboard; its secret is shown once', async () => {
  const { page, errors } = await open('/dashboard/webhooks')
  await page.getByText('No webhook endpoints yet').waitFor()
  await page.click('text=New endpoint')
  await page.fill('[name=url]', 'https://hooks.example/tasks')
  await page.getByRole('checkbox', { name: 'task.ended' }).check()
  await page.fill('[name=description]', HOSTILE)
  await page.click('text=Create endpoint')
  const secret = page.locator('.made pre')
  await secret.waitFor()
  const first = await secret.textContent()
  assert.match(first ?? '', /^whsec_/)
  await row(page, 'https://hooks.example/tasks').getByText(HOSTILE).waitFor()
  await row(page, 'https://hooks.example/tasks').getByText('task.ended', { exact: true }).waitFor()
  await choose(page, 'https://hooks.example/tasks', 'New secret')
  await page.locator('dialog[open]').getByRole('button', { name: 'New secret' }).click()
  await eventually(async () => (await secret.textContent()) !== first, 'another secret')
  await page.reload()
  await row(page, 'https://hooks.example/tasks').waitFor()
  assert.is(await secret.count(), 0)
  await page.click('text=New endpoint')
  await page.fill('[name=url]', 'ftp://hooks.example')
  await page.click('text=Create endpoint')
  await page.getByRole('alert').getByText('url must be an http or https URL').waitFor()
  assert.is(await page.inputValue('[name=url]'), 'ftp://hooks.example')
  // The refusal is said in the browser's console, too.
  assert.is(errors.length, 1)
  await page.close()
})

test('[W15 W17] an endpoint’s page shows every delivery with every attempt, sends tests, and sends again', async () => {
  const endpoint = await add({ url: 'https://shown.example/' })
  const attempts = [
    { at: THEN, durationMs: 21, status: null, reason: 'ECONNREFUSED', answer: '' },
    { at: THEN + 5_000, durationMs: 7, status: 503, reason: null, answer: HOSTILE },
  ]
  const fields = { endpointId: endpoint.id, workspaceId, attempts, taskId: randomUUID() }
  const pending = aDelivery({ ...fields, nextAttemptAt: THEN + 60_000 })
  const failed = aDelivery({ endpointId: endpoint.id, workspaceId, status: 'failed' })
  const later = aDelivery({ ...fields, nextAttemptAt: Date.now() + 3_600_000 })
  for (const each of [pending, failed, later]) await store.deliveries.add(each)
  const { page, errors } = await open(`/dashboard/webhooks/${endpoint.id}`)
  const shown = row(page, pending.messageId.slice(0, 12))
  for (const text of ['ECONNREFUSED', '503', '7 ms', 'Retrying now', 'Pending'])
    await shown.getByText(text).first().waitFor()
  await row(page, later.messageId.slice(0, 12)).getByText('Next attempt in').waitFor()
  await shown.locator('summary').click()
  await shown.getByText(HOSTILE).waitFor()
  await page.getByRole('button', { name: `Redeliver ${failed.messageId}` }).click()
  await eventually(() => redelivered.length === 1, 'the delivery to be sent again')
  await page.getByRole('button', { name: 'More for https://shown.example/' }).click()
  await page.getByRole('button', { name: 'Resend all failed' }).click()
  await eventually(() => redelivered.length === 2, 'all that failed to be sent again')
  assert.equal(redelivered, [failed.id, failed.id])
  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByText('webhook.test').waitFor()
  // It was open all the while.
  assert.is(await shown.locator('details').getAttribute('open'), '')
  assert.equal(errors, [])
  for (const path of [`/webhooks/${randomUUID()}`, '/webhooks/none']) {
    const answer = await page.request.get(`${base}/dashboard${path}`)
    isPage({ status: answer.status(), headers: answer.headers(), text: await answer.text() }, 404)
  }
  await page.close()
})

test('[W15] the page of a task shows the deliveries about it, and leads to those of an endpoint alone', async () => {
  const endpoint = await add({ url: 'https://filtered.example/' })
  const taskId = aRunningTask()
  const fields = { endpointId: endpoint.id, workspaceId }
  const own = aDelivery({ ...fields, taskId, status: 'failed' })
  const other = aDelivery({ ...fields, taskId: randomUUID(), status: 'delivered' })
  for (const each of [own, other]) await store.deliveries.add(each)
  const { page, errors } = await open(`/dashboard/tasks/${taskId}`)
  await page.click('summary >> text=Webhook deliveries')
  const shown = page.locator('.details .plain-list li')
  await shown.getByText('failed, 0 attempts').waitFor()
  assert.is(await shown.count(), 1)
  await shown.getByRole('link').click()
  await row(page, own.messageId.slice(0, 12)).waitFor()
  assert.is(await row(page, other.messageId.slice(0, 12)).count(), 0)
  await page.getByRole('button', { name: 'Filters (1)' }).click()
  await page.selectOption('#delivery-status', 'delivered')
  await page.getByText('No delivery matches these filters').waitFor()
  await page.fill('#delivery-task', '')
  await page.keyboard.press('Enter')
  await row(page, other.messageId.slice(0, 12)).waitFor()
  assert.match(page.url(), /\?workspace=[^&]+&status=delivered$/)
  assert.equal(errors, [])
  await page.close()
})

test('[W14] [P12] what was disabled by itself is said on the overview, and enabled with one click; deleting asks first', async () => {
  const { page } = await open('/dashboard')
  assert.is(await alert(page).count(), 0)
  const url = 'https://failing.example/'
  await add({ url, disabled: true, disabledReason: 'failing', disabledAt: THEN, failingSince: THEN - 1 })
  for (const path of ['', '/webhooks']) {
    await page.goto(`${base}/dashboard${path}`)
    await alert(page).getByText('failed for 5 days').waitFor()
  }
  await choose(page, url, 'Enable')
  await row(page, url).getByText('Enabled').waitFor()
  await page.reload()
  await row(page, url).getByText('Enabled').waitFor()
  assert.is(await alert(page).count(), 0)
  await choose(page, url, 'Disable')
  await row(page, url).getByText('Disabled').waitFor()
  await choose(page, url, 'Delete')
  await page.locator('dialog[open] button >> text=Cancel').click()
  assert.is(await row(page, url).count(), 1)
  await choose(page, url, 'Delete')
  await page.locator('dialog[open] button >> text=Delete').click()
  await eventually(async () => (await row(page, url).count()) === 0, 'the endpoint to be gone')
  await page.close()
})

test.run()
