import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskView } from '../../actors/task-service.ts'
import { DEFAULT_LIMITS } from '../../machines/workspace-limits.ts'
import { hashToken, keyPrefixOf } from '../../src/identity/tokens.ts'
import { aKey, aMember, aWorkspace, fakeAccounts, makeSurface } from '../support/http-surface.ts'
import { refusal } from '../support/refusal.ts'
import { aTask } from '../support/stores.ts'

const members = new Map()
const surface = await makeSurface({ accounts: fakeAccounts(members) })
const { ask, taskService, store, clock } = surface
const first = await aWorkspace(surface, { name: 'first', plan: 'free' })
const second = await aWorkspace(surface, { name: 'second', plan: 'team' })
members.set('ann', aMember('ann', [first, second]))
const { key, id: keyId } = await aKey(surface, first.id)
const { key: otherKey } = await aKey(surface)
const cookie = 'session=ann'

const SENTENCE = 'Authentication required: send "Authorization: Bearer <API_KEY>", or sign in at /dashboard'
const WRONG_KEY =
  'The API key is wrong or was deleted. Send "Authorization: Bearer <API_KEY>" with a valid key, or sign in at /dashboard'
const refused = (answer: Awaited<ReturnType<typeof ask>>, error = SENTENCE) => {
  assert.is(answer.status, 401)
  assert.equal(answer.json, refusal(error, 'unauthorized'))
  assert.is(answer.headers['www-authenticate'], 'Bearer')
}

const test = suite('authentication')

test('[A4] without key and cookie: 401 that names the Bearer scheme and the sign-in path', async () => {
  refused(await ask('GET', '/v1/tasks'))
})
for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
  test(`[A2] the scheme may be written ${scheme}`, async () => {
    assert.is((await ask('GET', '/v1/tasks', { headers: { authorization: `${scheme} ${key}` } })).status, 200)
    assert.is((await ask('GET', '/v1/tasks', { headers: { authorization: `${scheme}   ${key} ` } })).status, 200)
  })
}
for (const value of ['wrong', 'svc_live_', `svc_live_${'0'.repeat(48)}`, 'x'.repeat(9_000), '\u0000', '__proto__']) {
  test(`[A1] the Bearer value ${JSON.stringify(value).slice(0, 20)} is 401, whatever cookie there is`, async () => {
    refused(await ask('GET', '/v1/tasks', { headers: { authorization: `Bearer ${value}`, cookie } }), WRONG_KEY)
  })
}
for (const authorization of ['', 'Basic YTpi', 'Bearer', 'Bearer ', 'Bearers x']) {
  test(`[A3] ${JSON.stringify(authorization)} is no Bearer value: the cookie counts`, async () => {
    refused(await ask('GET', '/v1/tasks', { headers: { authorization } }))
    assert.is((await ask('GET', '/v1/tasks', { headers: { authorization, cookie } })).status, 200)
  })
}
test('[A1] a key is used alone: its workspace counts, not that of the cookie', async () => {
  const task: TaskView = { ...aTask({ workspaceId: first.id }), state: 'thinking' }
  taskService.tasksById.set(task.id, task)
  const path = `/v1/tasks/${task.id}`
  assert.is((await ask('GET', path, { key })).status, 200)
  assert.is((await ask('GET', path, { key: otherKey, headers: { cookie } })).status, 404)
})
test('[A1] [K6] a key that was deleted is dead', async () => {
  const { key: gone, id } = await aKey(surface, first.id)
  assert.is((await ask('GET', '/v1/tasks', { key: gone })).status, 200)
  await store.keys.remove(first.id, id)
  refused(await ask('GET', '/v1/tasks', { key: gone }), WRONG_KEY)
})

test('[A9] without a valid key a bad or over-size body is 401', async () => {
  refused(await ask('POST', '/v1/tasks', { body: '{' }))
  refused(await ask('POST', '/v1/tasks', { key: 'wrong', body: '{' }), WRONG_KEY)
  refused(await ask('POST', '/v1/tasks', { bodyTooLarge: true }))
  refused(await ask('POST', '/v1/tasks', { body: '[]' }))
})

