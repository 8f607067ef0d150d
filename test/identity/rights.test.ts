import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Model } from '../../actors/runtime/ports.ts'
import { readConfig } from '../../src/config/config.ts'
import { KEYS_PER_WORKSPACE_MAX } from '../../src/identity/keys.ts'
import { SESSIONS_PER_PUBLISHABLE_KEY_MAX } from '../../src/identity/pairings.ts'
import { hashToken } from '../../src/identity/tokens.ts'
import { startService } from '../../src/main.ts'
import { openLog } from '../../src/observe/log.ts'
import { answer } from '../support/answering.ts'
import { eventually } from '../support/eventually.ts'
import { Api } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { aSession, tempFolder } from '../support/stores.ts'

const model: Model = {
  id: 'played',
  provider: 'test',
  ask: async (request) => answer('Done.', request),
}
const config = readConfig({
  HOST: '127.0.0.1',
  PORT: '0',
  RELAY_PORT: '0',
  DATA_DIR: tempFolder(),
  LOG_LEVEL: 'silent',
  PAYMENT_WEBHOOK_SECRET: 'secret',
})
const service = await startService({ config, log: openLog({ level: 'silent' }), model })
const api = new Api(service.url, service.firstKey ?? '')
const test = suite('what keys and the browsers that they paired may do')

const newKey = async (type: 'secret' | 'publishable') => {
  const { json } = await api.post('/v1/api-keys', { name: type, type })
  return { id: json.id as string, workspaceId: json.workspace_id as string, api: new Api(service.url, json.key) }
}
const connect = async (by: Api) => {
  const { id, token, relayPort } = await by.pair()
  return { id, browser: await TestBrowser.open({ relayPort, token }) }
}
let asked = 0
const startIn = async ({ id, browser }: Awaited<ReturnType<typeof connect>>) => {
  const requestId = `start-${asked++}`
  browser.send({ type: 'create_task', requestId, task: 'Buy tea', browserSessionId: id })
  const answered = () => browser.frames.find((frame) => frame.requestId === requestId && frame.type !== 'task_update')
  await eventually(() => answered() !== undefined, 'an answer to the start')
  return String(answered()?.error ?? answered()?.type)
}
const askModel = async ({ browser }: Awaited<ReturnType<typeof connect>>, content = 'Hello') => {
  const requestId = `model-${asked++}`
  browser.send({ type: 'llm_request', requestId, messages: [{ role: 'user', content }] })
  const answered = () => browser.frames.find((frame) => frame.requestId === requestId)
  await eventually(() => answered() !== undefined, 'an answer of the model')
  return String(answered()?.error ?? 'answered')
}

test('[S18] a browser of a publishable key starts no task and asks no model, until that is allowed', async () => {
  const publishable = await newKey('publishable')
  const paired = await connect(publishable.api)
  assert.match(await startIn(paired), /may not start tasks/)
  assert.match(await askModel(paired), /may not use the language model/)
  assert.is((await api.post(`/v1/browser-sessions/${paired.id}`, { allow_tasks: true })).status, 200)
  assert.is(await startIn(paired), 'task_started')
  assert.is(await askModel(paired), 'answered')
  paired.browser.disconnect()
})

test('[S18] browsers of a publishable key have a window of their own: the workspace can still start tasks', async () => {
  const publishable = await newKey('publishable')
  const paired = await connect(publishable.api)
  await api.post(`/v1/browser-sessions/${paired.id}`, { allow_tasks: true })
  const answers: string[] = []
  for (let n = 0; n < 8; n++) answers.push(await startIn(paired))
  assert.ok(answers.filter((answer) => answer === 'task_started').length <= 5, answers.join())
  assert.match(answers.at(-1) ?? '', /^Rate limit exceeded\. Max 5 tasks per minute for browsers paired/)
  const own = await connect(api)
  assert.is((await api.start(own.id, 'Buy tea')).status, 201)
  for (const { browser } of [paired, own]) browser.disconnect()
})

test('[S19] a request to the language model has a rate', async () => {
  const paired = await connect((await newKey('secret')).api)
  const answers: string[] = []
  for (let n = 0; n < 61; n++) answers.push(await askModel(paired))
  assert.is(answers.at(-1), 'Too many language model requests in a minute (60).')
  paired.browser.disconnect()
})

test('[S16] a deleted key closes the sockets that it paired within a second, and its tokens are dead', async () => {
  const gone = await newKey('secret')
  const [paired, other] = [await connect(gone.api), await connect(api)]
  assert.is((await api.ask('DELETE', `/v1/api-keys/${gone.id}`)).status, 200)
  await eventually(() => paired.browser.closes.length > 0, 'the socket to be closed', 1_000)
  assert.is(paired.browser.closes[0]?.code, 4403)
  const { json } = await api.get('/v1/browser-sessions')
  const ids = json.sessions.map(({ id }: { id: string }) => id)
  assert.equal([ids.includes(paired.id), ids.includes(other.id)], [false, true])
  assert.equal(other.browser.closes, [])
  for (const { browser } of [paired, other]) browser.disconnect()
})

test('[S16] a key that another process deleted ends its sessions too', async () => {
  const gone = await newKey('secret')
  const paired = await connect(gone.api)
  // As the command line does it: only the key's record goes.
  await service.store.keys.remove(gone.workspaceId, gone.id)
  await eventually(() => paired.browser.closes.length > 0, 'the socket to be closed', 3_000)
  assert.is(paired.browser.closes[0]?.code, 4403)
  const { json } = await api.get('/v1/browser-sessions')
  assert.not.ok(json.sessions.some(({ id }: { id: string }) => id === paired.id))
  paired.browser.disconnect()
})

test('[S17] [K7] browsers and keys are limited for a key and a workspace', async () => {
  const publishable = await newKey('publishable')
  const { workspaceId } = publishable
  for (let n = 0; n < SESSIONS_PER_PUBLISHABLE_KEY_MAX; n++) {
    await service.store.sessions.insert(
      aSession({ workspaceId, keyId: publishable.id, tokenHash: hashToken(`${n}`), expiresAt: Date.now() + 60_000 }),
    )
  }
  const refused = await publishable.api.post('/v1/browser-sessions/pair')
  assert.equal([refused.status, refused.json.code], [409, 'too_many_browsers'])
  assert.is((await api.post('/v1/browser-sessions/pair')).status, 201)
  for (;;) {
    const { status, json } = await api.post('/v1/api-keys', { name: 'one more' })
    if (status === 201) continue
    assert.equal([status, json.code], [409, 'too_many_keys'])
    break
  }
  assert.is((await service.store.keys.list(workspaceId)).length, KEYS_PER_WORKSPACE_MAX)
})

test.after(async () => {
  await service.stop()
})
test.run()
