import { hash, randomBytes, randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createSecretBox, type SecretBox } from '../../../src/identity/secret-box.ts'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { aTask } from '../../support/stores.ts'

const test = suite('secrets')

const box = createSecretBox(randomBytes(32))
const surface = await makeSurface({ secretBox: box })
const { taskService, store } = surface
const { key, workspaceId } = await aKey(surface)
const good = { task: 'Sign in', browser_session_id: randomUUID() }
const password = { name: 'password', value: 'Tr0ub4dor', domains: ['Shop.example'] }
const post = (more: object, headers: Record<string, string> = {}) =>
  surface.ask('POST', '/v1/tasks', { key, body: { ...good, ...more }, headers })

test('[X1] they go to the task service beside the request, and no answer has their values', async () => {
  const { status, raw } = await post({
    secrets: [
      password,
      { name: 'code', totp: 'GEZDGNBVGY3TQOJQ', domains: ['*.shop.example'], description: 'by phone' },
    ],
  })
  assert.is(status, 201)
  assert.not.match(String(raw.body), /Tr0ub|GEZDG/)
  const { secrets, request, taskId = '' } = taskService.started.at(-1) ?? {}
  assert.equal(secrets?.known, [
    { name: 'password', kind: 'value', domains: ['shop.example'], description: null },
    { name: 'code', kind: 'totp', domains: ['*.shop.example'], description: 'by phone' },
  ])
  assert.equal(JSON.parse(box.open(secrets?.sealed ?? '', taskId)), { password: 'Tr0ub4dor', code: 'GEZDGNBVGY3TQOJQ' })
  assert.not.match(JSON.stringify([request, secrets]), /Tr0ub|GEZDG/)
})

for (const [given, says] of [
  ['Tr0ub4dor', 'secrets must be a list'],
  [['Tr0ub4dor'], 'secrets must be a list of objects'],
  [[{ ...password, name: 'my password' }], 'secrets[0].name must be 1 to 40 of a–z, A–Z, 0–9, _ and -'],
  [[{ ...password, name: 5 }], 'secrets[0].name must be a string'],
  [[{ value: 'Tr0ub4dor', domains: ['a.example'] }], 'secrets[0].name is missing'],
  [[password, { ...password, value: 'ab' }], 'secrets[1].value must be at least 3 characters'],
  [[{ ...password, value: 'x'.repeat(1_001) }], 'secrets[0].value must be at most 1000 characters'],
  [[{ ...password, value: ['Tr0ub4dor'] }], 'secrets[0].value must be a string'],
  [[{ ...password, totp: 'GEZDGNBVGY3TQOJQ' }], 'secrets must each have either value or totp'],
  [[{ name: 'a', domains: ['a.example'] }], 'secrets must each have either value or totp'],
  [
    [{ name: 'a', totp: 'Tr0ub4dor', domains: ['a.example'] }],
    'secrets[0].totp must be a secret in base32, or an otpauth://totp/ address',
  ],
  [[{ ...password, domains: [] }], 'secrets[0].domains must name at least one domain'],
  [[{ name: 'a', value: 'Tr0ub4dor' }], 'secrets[0].domains is missing'],
  [[{ ...password, domains: ['*.com'] }], /^secrets\[0\]\.domains must be a list of domains/],
  [[{ ...password, description: 'x'.repeat(501) }], 'secrets[0].description must be at most 500 characters'],
  [[password, password], 'secrets must have different names'],
  [Array.from({ length: 21 }, (_, n) => ({ ...password, name: `a${n}` })), 'secrets must be at most 20'],
] as const)
  test(`[X1] [E11] 400 secrets_invalid: ${says}`, async () => {
    const { status, json } = await post({ secrets: given })
    assert.equal([status, json.code], [400, 'secrets_invalid'])
    if (typeof says === 'string') assert.is(json.error, says)
    else assert.match(json.error, says)
    assert.not.match(JSON.stringify(json), 'Tr0ub')
  })

