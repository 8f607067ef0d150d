import { randomBytes, randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DeliveryRecord } from '../../machines/webhook-records.ts'
import { createSecretBox } from '../../src/secret-box.ts'
import { createEndpoints } from '../../src/webhooks/endpoints.ts'
import { aDelivery, anEndpoint, WebhookMemory } from '../support/webhook-memory.ts'
import { ask, depsOf, HOSTILE, isPage, NOW, serve } from './world.ts'

const test = suite('webhook pages')
const closing: (() => Promise<void>)[] = []
test.after(async () => {
  for (const close of closing) await close()
})

/** Ann's dashboard with these endpoints, and what she has sent again. */
async function aDashboard() {
  const memory = new WebhookMemory()
  const redelivered: string[] = []
  const endpoints = createEndpoints({
    store: memory.store(),
    box: createSecretBox(randomBytes(32)),
    clock: { now: () => NOW },
    ids: { uuid: randomUUID },
    taskService: {
      testEndpoint: async ({ id }) => memory.addDelivery(aDelivery({ endpointId: id, type: 'webhook.test' })),
      redeliver: async ({ id }: DeliveryRecord) => redelivered.push(id) > 0,
      eventPosition: async () => 0,
      async serveEndpoints() {},
    },
  })
  const { port, close } = await serve(depsOf({ endpoints }))
  closing.push(close)
  const headers = { cookie: 'ann', host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` }
  const get = (path: string) => ask(port, `/dashboard${path}`, { headers })
  const post = (path: string, fields: Record<string, string> = {}) =>
    ask(port, `/dashboard${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ workspace: 'w-1', ...fields }).toString(),
    })
  const add = (fields: Parameters<typeof anEndpoint>[0]) => {
    const endpoint = anEndpoint({ workspaceId: 'w-1', ...fields })
    memory.endpoints.set(endpoint.id, endpoint)
    return endpoint
  }
  return { memory, redelivered, get, post, add, port }
}

test('[W10 W13] an endpoint is made on the dashboard; its secret is on that page alone', async () => {
  const { get, post, memory } = await aDashboard()
  const empty = await get('/webhooks')
  isPage(empty)
  assert.match(empty.text, /No webhook endpoints yet/)
  const made = await post('/webhooks', { url: 'https://hooks.example/tasks', description: HOSTILE })
  isPage(made)
  const [secret] = /whsec_[\w+/=]+/.exec(made.text) ?? []
  assert.ok(secret)
  const listed = await get('/webhooks')
  isPage(listed)
  assert.match(listed.text, /https:\/\/hooks\.example\/tasks/)
  assert.not.ok(listed.text.includes(secret) || listed.text.includes(HOSTILE))
  const [id] = memory.endpoints.keys()
  const rotated = await post(`/webhooks/${id}/rotate`)
  isPage(rotated)
  assert.match(rotated.text, /whsec_/)
  assert.not.ok(rotated.text.includes(secret))
  const bad = await post('/webhooks', { url: 'ftp://hooks.example' })
  isPage(bad, 400)
  assert.match(bad.text, /url must be an http or https URL/)
})

test('[W15] its page shows every delivery with every attempt, escaped', async () => {
  const { get, add, memory } = await aDashboard()
  const endpoint = add({})
  const attempts = [
    { at: NOW, durationMs: 21, status: null, reason: 'ECONNREFUSED', answer: '' },
    { at: NOW + 5_000, durationMs: 7, status: 503, reason: null, answer: HOSTILE },
  ]
  const fields = { endpointId: endpoint.id, workspaceId: 'w-1', attempts, nextAttemptAt: NOW + 60_000 }
  const delivery = memory.addDelivery(aDelivery({ ...fields, taskId: randomUUID() }))
  const shown = await get(`/webhooks/${endpoint.id}`)
  isPage(shown)
  for (const text of [delivery.messageId, 'task.ended', 'pending', 'ECONNREFUSED', '503', 'after 7 ms', 'next attempt'])
    assert.ok(shown.text.includes(text), text)
  assert.not.ok(shown.text.includes(HOSTILE))
  for (const path of [`/webhooks/${randomUUID()}`, '/webhooks/none']) isPage(await get(path), 404)
})

test('[W17] redeliver, recover and test from the dashboard', async () => {
  const { post, get, add, memory, redelivered } = await aDashboard()
  const endpoint = add({})
  const own = { endpointId: endpoint.id, workspaceId: 'w-1' }
  const failed = memory.addDelivery(aDelivery({ ...own, status: 'failed' }))
  const foreign = memory.addDelivery(aDelivery({ ...own, workspaceId: 'another' }))
  const again = await post(`/webhooks/deliveries/${failed.id}/redeliver`)
  assert.equal([again.status, redelivered], [303, [failed.id]])
  assert.is(again.headers.location, `/dashboard/webhooks/${endpoint.id}?workspace=w-1`)
  assert.is((await post(`/webhooks/deliveries/${foreign.id}/redeliver`)).status, 404)
  await post(`/webhooks/${endpoint.id}/recover`)
  assert.equal(redelivered, [failed.id, failed.id])
  assert.is((await post(`/webhooks/${endpoint.id}/test`)).status, 303)
  assert.match((await get(`/webhooks/${endpoint.id}`)).text, /webhook\.test/)
})

test('[W14] what was disabled by itself is said on the overview, and enabled with one click', async () => {
  const { post, get, add, memory } = await aDashboard()
  assert.not.match((await get('')).text, /were disabled/)
  const endpoint = add({ disabled: true, disabledReason: 'failing', disabledAt: NOW, failingSince: NOW - 1 })
  for (const path of ['', '/webhooks']) {
    const shown = await get(path)
    isPage(shown)
    assert.match(
      shown.text,
      /<div role="alert"><p>Webhook endpoints were disabled.*hooks\.example<\/a> failed for 5 days/,
    )
  }
  assert.is((await post(`/webhooks/${endpoint.id}/enable`)).status, 303)
  assert.not.match((await get('')).text, /were disabled/)
  assert.is((await post(`/webhooks/${endpoint.id}/disable`)).status, 303)
  assert.is(memory.endpoints.get(endpoint.id)?.disabled, true)
  assert.not.match((await get('')).text, /were disabled/)
  assert.is((await post(`/webhooks/${endpoint.id}/remove`)).status, 303)
  assert.is(memory.endpoints.size, 0)
})

test('[A25] a form of another site changes nothing', async () => {
  const { add, memory, port } = await aDashboard()
  const endpoint = add({})
  const answer = await ask(port, `/dashboard/webhooks/${endpoint.id}/remove`, {
    method: 'POST',
    headers: { cookie: 'ann', host: `127.0.0.1:${port}`, origin: 'https://elsewhere.example' },
    body: 'workspace=w-1',
  })
  assert.equal([answer.status, memory.endpoints.size], [403, 1])
})

test.run()
