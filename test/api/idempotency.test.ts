import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { StartAnswer } from '../../actors/task-service.ts'
import type { ClaimRecord } from '../../machines/records.ts'
import { type Ask, aKey, makeSurface } from '../support/http-surface.ts'
import { THEN } from '../support/stores.ts'

const clock = {
  at: THEN,
  now: () => clock.at,
  // Shorter than the wait of 2 s, and longer than a commit of a busy disk.
  setTimeout: (fn: () => void) => setTimeout(fn, 1_000),
  clearTimeout: (id: unknown) => clearTimeout(id as NodeJS.Timeout),
}
const surface = await makeSurface({ clock })
const { taskService, store } = surface
const { key } = await aKey(surface)
const good = { task: 'Buy tea', browser_session_id: randomUUID() }
const post = (path: string, idempotencyKey: string, body: unknown, options: Ask = {}) =>
  surface.ask('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey }, ...options })
const start = (idempotencyKey: string, body: unknown = good) => post('/v1/tasks', idempotencyKey, body)

const test = suite('idempotency keys')
test.before.each(() => {
  taskService.started.length = 0
  taskService.refusals.length = 0
  taskService.broken = null
  // Each test has a minute of its own.
  clock.at += 60_000
})

test('[E22] sent again: same status and bytes, told as a replay, and nothing is started', async () => {
  const one = await start('"order-1"')
  const again = await start('order-1', { browser_session_id: good.browser_session_id, task: good.task, url: null })
  assert.is(one.status, 201)
  assert.is(one.headers['idempotent-replayed'], undefined)
  assert.equal([again.status, again.raw.body], [201, one.raw.body])
  assert.is(again.headers['idempotent-replayed'], 'true')
  assert.is(taskService.started.length, 1)
})

test('[E21] a key that cannot be one is 400 and names the header', async () => {
  for (const bad of ['', '""', '"', 'a b', 'x'.repeat(256), `"${'x'.repeat(256)}"`, 'ü', 'a\tb', '"a']) {
    const { status, json } = await start(bad)
    assert.equal([status, json.code], [400, 'idempotency_key_invalid'], bad)
  }
  for (const fine of ['x', 'x'.repeat(255), `"${'y'.repeat(255)}"`, '!~"']) assert.is((await start(fine)).status, 201)
})

test('[E22] 100 at once start one task, and all have the same answer', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => start('at-once')))
  assert.is(new Set(answers.map(({ status, raw }) => `${status} ${raw.body}`)).size, 1)
  assert.is(answers[0]?.status, 201)
  assert.is(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 99)
  assert.is(taskService.started.length, 1)
})

test('[E22] a refusal lets the key go, for those too that waited for it', async () => {
  taskService.refusals.push({ code: 'session_not_connected' })
  const [first, second] = await Promise.all([start('refused'), start('refused')])
  assert.equal([first?.status, second?.status], [409, 201])
  assert.is(second?.headers['idempotent-replayed'], undefined)
})

test('[E22] a 400 takes no key: the same key may carry a right body afterwards', async () => {
  assert.is((await start('typo', { ...good, task: ' ' })).status, 400)
  assert.is((await start('typo')).status, 201)
})

test('[E25] another body, or another path of the route, is 422', async () => {
  const { json } = await start('one-body')
  assert.equal((await start('one-body', { ...good, task: 'Buy coffee' })).json.code, 'idempotency_key_reused')
  const other = await start('another-task')
  assert.is((await post(`/v1/tasks/${json.id}/cancel`, 'cancel', {})).status, 200)
  const wrong = await post(`/v1/tasks/${other.json.id}/cancel`, 'cancel', {})
  assert.equal([wrong.status, wrong.json.code], [422, 'idempotency_key_reused'])
})

test('[E21] the scope is the workspace and the route', async () => {
  const mine = await start('scope')
  const stranger = await aKey(surface)
  const theirs = await post('/v1/tasks', 'scope', good, { key: stranger.key })
  const paired = await post('/v1/browser-sessions/pair', 'scope', {})
  assert.equal([mine.status, theirs.status, paired.status], [201, 201, 201])
  assert.is.not(mine.json.id, theirs.json.id)
})

test('[E21] a publishable key gets no answer that was made for another key', async () => {
  const { workspaceId, key: secret } = await aKey(surface)
  const { key: publishable } = await aKey(surface, workspaceId, 'publishable')
  const pair = (by: string) => post('/v1/browser-sessions/pair', 'shared', {}, { key: by })
  assert.is((await pair(secret)).status, 201)
  assert.is((await pair(publishable)).status, 422)
})

