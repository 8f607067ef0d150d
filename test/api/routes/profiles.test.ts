import { randomBytes, randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createSecretBox } from '../../../src/identity/secret-box.ts'
import { type Ask, aKey } from '../../support/http-surface.ts'
import { filesScene } from './files-scene.ts'

const box = createSecretBox(randomBytes(32))
const scene = await filesScene({ secretBox: box })
const { ask, key, foreignKey, publishable, taskService, store, workspaceId, aBrowser } = scene
const test = suite('profiles over the API')

const VALUES = { cookies: [{ name: 'session', value: 'MARKED' }], origins: [] }
let names = 0
async function aProfile() {
  const { status, json } = await ask('POST', '/v1/profiles', { key, body: { name: `p${names++}` } })
  assert.is(status, 201, JSON.stringify(json))
  return json
}
const start = (browser: object, options: Ask = {}) =>
  ask('POST', '/v1/tasks', { key, body: { task: 'Read it', browser }, ...options })
/** A running task that uses a profile in this browser. */
async function aTask(browserId: string, browser: object): Promise<string> {
  const { status, json } = await start(browser)
  assert.is(status, 201, JSON.stringify(json))
  const task = taskService.tasksById.get(json.id)
  if (task) taskService.tasksById.set(json.id, { ...task, browserSessionId: browserId })
  return json.id
}
const asBrowser = (method: string, taskId: string, token: string, body?: unknown) =>
  ask(method, `/v1/browser-profiles/${taskId}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

test('[Z10] a workspace has at most 100, also of those that are asked for at once', async () => {
  const ask100 = (n: number) => ask('POST', '/v1/profiles', { key: foreignKey, body: { name: `at-once-${n}` } })
  const answers = await Promise.all(Array.from({ length: 105 }, (_, n) => ask100(n)))
  const made = answers.filter(({ status }) => status === 201)
  assert.is(made.length, 100)
  assert.is(answers.find(({ status }) => status !== 201)?.json.code, 'too_many_profiles')
  for (const { json } of made) await ask('DELETE', `/v1/profiles/${json.id}`, { key: foreignKey })
})

test('[Z10] profiles are created, listed, read by id or name, and deleted; what they hold is never shown', async () => {
  const profile = await aProfile()
  assert.equal(Object.keys(profile).sort(), ['created_at', 'id', 'name', 'saved_at'])
  await store.profiles.save(profile.id, 'sealed', 5)
  for (const of of [profile.id, profile.name]) {
    const { status, json } = await ask('GET', `/v1/profiles/${of}`, { key })
    assert.equal([status, json], [200, { ...profile, saved_at: 5 }])
    assert.is((await ask('GET', `/v1/profiles/${of}`, { key: foreignKey })).json.code, 'profile_not_found')
    assert.is((await ask('DELETE', `/v1/profiles/${of}`, { key: foreignKey })).json.code, 'profile_not_found')
  }
  assert.is((await ask('POST', '/v1/profiles', { key, body: { name: profile.name } })).json.code, 'profile_exists')
  assert.is((await ask('POST', '/v1/profiles', { key: foreignKey, body: { name: profile.name } })).status, 201)
  assert.is((await ask('POST', '/v1/profiles', { key, body: { name: 'No Name' } })).json.code, 'name_invalid')
  assert.equal((await ask('GET', '/v1/profiles', { key })).json.data, [{ ...profile, saved_at: 5 }])
  assert.equal((await ask('DELETE', `/v1/profiles/${profile.name}`, { key })).json, { id: profile.id, deleted: true })
  assert.is((await ask('GET', `/v1/profiles/${profile.id}`, { key })).status, 404)
  for (const [method, path] of [
    ['GET', '/v1/profiles'],
    ['POST', '/v1/profiles'],
    ['POST', '/v1/profiles/x/sign-in'],
  ] as const)
    assert.is(
      (await ask(method, path, { key: publishable, ...(method === 'POST' ? { body: {} } : {}) })).status,
      403,
      path,
    )
})

test('[Z11] a start names a profile with its pool; that is noted in the audit log', async () => {
  const profile = await aProfile()
  const { status, json } = await start({ pool: 'p', profile: profile.name })
  assert.equal([status, json.request.browser], [201, { pool: 'p', profile: profile.id, save: true }])
  assert.equal(taskService.started.at(-1)?.request.browser?.profile, { id: profile.id, save: true })
  assert.is((await start({ pool: 'p', profile: profile.id, save: false })).json.request.browser.save, false)
  assert.is((await start({ pool: 'p', profile: 'unknown' })).json.code, 'profile_not_found')
  assert.is((await start({ pool: 'p', profile: profile.id }, { key: foreignKey })).json.code, 'profile_not_found')
  assert.is((await start({ pool: 'p', save: false })).json.code, 'browser_invalid')
  const named = { task: 'Read it', browser_session_id: randomUUID(), browser: { profile: profile.name } }
  assert.is((await ask('POST', '/v1/tasks', { key, body: named })).json.code, 'browser_invalid')
})

test('[Z11] a rerun has the profile of the first task, or another, or none; one that was deleted is missing', async () => {
  const [profile, other] = [await aProfile(), await aProfile()]
  const { json: first } = await start({ pool: 'p', profile: profile.name })
  const task = taskService.tasksById.get(first.id)
  if (task) taskService.tasksById.set(first.id, { ...task, status: 'complete' })
  const rerun = async (body: object) => (await ask('POST', `/v1/tasks/${first.id}/rerun`, { key, body })).json
  assert.is((await rerun({})).request.browser.profile, profile.id)
  assert.is((await rerun({ browser: { pool: 'p', profile: other.name } })).request.browser.profile, other.id)
  assert.equal((await rerun({ browser: { pool: 'p' } })).request.browser, { pool: 'p' })
  await ask('DELETE', `/v1/profiles/${profile.id}`, { key })
  assert.is((await rerun({})).code, 'profile_not_found')
})

test('[Z12] the browser of a task reads its profile while it runs, and no other browser does', async () => {
  const profile = await aProfile()
  const [own, other, foreign] = [await aBrowser(), await aBrowser(), await aBrowser({ workspaceId: randomUUID() })]
  const id = await aTask(own.id, { pool: 'p', profile: profile.name, save: false })
  assert.equal((await asBrowser('GET', id, own.token)).json, { save: false, values: null })
  const sealed = box.seal(JSON.stringify(VALUES), profile.id)
  assert.not.match(sealed, 'MARKED')
  await store.profiles.save(profile.id, sealed, 1)
  assert.equal((await asBrowser('GET', id, own.token)).json, { save: false, values: VALUES })
  for (const { token } of [other, foreign]) assert.is((await asBrowser('GET', id, token)).status, 404)
  assert.is((await asBrowser('GET', id, 'svc_sess_unknown')).status, 401)
  assert.is((await asBrowser('GET', id, key)).status, 401)
  const without = await aTask(own.id, { pool: 'p' })
  assert.is((await asBrowser('GET', without, own.token)).status, 404)
  await store.profiles.save(profile.id, box.seal('{}', 'another'), 1)
  assert.is((await asBrowser('GET', id, own.token)).json.code, 'secrets_not_configured')
  const task = taskService.tasksById.get(id)
  if (task) taskService.tasksById.set(id, { ...task, status: 'complete' })
  assert.is((await asBrowser('GET', id, own.token)).status, 404)
})

test('[Z12] what a browser saves is encrypted before it is handed on; what is no profile is refused', async () => {
  const profile = await aProfile()
  const own = await aBrowser()
  const id = await aTask(own.id, { pool: 'p', profile: profile.name })
  const saved: string[][] = []
  taskService.saveProfile = async (...args) => saved.push(args) > 0
  const { status, json } = await asBrowser('POST', id, own.token, VALUES)
  assert.equal([status, json.id], [200, profile.id])
  const [workspace, taskId, sessionId, sealed = ''] = saved[0] ?? []
  assert.equal([workspace, taskId, sessionId], [workspaceId, id, own.id])
  assert.not.match(JSON.stringify(saved), 'MARKED')
  assert.equal(JSON.parse(box.open(sealed, profile.id)), VALUES)
  for (const body of ['', 'no JSON', '[]', { cookies: 1, origins: [] }, { cookies: ['x'], origins: [] }])
    assert.is((await asBrowser('POST', id, own.token, body)).json.code, 'profile_invalid', JSON.stringify(body))
  const large = { cookies: [], origins: [{ value: 'x'.repeat(2_000_000) }] }
  assert.is((await asBrowser('POST', id, own.token, large)).status, 413)
  assert.is((await asBrowser('POST', id, (await aBrowser()).token, VALUES)).status, 404)
  taskService.saveProfile = async () => false
  assert.is((await asBrowser('POST', id, own.token, VALUES)).status, 404)
})

test('[Z13] a sign-in is a task of the pool that saves the profile; its address must be one', async () => {
  const profile = await aProfile()
  const signIn = (body: object, options: Ask = {}) =>
    ask('POST', `/v1/profiles/${profile.name}/sign-in`, { key, body, ...options })
  const { status, json } = await signIn({ url: 'https://acme.example/login' })
  assert.equal([status, json.task, json.url], [201, 'Sign in at acme.example', 'https://acme.example/login'])
  const { browser, asksUser } = taskService.started.at(-1)?.request ?? {}
  assert.equal([browser, asksUser], [{ pool: 'default', profile: { id: profile.id, save: true, signIn: true } }, true])
  await signIn({ url: 'https://acme.example/login', pool: 'other' })
  assert.is(taskService.started.at(-1)?.request.browser?.pool, 'other')
  for (const url of ['file:///etc/passwd', 'nothing', 'https://user:pass@acme.example/'])
    assert.is((await signIn({ url })).json.code, 'url_invalid', url)
  assert.is((await signIn({ url: 'https://acme.example/' }, { key: foreignKey })).status, 404)
  taskService.refusals.push({ code: 'profile_busy' })
  assert.equal((await signIn({ url: 'https://acme.example/' })).json.code, 'profile_busy')
})

test('[Z10] without a key for secrets there are no profiles', async () => {
  const bare = await filesScene({ secretBox: null })
  const { key: own } = await aKey(bare.surface)
  const { status, json } = await bare.ask('POST', '/v1/profiles', { key: own, body: { name: 'acme' } })
  assert.equal([status, json.code], [503, 'secrets_not_configured'])
})

test('[R59] clicks and keys are checked, and refused with what the task does instead', async () => {
  const id = await aTask(randomUUID(), { pool: 'p' })
  const send = (events: unknown, options: Ask = {}) =>
    ask('POST', `/v1/tasks/${id}/live/input`, { key, body: { events }, ...options })
  const sent: unknown[] = []
  taskService.liveInput = async (...args) => {
    sent.push(args)
    return 'sent'
  }
  const events = [
    { type: 'mouse', action: 'down', x: 0.5, y: 1, button: 'left', clicks: 2, modifiers: ['shift'] },
    { type: 'wheel', x: 0, y: 0, dx: 0, dy: 120 },
    { type: 'key', key: 'ctrl+a' },
    { type: 'text', text: 'é' },
  ]
  assert.equal((await send(events)).status, 202)
  assert.equal(sent, [[workspaceId, id, events]])
  const wrong = [
    [],
    [{ type: 'mouse', action: 'down', x: 1.1, y: 0 }],
    [{ type: 'mouse', action: 'click', x: 1, y: 0 }],
    [{ type: 'text', text: 'x'.repeat(1_001) }],
    [{ type: 'key', key: '' }],
    [{ type: 'script', text: 'alert(1)' }],
    Array.from({ length: 51 }, () => ({ type: 'key', key: 'a' })),
    'text',
  ]
  for (const each of wrong) assert.is((await send(each)).json.code, 'events_invalid', JSON.stringify(each).slice(0, 80))
  for (const [outcome, code] of [
    ['not_found', 'task_not_found'],
    ['not_running', 'task_ended'],
    ['not_waiting', 'task_not_waiting'],
    ['not_possible', 'no_live_input'],
  ] as const) {
    taskService.liveInput = async () => outcome
    assert.is((await send(events)).json.code, code)
  }
  assert.is((await send(events, { key: publishable })).status, 403)
})

test.run()
