import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startMongoServer } from '../support/mongo/start.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { doJob, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const test = suite('an answer of the model that no document of the database could hold')

test('[L6 D14] it ends its own task, and the store goes on taking writes of others', async () => {
  const mongo = await startMongoServer()
  const { endpoint, env } = await openJobModel()
  const huge = { text: 'x'.repeat(20 * 1024 * 1024) }
  endpoint.plan((seen) => (JSON.stringify(seen.body).includes('huge') ? huge : doJob(seen)))
  const service = await openService({ env: { ...env, MONGODB_URL: `${mongo.url}/large` } })
  const session = await service.api.pair()
  const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token })
  const hurt = await finished(service.api, await started(service.api, session.id, { name: 'huge', steps: 0 }))
  assert.equal([hurt.status, hurt.failure], ['error', 'llm_error'])
  assert.match(String(hurt.answer), 'LLM call failed: ')
  const other = await finished(service.api, await started(service.api, session.id, { name: 'small', steps: 2 }))
  assert.is(other.status, 'complete')
  browser.disconnect()
  await service.kill()
  await endpoint.close()
  await mongo.kill()
})

test.run()