test('[E24] while the first is under way: 409 after a wait, and another body is 422 at once', async () => {
  const { startTask } = taskService
  let answerIt: (answer: StartAnswer) => void = () => {}
  taskService.startTask = (given) =>
    new Promise((resolve) => {
      answerIt = async () => resolve(await startTask(given))
    })
  const first = start('slow')
  const { status, json, headers } = await start('slow')
  assert.equal([status, json.code, headers['retry-after']], [409, 'idempotency_in_progress', '1'])
  assert.is((await start('slow', { ...good, task: 'other' })).status, 422)
  taskService.startTask = startTask
  answerIt({} as StartAnswer)
  assert.is((await first).status, 201)
  assert.is((await start('slow')).headers['idempotent-replayed'], 'true')
})

test('[E23] a process that died after the start: the retry finds the task and starts none', async () => {
  const { json } = await start('died-after')
  await unanswered()
  const again = await start('died-after')
  assert.equal([again.status, again.json.id], [201, json.id])
  assert.is(taskService.started.length, 1)
})

test('[E23] a process that died before the start: the retry starts it, under the id that was chosen', async () => {
  const { json } = await start('died-before')
  const before = taskService.tasksById.get(json.id)
  taskService.tasksById.delete(json.id)
  await unanswered()
  const again = await start('died-before')
  assert.equal([again.status, again.json.id], [201, json.id])
  assert.ok(before)
  assert.is(taskService.started.length, 2)
})

test('[E23] a key that nobody has seen is made anew: the workspace has one', async () => {
  const { workspaceId, key: own } = await aKey(surface)
  const make = () => post('/v1/api-keys', 'my-key', { name: 'mine' }, { key: own })
  const first = await make()
  assert.equal((await make()).json, first.json)
  await unanswered()
  const { json } = await make()
  assert.is(json.id, first.json.id)
  assert.is.not(json.key, first.json.key)
  assert.is((await surface.ask('GET', '/v1/me', { key: json.key })).status, 401, 'its workspace has no record here')
  assert.is((await store.keys.list(workspaceId)).filter(({ name }) => name === 'mine').length, 1)
})

test('[E23] a cancel whose answer was lost is answered with the cancelled task', async () => {
  const { json } = await start('to-cancel')
  const cancel = () => post(`/v1/tasks/${json.id}/cancel`, 'the-cancel', {})
  const first = await cancel()
  await unanswered()
  assert.equal((await cancel()).json, first.json)
  assert.is((await post(`/v1/tasks/${json.id}/cancel`, 'another-cancel', {})).status, 400)
})

test('[E23] a failure of the service keeps the claim: its retry has the same id', async () => {
  taskService.broken = new Error('away')
  assert.is((await start('broken')).status, 500)
  taskService.broken = null
  assert.is((await start('broken')).status, 201)
  const [failed] = claims
  assert.is(taskService.started[0]?.taskId, failed?.createdId)
})

test('[E21] [E22] what is kept: no key, no answer in plain text, gone 24 hours after the answer', async () => {
  claims.length = 0
  const { json } = await post('/v1/api-keys', 'a-secret-answer', { name: 'shown once' })
  const kept = JSON.stringify(claims)
  assert.ok(claims.some(({ answer }) => answer !== null))
  for (const secret of ['a-secret-answer', json.key, 'shown once']) assert.not.match(kept, secret)
  clock.at += 24 * 3_600_000 - 1
  assert.equal((await post('/v1/api-keys', 'a-secret-answer', { name: 'shown once' })).json, json)
  clock.at += 1
  assert.is.not((await post('/v1/api-keys', 'a-secret-answer', { name: 'shown once' })).json.id, json.id)
})

test('[E26] more than 300 new keys in a minute are 429; an old one is still answered', async () => {
  const { key: own } = await aKey(surface)
  const pairing = (n: number) =>
    post(`/v1/browser-sessions/${randomUUID()}`, `n${n}`, { allow_tasks: true }, { key: own })
  const made = await post('/v1/api-keys', 'first', { name: 'first' }, { key: own })
  for (let n = 1; n < 300; n++) assert.is((await pairing(n)).status, 404)
  const late = await pairing(300)
  assert.equal([late.status, late.json.code, late.headers['retry-after']], [429, 'too_many_idempotency_keys', '60'])
  assert.equal((await post('/v1/api-keys', 'first', { name: 'first' }, { key: own })).json, made.json)
})

// What the surface kept, newest last: its store writes through these.
const claims: ClaimRecord[] = []
const { insert, replace } = store.claims
Object.assign(store.claims, {
  insert: (claim: ClaimRecord) => {
    claims.unshift(claim)
    return insert(claim)
  },
  replace: (...args: Parameters<typeof replace>) => {
    if (args[2]) claims.unshift(args[2])
    return replace(...args)
  },
})

/** The last answer was not kept, as if the process had died before it. */
async function unanswered(): Promise<void> {
  const [last] = claims
  const kept = await store.claims.get(last?.id ?? '')
  if (kept) await replace(kept.id, kept.holder, { ...kept, answer: null, holder: 'a process that died' })
}

test.run()
