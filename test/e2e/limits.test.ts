import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { type Answer, deliverPayment, newWorkspace } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { openJobModel, taskOf } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const test = suite('limits of the running service')

const SECRET = 'a secret of the payment provider'
const FREE = 3
const model = await openJobModel()
const service = await openService({
  env: { ...model.env, PAYMENT_WEBHOOK_SECRET: SECRET, FREE_TASKS_PER_MONTH: String(FREE) },
})
const browsers: TestBrowser[] = []

/** A workspace with a connected browser and so many credits. */
async function workspace(credits: number) {
  const { id, api } = await newWorkspace(service.url)
  const session = await api.pair()
  browsers.push(await TestBrowser.open({ relayPort: session.relayPort, token: session.token }))
  if (credits > 0) await pay(`evt_first_${id}`, id, credits)
  return { id, api, session }
}
const pay = (id: string, workspaceId: string, credits: number) =>
  deliverPayment(service.url, SECRET, { id, workspaceId, credits })
const counted = (answers: readonly Answer[]) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
const at = <T>(times: number, once: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, index) => once(index)))

test('[T19 T9] of 50 simultaneous starts exactly 5 run', async () => {
  const { api, session } = await workspace(100)
  const job = taskOf({ name: 'held', steps: 0, end: 'hang' })
  const answers = await at(50, () => api.start(session.id, job))
  assert.equal(counted(answers), { 201: 5, 429: 45 })
  const { json } = await api.get('/v1/tasks?status=running')
  assert.is(json.tasks.length, 5)
  assert.is((await api.get('/v1/billing/credits')).json.credit_balance, 100)
})

test('[T8 T16] of 11 starts in a minute exactly 10 are taken', async () => {
  const { api, session } = await workspace(100)
  const statuses: number[] = []
  for (let count = 0; count < 11; count++) {
    const answer = await api.start(session.id, taskOf({ name: `quick ${count}`, steps: 0 }))
    statuses.push(answer.status)
    if (answer.status === 201) await finished(api, answer.json.id)
    else assert.is(answer.json.error, 'Rate limit exceeded. Max 10 tasks per minute.')
  }
  assert.equal(statuses, [...Array.from({ length: 10 }, () => 201), 429])
})

test('[T8] of 11 simultaneous starts that are refused for their session exactly 10 took a place in the window', async () => {
  const { api } = await workspace(100)
  const nowhere = '11111111-1111-4111-8111-111111111111'
  assert.equal(counted(await at(11, () => api.start(nowhere, 'A task'))), { 404: 10, 429: 1 })
})

test('[B8 B10] a payment event is credited once, however often and from wherever it is delivered at once', async () => {
  const { id, api } = await workspace(0)
  const answers = await at(20, () => pay('evt_replayed', id, 7))
  assert.equal(counted(answers), { 200: 20 })
  assert.is((await pay('evt_replayed', id, 7)).status, 200)
  assert.equal((await api.get('/v1/billing/credits')).json, {
    free_remaining: FREE,
    credit_balance: 7,
    free_tasks_per_month: FREE,
  })
})

test('[B3 B4 T18] five starts at once on the last two places: two run and are charged, the others are 402', async () => {
  const { api, session } = await workspace(1)
  // Two of the three free places are used; the third and the one credit are left.
  for (const name of ['one', 'two']) await finished(api, await started(api, session.id, { name, steps: 0 }))
  const slow = (index: number) => taskOf({ name: `last ${index}`, steps: 0, ms: 700 })
  const answers = await at(5, (index) => api.start(session.id, slow(index)))
  assert.equal(counted(answers), { 201: 2, 402: 3 })
  for (const { status, json } of answers) {
    if (status === 402) {
      assert.equal(
        [json.error, json.free_remaining, json.credit_balance],
        ['All remaining tasks are held by running tasks.', 1, 1],
      )
    } else assert.is((await finished(api, json.id)).status, 'complete')
  }
  const { json } = await api.get('/v1/billing/credits')
  assert.equal([json.free_remaining, json.credit_balance], [0, 0])
  const refused = await api.start(session.id, 'One more')
  assert.equal([refused.status, refused.json.error], [402, 'No tasks remaining'])
})

test('[B3 T25 T26] over many workspaces every completed task is charged once, no other', async () => {
  const all = await at(10, () => workspace(4))
  await Promise.all(
    all.map(async ({ api, session }) => {
      const jobs = [0, 1, 2, 3, 4].map((index) => ({
        name: `job ${index}`,
        steps: index % 3,
        end: index === 4 ? ('refuse' as const) : ('answer' as const),
      }))
      const ids = await Promise.all(jobs.map((job) => started(api, session.id, job)))
      for (const id of ids) await finished(api, id)
      const { json } = await api.get('/v1/billing/credits')
      assert.equal([json.free_remaining, json.credit_balance], [0, 3])
      assert.is((await api.get('/v1/usage')).json.taskCount, 5)
    }),
  )
})

test('[H7] health counts what still runs', async () => {
  await eventually(async () => (await service.api.get('/v1/health')).json.active_tasks === 5, 'the five that hang')
})

test.after(async () => {
  for (const browser of browsers) browser.disconnect()
  await service.kill()
  await model.endpoint.close()
})
test.run()