const guarded: readonly (readonly [method: string, path: string, action: string])[] = [
  ['POST', '/v1/tasks', 'create tasks'],
  ['GET', '/v1/tasks', 'access tasks'],
  ['GET', `/v1/tasks/${randomUUID()}`, 'access tasks'],
  ['POST', `/v1/tasks/${randomUUID()}/cancel`, 'access tasks'],
  ['GET', `/v1/tasks/${randomUUID()}/steps`, 'access tasks'],
  ['GET', `/v1/tasks/${randomUUID()}/screenshots/1`, 'access tasks'],
  ['GET', '/v1/usage', 'access usage data'],
  ['POST', '/v1/api-keys', 'create API keys'],
  ['GET', '/v1/api-keys', 'list API keys'],
  ['DELETE', `/v1/api-keys/${randomUUID()}`, 'delete API keys'],
  ['GET', '/v1/billing/credits', 'access billing data'],
]
const publishable = await aKey(surface, first.id, 'publishable')
for (const [method, path, action] of guarded) {
  test(`[A5] [A6] a publishable key cannot ${action} (${method} ${path.replace(/[0-9a-f-]{36}/, ':id')})`, async () => {
    const answer = await ask(method, path, { key: publishable.key, body: '{' })
    assert.is(answer.status, 403)
    assert.equal(
      answer.json,
      refusal(`Publishable keys cannot ${action}. Use a secret key (svc_live_...).`, 'publishable_key'),
    )
  })
}
for (const [what, type, prefix] of [
  ['type', 'publishable', 'svc_live_'],
  ['prefix', 'secret', 'svc_pub_'],
] as const) {
  test(`[A5] a key is publishable by its ${what} alone`, async () => {
    const odd = prefix + randomUUID()
    await store.keys.insert({
      id: randomUUID(),
      workspaceId: first.id,
      name: 'odd',
      type,
      keyHash: hashToken(odd),
      keyPrefix: keyPrefixOf(odd),
      createdAt: 0,
      lastUsedAt: null,
    })
    assert.is((await ask('GET', '/v1/tasks', { key: odd })).status, 403)
  })
}
test('[A7] publishable keys may pair', async () => {
  const { status, json } = await ask('POST', '/v1/browser-sessions/pair', { key: publishable.key })
  assert.is(status, 201)
  assert.is((await store.pairings.get(hashToken(json.pairing_token)))?.keyId, publishable.id)
})

test('[K5] the use of a key is kept, once a minute at most', async () => {
  const used = await aKey(surface, randomUUID())
  const touches: number[] = []
  const written: Promise<void>[] = []
  const watched = await makeSurface({
    store: {
      ...store,
      keys: {
        ...store.keys,
        touch: (id, at) => {
          touches.push(at)
          const touched = store.keys.touch(id, at)
          written.push(touched)
          return touched
        },
      },
    },
  })
  const get = () => watched.ask('GET', '/v1/api-keys', { key: used.key })
  await get()
  await get()
  watched.clock.at += 59_999
  await get()
  assert.equal(touches, [clock.at])
  watched.clock.at += 1
  await get()
  assert.equal(touches, [clock.at, clock.at + 60_000])
  await Promise.all(written)
  assert.is((await get()).json.keys[0].last_used_at, clock.at + 60_000)
})
test('a key whose use cannot be kept works all the same', async () => {
  const failing = await makeSurface({
    store: { ...store, keys: { ...store.keys, touch: () => Promise.reject(new Error('full')) } },
  })
  const used = await aKey(failing)
  assert.is((await failing.ask('GET', '/v1/tasks', { key: used.key })).status, 200)
  assert.is(failing.log.lines[0]?.level, 'warn')
})
test('[E6] a store that cannot find keys is a 500, not a 401', async () => {
  const broken = await makeSurface({
    store: { ...store, keys: { ...store.keys, byHash: () => Promise.reject(new Error('down')) } },
  })
  assert.is((await broken.ask('GET', '/v1/tasks', { key })).status, 500)
})

test('[K6] a start reads its workspace while its key is looked up, and no start is made when the key is gone', async () => {
  const used = await aKey(surface)
  const record = await store.keys.byHash(hashToken(used.key))
  assert.ok(record)
  const order: string[] = []
  let isThere = true
  const keys = {
    ...store.keys,
    lastFound: () => record,
    async byHash() {
      order.push('key')
      return isThere ? record : null
    },
  }
  const eager = await makeSurface({ store: { ...store, keys } })
  const allowance = Promise.resolve({ freeRemaining: null, creditBalance: 0 })
  const reads = { at: clock.at, slotVersion: 0, allowance, limits: Promise.resolve(DEFAULT_LIMITS) }
  eager.taskService.readForStart = (workspaceId) => {
    order.push(workspaceId)
    return reads
  }
  const start = () =>
    eager.ask('POST', '/v1/tasks', { key: used.key, body: { task: 'x', browser_session_id: randomUUID() } })
  assert.is((await start()).status, 201)
  assert.is(eager.taskService.started.at(-1)?.reads, reads)
  isThere = false
  assert.is((await start()).status, 401)
  assert.is(eager.taskService.started.length, 1)
  assert.equal(order, [record.workspaceId, 'key', record.workspaceId, 'key'])
})
test('a key acts under its own id', async () => {
  await ask('POST', '/v1/tasks', { key, body: { task: 'x', browser_session_id: randomUUID() } })
  assert.is(taskService.started.at(-1)?.apiKeyId, keyId)
})

test.run()
