import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { newWorkspace } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { answerOf, openJobModel, taskOf } from '../support/service/model.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

const WORKSPACES = 4
const TASKS_EACH = 4
const BACK_MS_MAX = 30_000
const ASK_EVERY_MS = 250

/** The database goes away under load for so long, and comes back on the same address with what it had. */
const OUTAGE_MS = 60_000

const test = suite('MongoDB stopped under load')
const data = join(tempFolder(), 'data')
let mongo = await startMongoServer({ data })
const model = await openJobModel()
const service = await openService({ env: { ...model.env, MONGODB_URL: `${mongo.url}/outage`, LOG_LEVEL: 'error' } })
const tenants = await Promise.all(
  Array.from({ length: WORKSPACES }, async () => {
    const { api } = await newWorkspace(service.url)
    const session = await api.pair()
    const browser = await TestBrowser.open({
      relayPort: session.relayPort,
      token: session.token,
      answer: () => ({ ms: 100 }),
    })
    return { api, session, browser, ids: [] as string[] }
  }),
)

test('[D13 D22 H2] health and starts are 503 meanwhile, nothing acknowledged is lost, and everything completes afterwards', async () => {
  const { pid } = service
  const job = (name: string) => ({ name, steps: 8, ms: 150 })
  for (const { api, session, ids } of tenants) {
    for (let count = 0; count < TASKS_EACH; count++) ids.push(await started(api, session.id, job(`before ${count}`)))
  }
  await eventually(() => tenants.every(({ browser }) => browser.calls.length > 0), 'work under way')
  await mongo.stop()
  const until = performance.now() + OUTAGE_MS
  const health = async () => (await service.api.get('/v1/health')).status
  await eventually(async () => (await health()) === 503, 'health 503', 10_000)

  const answers: string[] = []
  for (let turn = 0; performance.now() < until; turn++) {
    const tenant = tenants[turn % tenants.length]
    if (!tenant) continue
    const answer = await tenant.api.start(tenant.session.id, taskOf(job(`during ${turn}`)))
    answers.push(`${answer.status} ${answer.json.code} ${answer.headers['retry-after']}`)
    assert.is(await health(), 503)
    await setTimeout(ASK_EVERY_MS)
  }
  assert.equal([...new Set(answers)], ['503 store_away 1'])

  mongo = await startMongoServer({ data, port: mongo.port })
  await eventually(async () => (await health()) === 200, 'health 200', BACK_MS_MAX)
  for (const { api, session, ids, browser } of tenants) {
    for (const [count, id] of ids.entries()) {
      const task = await finished(api, id, BACK_MS_MAX)
      assert.equal([task.status, task.answer], ['complete', answerOf(job(`before ${count}`))])
    }
    const { json } = await api.get('/v1/tasks')
    assert.equal(
      json.tasks.map(({ id }: { id: string }) => id).sort(),
      [...ids].sort(),
      'what was refused does not exist',
    )
    assert.ok([...browser.executed.values()].every((times) => times === 1))
    assert.is(browser.calls.length, TASKS_EACH * 8)
    assert.is((await finished(api, await started(api, session.id, { name: 'after', steps: 1 }))).status, 'complete')
  }
  assert.equal([service.pid, service.exit], [pid, null])
})

test.after(async () => {
  for (const { browser } of tenants) browser.disconnect()
  await service.kill()
  await model.endpoint.close()
  await mongo.kill()
})
test.run()
