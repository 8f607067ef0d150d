import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LEASE_MS } from '../../src/stores/mongodb/limits.ts'
import { eventually } from '../support/eventually.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { Api } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { answerOf, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const test = suite('a service that lost its store')

test('[D16 D17] a service that was stopped for longer than its lease does nothing more, and ends no task', async () => {
  const server = await startMongoServer()
  const model = await openJobModel()
  const env = { ...model.env, MONGODB_URL: server.url }
  const first = await openService({ env })
  const { api } = first
  const session = await api.pair()
  const browser = await TestBrowser.open({
    relayPort: session.relayPort,
    token: session.token,
    answer: () => ({ ms: 20 }),
  })
  const job = { name: 'handed', steps: 30, ms: 150 }
  const id = await started(api, session.id, job)
  await eventually(() => browser.calls.length > 2, 'the first calls')

  first.signal('SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS + 1_000))
  const second = await openService({ env })
  first.signal('SIGCONT')
  const exit = await first.ended()
  assert.is(exit.code, 1)
  assert.match(first.output, `MongoDB at 127.0.0.1:${server.port} is in use by process ${second.pid}`)

  browser.disconnect()
  await browser.connect(second.relayPort)
  const task = await finished(new Api(second.url, first.key), id)
  assert.equal([task.status, task.answer], ['complete', answerOf(job)])
  assert.equal(
    [...browser.executed.values()],
    Array.from({ length: job.steps }, () => 1),
  )
  browser.disconnect()
  await second.stop()
  await model.endpoint.close()
  await server.kill()
})

test.run()
