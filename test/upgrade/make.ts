import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { TestBrowser, type TestBrowserOptions } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'
import { answersOf, type Golden, modelOf, pathsOf, type RunningJob, type StoreName } from './golden.ts'

/*
 * Makes the data that test/upgrade/upgrade.test.ts begins with: run it in a checkout of the version that is to be upgraded.
 *
 *   node --conditions=development --import tsx test/upgrade/make.ts test/upgrade/<version>
 */
const folder = process.argv[2] ?? ''

/** What a request may have beside the rest: each is kept in a way of its own. */
const RICH = {
  secrets: [{ name: 'password', value: 'correct horse battery', domains: ['shop.example'] }],
  context: 'It is about the {{article}}.',
  inputs: { article: 'Kyoto teapot' },
  metadata: { order: 'a17' },
  files: [{ name: 'note.txt', media_type: 'text/plain', data: Buffer.from('Two, please.').toString('base64') }],
  allowed_domains: ['shop.example'],
  max_tokens: 100_000,
  recipe: 'new',
}

async function make(store: StoreName): Promise<Golden> {
  const { endpoint, env } = await openJobModel()
  endpoint.plan(modelOf)
  const kept = join(folder, store)
  mkdirSync(kept, { recursive: true })
  const mongo = store === 'mongodb' ? await startMongoServer({ data: join(kept, 'documents.bson') }) : null
  const service = await openService({ env: { ...env, ...(mongo ? { MONGODB_URL: `${mongo.url}/golden` } : {}) } })
  const { api, key } = service
  const browsers: TestBrowser[] = []

  async function browser(options: Partial<TestBrowserOptions> = {}) {
    const { id, token, relayPort } = await api.pair()
    browsers.push(await TestBrowser.open({ relayPort, token, ...options }))
    return { id, token, at: browsers.at(-1) as TestBrowser }
  }
  async function running(name: RunningJob, job: object, options: Partial<TestBrowserOptions>, more: object = {}) {
    const { id, token, at } = await browser(options)
    return { taskId: await started(api, id, { name, steps: 2, ...job }, more), sessionToken: token, at }
  }
  const state = (id: string, name: string) =>
    eventually(async () => (await api.task(id)).state === name, `${name} of task ${id}`, 12_000)

  const user = { email: 'ada@example.com', password: 'a long enough password' }
  const signUp = { ...user, name: 'Ada' }
  await api.post('/api/auth/sign-up/email', signUp, { origin: service.url })
  await api.post('/v1/api-keys', { name: 'second' })
  await api.post('/v1/webhook_endpoints', { url: 'https://hooks.example.com/', types: ['budget.warned'] })
  const first = await browser()
  const done = await started(api, first.id, { name: 'done', steps: 2, pictures: true })
  const refused = await started(api, first.id, { name: 'refused', steps: 1, end: 'refuse' })
  for (const id of [done, refused]) await finished(api, id)
  await api.post('/v1/profiles', { name: 'shop' })
  const rich = await started(api, first.id, { name: 'rich', steps: 1 }, RICH)
  await finished(api, rich)
  await api.post(`/v1/tasks/${rich}/share`, { expires_in_s: 30 * 24 * 3600 })
  await api.post(`/v1/tasks/${rich}/tokens`, {})

  const acting = await running('acting', {}, { answer: () => 'never' })
  const thinking = await running('thinking', {}, {})
  const asking = await running('asking', { asks: 'Which tea?' }, {}, { ask_user: true })
  const paused = await running('paused', { ms: 300 }, {})
  await api.post(`/v1/tasks/${paused.taskId}/pause`)
  const away = await running('away', { ms: 300 }, {})
  const queued = await running('queued', {}, {}, { on_limit: 'queue' })
  await eventually(() => away.at.calls.length > 0, 'its first call', 12_000)
  away.at.disconnect()
  await state(away.taskId, 'waitingForBrowser')
  await eventually(() => acting.at.calls.length > 0, 'a call under way', 12_000)
  await state(paused.taskId, 'paused')
  const { json: pairing } = await api.post('/v1/browser-sessions/pair')
  const answers = await answersOf(api, pathsOf([done, refused, rich]))
  for (const [name, { taskId }] of Object.entries({ acting, thinking, asking, paused, away, queued }))
    console.log(store, name, (await api.task(taskId)).state)

  await service.kill()
  const at = Date.now()
  for (const each of browsers) each.disconnect()
  await endpoint.close()
  if (mongo) await mongo.stop()
  else for (const name of ['store.mdb', 'screenshots.mdb']) cpSync(join(service.dataDir, name), join(kept, name))
  const of = ({ taskId, sessionToken }: typeof acting) => ({ taskId, sessionToken })
  const all = { acting: of(acting), thinking: of(thinking), away: of(away) }
  const rest = { asking: of(asking), paused: of(paused), queued: of(queued) }
  return { at, key, user, pairingToken: pairing.pairing_token, running: { ...all, ...rest }, answers }
}

const golden = { lmdb: await make('lmdb'), mongodb: await make('mongodb') }
writeFileSync(join(folder, 'golden.json'), `${JSON.stringify(golden, null, 1)}\n`)
process.exit()
