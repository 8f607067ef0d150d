import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { FAULTS } from '../e2e/throws/faults.ts'
import { eventually } from '../support/eventually.ts'
import { newWorkspace } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { answerOf, type Job, openJobModel, taskOf } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const WORKSPACES = 12
/** What the rate limit takes in a minute. */
const STARTS_EACH = 10
const RUNNING_EACH = 2
const STEPS = 5
const TASK_MS_MAX = 40_000

const test = suite('throws at the ports of a service under load')
const model = await openJobModel()
const service = await openService({
  entry: new URL('../e2e/throws/entry.ts', import.meta.url).pathname,
  env: { ...model.env, PAYMENT_WEBHOOK_SECRET: 'a secret', LOG_LEVEL: 'error' },
})
const tenants = await Promise.all(
  Array.from({ length: WORKSPACES }, async () => {
    const { api } = await newWorkspace(service.url)
    const session = await api.pair()
    const browser = await TestBrowser.open({
      relayPort: session.relayPort,
      token: session.token,
      answer: () => ({ ms: 20 }),
    })
    return { api, session, browser, started: new Map<string, Job>(), refused: [] as number[] }
  }),
)

/** Keeps some tasks of a workspace running, until it has started all that it may. */
async function work(name: number, tenant: (typeof tenants)[number]): Promise<void> {
  const { api, session, started, refused } = tenant
  await Promise.all(
    Array.from({ length: RUNNING_EACH }, async (_, lane) => {
      for (let count = 0; count < STARTS_EACH / RUNNING_EACH; count++) {
        const job = { name: `job ${name} ${lane} ${count}`, steps: STEPS, ms: 60 }
        const { status, json } = await api.start(session.id, taskOf(job), { webhook_url: 'http://127.0.0.1:9/' })
        if (status === 201) {
          started.set(json.id, job)
          await finished(api, json.id, TASK_MS_MAX)
        } else refused.push(status)
      }
    }),
  )
}

test('[D14 B3 B13] each ends one task at most, all others complete, and the process is the same', async () => {
  const { pid } = service
  const working = Promise.all(tenants.map((tenant, index) => work(index, tenant)))
  for (const { name } of FAULTS) {
    service.signal('SIGUSR2')
    await eventually(() => service.output.includes(`Thrown: ${name}\n`), `a throw at ${name}`, TASK_MS_MAX)
  }
  await working

  const hurt = new Map<string, string[]>()
  for (const { api, browser, started, refused } of tenants) {
    const { json } = await api.get('/v1/tasks?limit=100')
    assert.equal(
      json.tasks.map(({ id }: { id: string }) => id).sort(),
      [...started.keys()].sort(),
      'a refused start leaves nothing behind',
    )
    assert.ok(refused.every((status) => status === 500))
    for (const [id, job] of started) {
      const task = await api.task(id)
      const right = task.status === 'complete' && task.answer === answerOf(job)
      const fault = FAULTS.findLast(({ name }) => String(task.answer).endsWith(`injected at ${name}`))?.name
      if (!right) hurt.set(fault ?? 'unknown', [...(hurt.get(fault ?? 'unknown') ?? []), `${id} ${task.answer}`])
    }
    assert.ok([...browser.executed.values()].every((times) => times === 1))
    assert.is((await api.get('/v1/usage')).json.taskCount, started.size)
  }
  for (const [fault, tasks] of hurt) assert.is(tasks.length, 1, `${fault}: ${tasks.join('\n')}`)
  assert.not.ok(hurt.has('unknown'), String(hurt.get('unknown')))
  assert.ok(tenants.reduce((sum, { refused }) => sum + refused.length, 0) + hurt.size <= FAULTS.length)
  assert.equal([service.pid, service.exit], [pid, null])
})

test.after(async () => {
  for (const { browser } of tenants) browser.disconnect()
  await service.kill()
  await model.endpoint.close()
})
test.run()
