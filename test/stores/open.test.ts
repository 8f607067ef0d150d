import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Log } from '../../actors/runtime/ports.ts'
import { STORE_OPEN_MS_MAX, STORE_RETRY_EVERY_MS } from '../../src/stores/limits.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { MongoUrlInvalid } from '../../src/stores/mongodb/client.ts'
import { type OpenedStore, openStore } from '../../src/stores/open.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('opening the store')
const mongodbUrl = 'mongodb://user:secret@db.example:27017,db2.example/tasks?x=1'

/** A world in which opening takes `tries` attempts, each `ms` long; its log and its delays are kept. */
function world(tries: number, ms: number, store: OpenedStore, failure = new Error('no answer')) {
  const lines: object[] = []
  let now = 1_000
  let attempts = 0
  const keep = (level: string) => (fields: object, message: string) => void lines.push({ level, ...fields, message })
  const log: Log = { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') }
  return {
    lines,
    log,
    attempts: () => attempts,
    elapsed: () => now - 1_000,
    world: {
      now: () => now,
      delay: async (wait: number) => {
        now += wait
      },
      async openMongo() {
        attempts++
        now += ms
        if (attempts < tries) throw failure
        return store
      },
    },
  }
}

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => new Error('no error'),
    (error: Error) => error,
  )

test('[H4] opens the embedded store unless MongoDB is named', async () => {
  const { log } = world(1, 0, {} as OpenedStore)
  const embedded = await openStore({ mongodbUrl: null, dataDir: tempFolder(), log })
  assert.is(embedded.kind, 'file')
  await embedded.close()
  const server = await startMongoServer()
  const remote = await openStore({ mongodbUrl: server.url, dataDir: '/nowhere', log })
  assert.is(remote.kind, 'mongodb')
  await remote.close()
  await server.stop()
})

test('[Q2] a folder without a store is refused by who asks for one that is there, and nothing is made', async () => {
  const { log } = world(1, 0, {} as OpenedStore)
  const dataDir = join(tempFolder(), 'elsewhere')
  const error = await errorOf(openStore({ mongodbUrl: null, dataDir, log, mustExist: true }))
  assert.is(
    error.message,
    `There is no store in ${dataDir}: start the service there first, or set DATA_DIR to its folder`,
  )
  assert.not(existsSync(dataDir))
  await (await openStore({ mongodbUrl: null, dataDir, log })).close()
  await (await openStore({ mongodbUrl: null, dataDir, log, mustExist: true })).close()
})

test('[N10] MongoDB that comes up late is opened, with one line for each attempt before', async () => {
  const store = await openLmdbStore({ dataDir: tempFolder() })
  const late = world(4, 3_000, store)
  assert.is(await openStore({ mongodbUrl, dataDir: '', log: late.log, world: late.world }), store)
  const line = (attempt: number) => ({
    level: 'warn',
    attempt,
    hosts: 'db.example:27017,db2.example',
    reason: 'no answer',
    message: 'MongoDB could not be opened.',
  })
  assert.equal(late.lines, [line(1), line(2), line(3)])
  assert.is(late.elapsed(), 4 * 3_000 + 3 * STORE_RETRY_EVERY_MS)
  await store.close()
})

test('[N10] MongoDB that stays away for 30 s ends the start with one sentence, without the password', async () => {
  const never = world(Number.POSITIVE_INFINITY, 3_000, {} as OpenedStore)
  const error = await errorOf(openStore({ mongodbUrl, dataDir: '', log: never.log, world: never.world }))
  assert.is(error.message, 'MongoDB at db.example:27017,db2.example could not be opened within 30 s: no answer')
  assert.is(never.lines.length, never.attempts())
  assert.is(never.attempts(), 6)
  assert.ok(never.elapsed() <= STORE_OPEN_MS_MAX)
})

test('[N10] a URL that is not valid is not tried twice', async () => {
  const wrong = world(9, 0, {} as OpenedStore, new MongoUrlInvalid('MONGODB_URL is not valid: x'))
  const error = await errorOf(openStore({ mongodbUrl, dataDir: '', log: wrong.log, world: wrong.world }))
  assert.is(error.message, 'MONGODB_URL is not valid: x')
  assert.is(wrong.attempts(), 1)
})

test.run()
