import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ClaimRecord } from '../../machines/records.ts'
import { aKey, makeSurface } from '../support/http-surface.ts'

const surface = await makeSurface()
const { taskService, store } = surface
const { key: apiKey } = await aKey(surface)
const good = { task: 'Buy tea', browser_session_id: randomUUID() }
const start = (key: string, body: unknown = good) =>
  surface.ask('POST', '/v1/tasks', { key: apiKey, body, headers: { 'idempotency-key': key } })

/** The claims that were made, the last one first. */
const claims: ClaimRecord[] = []
const { insert, replace } = store.claims
Object.assign(store.claims, {
  insert: (claim: ClaimRecord) => {
    claims.unshift(claim)
    return insert(claim)
  },
})

const test = suite('refused retries with an idempotency key')
test.before.each(() => {
  taskService.started.length = 0
})

test('[E23] a retry at another node was refused while the first one is under way: what the first one starts is found by its key', async () => {
  const { startTask } = taskService
  taskService.startTask = async (given) => {
    const [claim] = claims
    // The other node has taken the claim over, and has let the key go.
    if (claim) await replace(claim.id, claim.holder, { ...claim, holder: 'the other node', isFree: true })
    return startTask(given)
  }
  const { json } = await start('refused-elsewhere')
  taskService.startTask = startTask
  const again = await start('refused-elsewhere')
  assert.equal([again.status, again.json], [201, json])
  assert.is(again.headers['idempotent-replayed'], 'true')
  assert.is(taskService.started.length, 1)
})

/** Its first attempt is cut short, at a node that may go on with it, and its retry is refused. */
async function refusedRetry(key: string) {
  taskService.broken = new Error('away')
  assert.is((await start(key)).status, 500)
  taskService.broken = null
  taskService.refusals.push({ code: 'rate_limited', retryAfterSeconds: 1 })
  assert.is((await start(key)).status, 429)
  taskService.started.length = 0
}

test('[E23] a refused retry does not let go of the id: the first attempt may still create something under it', async () => {
  await refusedRetry('refused-again')
  const [first] = claims
  const { status, json } = await start('refused-again')
  assert.equal([status, json.id], [201, first?.createdId])
  assert.is((await start('refused-again')).headers['idempotent-replayed'], 'true')
  assert.is(taskService.started.length, 1)
})

test('[E22] a refused retry lets the key go for another body', async () => {
  await refusedRetry('refused-other')
  const [first] = claims
  const { status, json } = await start('refused-other', { ...good, task: 'Buy coffee' })
  assert.is(status, 201)
  assert.is.not(json.id, first?.createdId)
  assert.is((await start('refused-other')).status, 422)
})

test('[E23] a retry that failed does not let go of the id', async () => {
  taskService.broken = new Error('away')
  assert.is((await start('failed-again')).status, 500)
  taskService.broken = null
  const [first] = claims
  taskService.refusals.push({ code: 'store_away' })
  assert.is((await start('failed-again')).status, 503)
  assert.is((await start('failed-again')).json.id, first?.createdId)
})

test('[E23] what a failed start has left is not an answer while it is being ended; then the retry starts another', async () => {
  const { json } = await start('failed-before')
  const [claim] = claims
  const left = taskService.tasksById.get(json.id)
  // The answer was lost, and a retry finds what is there.
  if (claim && left) {
    await replace(claim.id, claim.holder, { ...claim, answer: null })
    taskService.tasksById.set(json.id, { ...left, isLeft: true })
  }
  assert.is((await start('failed-before')).status, 503)
  assert.is((await store.claims.get(claim?.id ?? ''))?.createdId, json.id)
  if (left) taskService.tasksById.set(json.id, { ...left, status: 'error', endedBy: 'crash' })
  assert.is((await start('failed-before')).status, 503)
  const again = await start('failed-before')
  assert.is(again.status, 201)
  assert.is.not(again.json.id, json.id)
})

test.run()
