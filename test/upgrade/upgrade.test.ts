import { randomUUID } from 'node:crypto'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HOUR_MS, SECOND_MS } from '../../machines/limits.ts'
import { DATA_VERSIONS } from '../../src/stores/data-versions.ts'
import { openStore } from '../../src/stores/open.ts'
import { run } from '../cli/command.ts'
import { memoryLog } from '../support/http-wire.ts'
import { loadDocuments } from '../support/mongo/load.ts'
import { databaseAt, type MongoServer, startMongoServer } from '../support/mongo/start.ts'
import { Api } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { answerOf, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'
import { answersOf, type Golden, RUNNING, type StoreName } from './golden.ts'

/**
 * Stores as the versions that were shipped left them: the second (cdfb5c9) and the third (b6bf32c9) when they were killed in
 * the middle of their work (`make.ts` made them), the first (d80f725) when it was stopped after a task. Today's service starts on each, at the time
 * at which an operator would have started it: a few seconds later, or an hour later.
 */
const VERSIONS = ['cdfb5c9', 'b6bf32c9'] as const
type Version = (typeof VERSIONS)[number]
const folderOf = (version: Version) => join('test/upgrade', version)
const goldenOf = (version: Version) =>
  JSON.parse(readFileSync(join(folderOf(version), 'golden.json'), 'utf8')) as Readonly<Record<StoreName, Golden>>
const INTERRUPTED = 'Task was interrupted by a server restart.'

const test = suite('upgrade')
const { endpoint, env } = await openJobModel()
const servers: MongoServer[] = []
const databases: string[] = []

/** For Node: its clock is ahead by so much, or behind. */
function clockAhead(ms: number): string {
  const code = `const now = Date.now; Date.now = () => now() + ${ms}
globalThis.Date = new Proxy(Date, { construct: (D, given) => given.length === 0 ? new D(Date.now()) : new D(...given) })`
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}

/** A database with the documents of a file: on the server of TEST_MONGODB_URL, else on one of our own. */
async function databaseOf(file: string): Promise<string> {
  const real = process.env.TEST_MONGODB_URL
  if (!real) {
    const mongo = await startMongoServer({ data: file })
    servers.push(mongo)
    return `${mongo.url}/golden`
  }
  const url = databaseAt(real, `golden_${randomUUID().slice(0, 8)}`)
  const client = new MongoClient(url)
  await loadDocuments(client.db(), file)
  await client.close()
  databases.push(url)
  return url
}

/** Today's service on a copy of the store, so long after the earlier version was killed. */
async function upgraded(version: Version, store: StoreName, afterMs: number) {
  const DATA_DIR = tempFolder()
  cpSync(join(folderOf(version), store), DATA_DIR, { recursive: true })
  const mongodbUrl = store === 'mongodb' ? await databaseOf(join(DATA_DIR, 'documents.bson')) : null
  const { at, key } = goldenOf(version)[store]
  const service = await openService({
    env: {
      ...env,
      DATA_DIR,
      ...(mongodbUrl ? { MONGODB_URL: mongodbUrl } : {}),
      NODE_OPTIONS: clockAhead(at + afterMs - Date.now()),
    },
  })
  return { service, api: new Api(service.url, key), dataDir: DATA_DIR }
}

/** Earlier versions showed people the marks that are for the model. */
const withoutMarks = (text: unknown) => String(text).replaceAll(/\s*<\/?page_content>\s*/g, '')

/** What there was is still there; today's answers may say more. */
function keeps(now: unknown, before: unknown, path: string): void {
  if (typeof before === 'string') assert.is(withoutMarks(now), withoutMarks(before), path)
  else if (before === null || typeof before !== 'object') assert.is(now, before, path)
  else
    for (const [name, value] of Object.entries(before))
      keeps((now as Record<string, unknown>)?.[name], value, `${path} ${name}`)
}

for (const [version, store] of VERSIONS.flatMap((version) =>
  (['lmdb', 'mongodb'] as const).map((store) => [version, store] as const),
)) {
  const { user, pairingToken, running, answers } = goldenOf(version)[store]

  test(`[O10] ${store}: from ${version} to today, tasks, keys, users and pairings are there, and what ran goes on`, async () => {
    const { service, api } = await upgraded(version, store, 20 * SECOND_MS)
    const now = await answersOf(api, Object.keys(answers))
    for (const [path, before] of Object.entries(answers)) keeps(now[path], before, path)
    const keys: { name: string }[] = (await api.get('/v1/api-keys')).json.api_keys
    assert.ok(keys.some(({ name }) => name === 'second'))
    const signedIn = await api.post('/api/auth/sign-in/email', user, { origin: service.url })
    assert.is(signedIn.status, 200)
    const registered = await new Api(service.url, '').post('/v1/browser-sessions/register', {
      pairing_token: pairingToken,
    })
    assert.is(registered.status, 201)

    const { relayPort } = service
    const browsers = await Promise.all(
      RUNNING.map((name) => TestBrowser.open({ relayPort, token: running[name].sessionToken })),
    )
    await api.post(`/v1/tasks/${running.paused.taskId}/resume`)
    const asking = await api.get(`/v1/tasks/${running.asking.taskId}`)
    const { id: requestId } = asking.json.input_request
    await api.post(`/v1/tasks/${running.asking.taskId}/inputs/${requestId}`, { action: 'accept', content: 'Green.' })
    for (const name of RUNNING) {
      const { status, answer } = await finished(api, running[name].taskId)
      assert.equal([name, status, answer], [name, 'complete', answerOf({ name, steps: 2 })])
    }
    for (const browser of browsers) browser.disconnect()
    await service.kill()
  })
}

for (const version of VERSIONS)
  test(`[O10] an upgrade from ${version} that took an hour ends what ran and says why; the older version then refuses the data in one line`, async () => {
    const { service, api, dataDir } = await upgraded(version, 'lmdb', HOUR_MS)
    const { running } = goldenOf(version).lmdb
    for (const name of RUNNING) {
      const { status, answer, ended_by } = await finished(api, running[name].taskId)
      assert.equal([name, status, answer, ended_by], [name, 'error', INTERRUPTED, 'restart'])
    }
    await service.stop()
    // As a version after today's would leave it.
    const store = await openStore({ mongodbUrl: null, dataDir, log: memoryLog() })
    await store.dataVersions.write(JSON.stringify({ ...DATA_VERSIONS, task: DATA_VERSIONS.task + 1 }))
    await store.close()
    const before = service.output.length
    service.spawn()
    assert.is((await service.ended()).code, 1)
    assert.match(
      service.output.slice(before),
      /^Data folder .* was written by a newer version of the service \(task .*\n$/,
    )
  })

const FIRST = 'test/upgrade/d80f725'
const first = JSON.parse(readFileSync(join(FIRST, 'golden.json'), 'utf8')) as Pick<Golden, 'key' | 'user' | 'answers'>

test('[O10] from d80f725, stopped, to today: its task with all its steps, its key and its user are there', async () => {
  const DATA_DIR = tempFolder()
  cpSync(join(FIRST, 'stopped'), DATA_DIR, { recursive: true })
  const service = await openService({ env: { ...env, DATA_DIR } })
  const api = new Api(service.url, first.key)
  const now = await answersOf(api, Object.keys(first.answers))
  for (const [path, before] of Object.entries(first.answers)) keeps(now[path], before, path)
  const signedIn = await api.post('/api/auth/sign-in/email', first.user, { origin: service.url })
  assert.is(signedIn.status, 200)
  await service.kill()
})

test('[O10] from d80f725, killed: the start ends with one line that says how to go on, and changes nothing', async () => {
  const DATA_DIR = tempFolder()
  cpSync(join(FIRST, 'stopped'), DATA_DIR, { recursive: true })
  cpSync(join(FIRST, 'killed'), DATA_DIR, { recursive: true })
  const names = readdirSync(DATA_DIR).filter((name) => name !== 'owner.lock')
  const { code, err } = await run(['serve'], { DATA_DIR, PORT: '0', RELAY_PORT: '0', HOST: '127.0.0.1' })
  assert.is(code, 1, err)
  assert.match(err, /^Data folder .* was left by the first version \(d80f725\) without a stop: .* SIGTERM$/m)
  assert.equal(
    readdirSync(DATA_DIR).filter((name) => name !== 'owner.lock'),
    names,
  )
})

test.after(async () => {
  await Promise.all([endpoint.close(), ...servers.map((mongo) => mongo.kill())])
  for (const url of databases) {
    const client = new MongoClient(url)
    await client.db().dropDatabase()
    await client.close()
  }
})

test.run()
