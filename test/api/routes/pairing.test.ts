import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aKey } from '../../support/http-surface.ts'
import { sessionsScene } from './sessions-scene.ts'

const {
  surface,
  ask,
  taskService,
  store,
  clock,
  key,
  keyId,
  workspaceId,
  publishable,
  foreignKey,
  pair,
  register,
  put,
} = await sessionsScene()

const test = suite('pairing, and the rights that it gives')

test('[S15] a pairing token tells whose it is and who made it, and is not used up by that', async () => {
  const about = (pairing_token: unknown) => ask('POST', '/v1/browser-sessions/pairing', { body: { pairing_token } })
  const { json } = await pair({ label: 'Support taskService of your bank' })
  const { status, json: told } = await about(json.pairing_token)
  assert.is(status, 200)
  const workspace = await store.workspaces.get(workspaceId)
  assert.equal(told, {
    workspace: workspace?.name,
    created_by: 'the key “a key”',
    label: 'Support taskService of your bank',
    allow_tasks: true,
    expires_at: json.expires_at,
  })
  assert.is((await register(json.pairing_token)).status, 201)
  for (const token of [json.pairing_token, `svc_pair_${'0'.repeat(64)}`, 'x'])
    assert.is((await about(token)).json.code, 'pairing_token_rejected')
})
test('[S16] a deleted key ends the sessions that it paired, and its pairing tokens', async () => {
  const gone = await aKey(surface, workspaceId)
  const of = (keyId: string) => put({ keyId }).id
  const [ended, other] = [of(gone.id), of(keyId)]
  const { json } = await ask('POST', '/v1/browser-sessions/pair', { key: gone.key })
  assert.is((await ask('DELETE', `/v1/api-keys/${gone.id}`, { key })).status, 200)
  assert.equal([taskService.sessionsById.has(ended), taskService.sessionsById.has(other)], [false, true])
  assert.is((await register(json.pairing_token)).json.code, 'pairing_token_rejected')
})
test('[S17] pairing links are limited for a key, and do not use up those of other keys', async () => {
  const { key: busy } = await aKey(surface, workspaceId, 'publishable')
  const ask60 = await Promise.all(
    Array.from({ length: 61 }, () => ask('POST', '/v1/browser-sessions/pair', { key: busy })),
  )
  const refused = ask60.filter(({ status }) => status === 429)
  assert.is(refused.length, 1)
  assert.is(refused[0]?.json.code, 'too_many_pairings')
  assert.is(refused[0]?.headers['retry-after'], '60')
  assert.is((await pair()).status, 201)
  clock.at += 60_000
  assert.is((await ask('POST', '/v1/browser-sessions/pair', { key: busy })).status, 201)
})
test('[S18] a publishable key pairs browsers that start no tasks, until a secret key allows it', async () => {
  const paired = await ask('POST', '/v1/browser-sessions/pair', { key: publishable.key })
  const { json } = await register(paired.json.pairing_token)
  const allowed = async () => (await store.sessions.get(json.browser_session_id))?.allowTasks
  assert.is(await allowed(), false)
  const asked = await ask('POST', '/v1/browser-sessions/pair', { key: publishable.key, body: { allow_tasks: true } })
  assert.is(asked.status, 403)
  const path = `/v1/browser-sessions/${json.browser_session_id}`
  const allow = (by: string, allow_tasks: unknown) => ask('POST', path, { key: by, body: { allow_tasks } })
  assert.is((await allow(publishable.key, true)).status, 403)
  assert.is((await allow(foreignKey, true)).status, 404)
  assert.is((await allow(key, 'yes')).json.error, 'allow_tasks must be true or false')
  assert.equal((await allow(key, true)).json, { id: json.browser_session_id, allow_tasks: true })
  assert.is(await allowed(), true)
})
test('[S18] a secret key may pair a browser that starts no tasks', async () => {
  const { json } = await register((await pair({ allow_tasks: false })).json.pairing_token)
  assert.is((await store.sessions.get(json.browser_session_id))?.allowTasks, false)
})

test.run()