test('[X1] without a key for them a task with secrets is 503, and one without is started', async () => {
  const without = await makeSurface({ secretBox: null })
  const ask = (body: object) =>
    without.ask('POST', '/v1/tasks', { key, body, headers: { 'idempotency-key': 'no-key' } })
  const { status, json } = await ask({ ...good, secrets: [password] })
  assert.equal(
    [status, json.code, json.error],
    [503, 'secrets_not_configured', 'Secrets cannot be kept: SECRETS_KEY is not set'],
  )
  assert.is((await ask({ ...good, secrets: [] })).status, 201)
})

test('[X7] a rerun has to give them again, or an empty list; it gets none of the earlier task', async () => {
  const { value: _, ...known } = { ...password, kind: 'value' as const, domains: ['shop.example'], description: null }
  const earlier = { ...aTask({ workspaceId, secrets: [known] }), state: 'closed', failure: null }
  taskService.tasksById.set(earlier.id, earlier)
  const rerun = (body: object) => surface.ask('POST', `/v1/tasks/${earlier.id}/rerun`, { key, body })
  const { status, json } = await rerun({})
  assert.equal([status, json.code], [400, 'secrets_required'])
  assert.match(json.error, 'secrets are not kept: give those of the task again')
  assert.is((await rerun({ secrets: [{ ...password, value: 'another' }] })).status, 201)
  assert.is(taskService.started.at(-1)?.secrets?.known[0]?.name, 'password')
  assert.is((await rerun({ secrets: [] })).status, 201)
  assert.is(taskService.started.at(-1)?.secrets, undefined)
  assert.not('secrets' in (taskService.started.at(-1)?.request ?? { secrets: 1 }))
})

const fingerprints: string[] = []
const spying = (secretBox: SecretBox | null) => {
  const insert: typeof store.claims.insert = (claim) => {
    fingerprints.push(claim.fingerprint)
    return store.claims.insert(claim)
  }
  return makeSurface({ secretBox, store: { ...store, claims: { ...store.claims, insert } } })
}

test('[X7] an Idempotency-Key keeps no hash of them that could be tried out without the key', async () => {
  fingerprints.length = 0
  const withAKey = () => spying(createSecretBox(randomBytes(32)))
  const [spied, other] = [await withAKey(), await withAKey()]
  const ask = (at: typeof spied, name: string, body: object) =>
    at.ask('POST', '/v1/tasks', { key, body: { ...good, ...body }, headers: { 'idempotency-key': name } })
  await ask(spied, 'one', { secrets: [password] })
  await ask(other, 'two', { secrets: [password] })
  await ask(spied, 'three', {})
  await ask(other, 'four', {})
  const [one, two, three, four] = fingerprints
  assert.is.not(one, two)
  assert.is(three, four)
  // The same again is a replay, another value is another request.
  assert.is((await ask(spied, 'one', { secrets: [password] })).headers['idempotent-replayed'], 'true')
  assert.is((await ask(spied, 'one', { secrets: [{ ...password, value: 'another' }] })).status, 422)
})

for (const box of [createSecretBox(randomBytes(32)), null])
  test(`[X7] nor one of a password, ${box ? 'with' : 'without'} a key for secrets`, async () => {
    fingerprints.length = 0
    const surface = await spying(box)
    const ask = (name: string, password: string) =>
      surface.ask('POST', '/v1/api-keys', { key, body: { name: 'k', password }, headers: { 'idempotency-key': name } })
    const names = [randomUUID(), randomUUID()]
    for (const name of names) await ask(name, 'hunter2')
    const plain = JSON.stringify(['/v1/api-keys', { name: 'k', password: 'hunter2' }, null])
    assert.not(fingerprints.includes(hash('sha256', plain)))
    assert.is((await ask(names[0] ?? '', 'hunter2')).headers['idempotent-replayed'], 'true')
    assert.is((await ask(names[0] ?? '', 'hunter3')).status, 422)
  })

test.run()
