import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { openLive } from '../support/live.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { Api } from '../support/service/api.ts'

const test = suite('a database that is restarted under load')
const live = await openLive({ transport: 'uws', store: 'mongodb' })
const { service, mongo } = live

test('[D13 H2 H6 E6] every request is answered, health says that it is gone, and all works again', async () => {
  if (!mongo) throw new Error('the service has no database server')
  const tenant = await live.workspace()
  const { id: session } = await tenant.browser()
  const health = async () => (await new Api(service.url, '').get('/v1/health')).json
  const statuses = new Map<number, number>()
  let loaded = true
  const load = async () => {
    while (loaded) {
      const answers = await Promise.all([
        tenant.api.get('/v1/tasks'),
        tenant.api.post('/v1/browser-sessions/pair'),
        tenant.api.start(session, 'at once'),
        new Api(service.url, `svc_live_${'0'.repeat(48)}`).get('/v1/tasks'),
      ])
      for (const { status, json } of answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status >= 400) assert.type(json.error, 'string')
      }
    }
  }
  const loads = [load(), load()]
  await eventually(() => (statuses.get(200) ?? 0) > 2, 'the load is on', 20_000)
  const { port } = mongo
  await mongo.stop()
  await eventually(async () => (await health()).database_connected === false, 'health is degraded', 20_000)
  assert.is((await new Api(service.url, '').get('/v1/health')).status, 503)
  await eventually(() => (statuses.get(503) ?? 0) > 0, 'requests are refused', 20_000)
  const again = await startMongoServer({ port, data: live.mongoData })
  await eventually(async () => (await health()).status === 'ok', 'health is green', 20_000)
  loaded = false
  await Promise.all(loads)
  const allowed = [200, 201, 401, 404, 429, 503]
  assert.equal(
    [...statuses.keys()].filter((status) => !allowed.includes(status)),
    [],
  )

  // Who comes anew finds everything at work.
  const fresh = await live.workspace()
  const { id } = await fresh.browser()
  const { status, json } = await fresh.api.start(id, 'at once')
  assert.is(status, 201)
  await eventually(async () => (await fresh.api.task(json.id)).status === 'complete', 'a task completes')
  await again.kill()
})

test.after(() => live.close())
test.run()
