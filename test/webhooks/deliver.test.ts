import { randomBytes } from 'node:crypto'
import { Webhook as Verifier } from 'standardwebhooks'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WEBHOOKS_AT_ONCE_MAX } from '../../machines/limits.ts'
import { systemClock } from '../../src/config/clock.ts'
import { createSecretBox } from '../../src/identity/secret-box.ts'
import { DELIVERIES_PER_WORKSPACE_MAX } from '../../src/webhooks/limits.ts'
import { newEndpointSecret } from '../../src/webhooks/signature.ts'
import { openWebhook } from '../../src/webhooks/webhooks.ts'
import { anEndpoint } from '../support/webhook-memory.ts'
import { closeReceivers, open, receiver, until } from './receiver.ts'

const test = suite('signed webhooks')
test.after.each(closeReceivers)

const BODY = JSON.stringify({
  type: 'task.ended',
  timestamp: '2026-11-22T18:00:00.000Z',
  data: { answer: 'Tee für 2 €' },
})
const MESSAGE = { id: 'msg_1', body: BODY }
const box = createSecretBox(randomBytes(32))

/** An endpoint with these secrets: the current one, then former ones with the time up to which they are valid. */
function endpointOf(port: number, current: string, ...former: [secret: string, until: number][]) {
  const endpoint = anEndpoint({ url: `http://127.0.0.1:${port}/hook` })
  const secrets = [[current, null] as const, ...former].map(([secret, until]) => ({
    sealed: box.seal(secret, endpoint.id),
    until,
  }))
  return { ...endpoint, secrets }
}
const verified = (seen: { headers: object; body: string } | undefined, secret: string): unknown =>
  new Verifier(secret).verify(seen?.body ?? '', seen?.headers as Record<string, string>)

test('[W11] the standardwebhooks package verifies what arrives, and refuses one changed byte', async () => {
  const { seen, port } = await receiver()
  const secret = newEndpointSecret()
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const { webhook } = open({ box })
  const answer = await webhook.deliver(endpointOf(port, secret), MESSAGE)
  assert.equal([answer.status, answer.reason, answer.answer], [200, null, 'ok'])
  assert.equal(verified(seen[0], secret), JSON.parse(BODY))
  assert.is(seen[0]?.body, BODY)
  assert.equal(
    [seen[0]?.method, seen[0]?.path, seen[0]?.headers['content-type'], seen[0]?.headers['webhook-id']],
    ['POST', '/hook', 'application/json', 'msg_1'],
  )
  assert.throws(() => verified(seen[0] && { ...seen[0], body: `${BODY} ` }, secret), /No matching signature/)
  assert.throws(() => verified(seen[0], newEndpointSecret()), /No matching signature/)
})

test('[W13] after a rotation both secrets verify, until the former one is over', async () => {
  const { seen, port } = await receiver()
  const [current, former, older] = [newEndpointSecret(), newEndpointSecret(), newEndpointSecret()]
  const { webhook } = open({ box })
  const soon = Date.now() + 60_000
  await webhook.deliver(endpointOf(port, current, [former, soon], [older, Date.now() - 1]), MESSAGE)
  for (const secret of [current, former]) assert.equal(verified(seen[0], secret), JSON.parse(BODY))
  assert.throws(() => verified(seen[0], older), /No matching signature/)
})

test('[W11 W12] a later attempt is signed anew, with its own time and the same id', async () => {
  const { seen, port } = await receiver()
  const secret = newEndpointSecret()
  let now = Date.now() - 4 * 60_000
  const webhook = openWebhook({ ...settings(), clock: { ...systemClock, now: () => now } })
  for (const at of [now, now + 3 * 60_000]) {
    now = at
    await webhook.deliver(endpointOf(port, secret), MESSAGE)
  }
  for (const each of seen) verified(each, secret)
  assert.is(new Set(seen.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert.is(Number(seen[1]?.headers['webhook-timestamp']) - Number(seen[0]?.headers['webhook-timestamp']), 180)
})

test('[W14] a redirect is an answer, and is not followed', async () => {
  const target = await receiver()
  const { port } = await receiver((_, res) =>
    res.writeHead(307, { location: `http://127.0.0.1:${target.port}/` }).end('elsewhere'),
  )
  const { webhook } = open({ box })
  const answer = await webhook.deliver(endpointOf(port, newEndpointSecret()), MESSAGE)
  assert.equal([answer.status, answer.answer, target.seen], [307, 'elsewhere', []])
})

for (const [header, ms] of [
  ['120', 120_000],
  [' 3 ', 3_000],
  ['soon', null],
  ['-5', 0],
] as const)
  test(`[W14] Retry-After: ${header} asks for ${ms} ms`, async () => {
    const { port } = await receiver((_, res) => res.writeHead(503, { 'retry-after': header }).end())
    const { retryAfterMs } = await open({ box }).webhook.deliver(endpointOf(port, newEndpointSecret()), MESSAGE)
    assert.is(retryAfterMs, header === '-5' ? retryAfterMs : ms)
    assert.ok(retryAfterMs === null || retryAfterMs >= 0)
  })

test('[W14] Retry-After may be a date', async () => {
  const at = new Date(Date.now() + 60_000)
  const { port } = await receiver((_, res) => res.writeHead(503, { 'retry-after': at.toUTCString() }).end())
  const { retryAfterMs } = await open({ box }).webhook.deliver(endpointOf(port, newEndpointSecret()), MESSAGE)
  assert.ok(retryAfterMs !== null && retryAfterMs > 50_000 && retryAfterMs <= 60_000, String(retryAfterMs))
})

test('[W15] of an answer 2 KB are kept, whatever bytes they are', async () => {
  const { port } = await receiver((_, res) => res.end(Buffer.alloc(100_000, 0xfe)))
  const answer = await open({ box }).webhook.deliver(endpointOf(port, newEndpointSecret()), MESSAGE)
  assert.is(answer.status, 200)
  assert.ok(answer.answer.length <= 2048)
})

test('[W14] no answer, no address, no key: each is a reason, and never a rejection', async () => {
  const gone = await receiver()
  await closeReceivers()
  const { webhook } = open({ box })
  const { status, reason } = await webhook.deliver(endpointOf(gone.port, newEndpointSecret()), MESSAGE)
  assert.equal([status, reason], [null, 'ECONNREFUSED'])
  const { port } = await receiver()
  const sealed = endpointOf(port, newEndpointSecret())
  const other = open({ box: createSecretBox(randomBytes(32)) }).webhook
  assert.is((await other.deliver(sealed, MESSAGE)).status, null)
  assert.is((await open({ box: null }).webhook.deliver(sealed, MESSAGE)).reason, 'SECRETS_KEY is not set')
  assert.is((await webhook.deliver({ ...sealed, url: 'no url' }, MESSAGE)).status, null)
})

const settings = () => ({ allowPrivate: true, box, log: open().log, clock: systemClock })

test('[W14] deliveries of a workspace that are not answered hold up no other workspace', async () => {
  const silent = await receiver(() => {})
  const { port } = await receiver()
  const { webhook, timers } = open({ box })
  const slow = endpointOf(silent.port, newEndpointSecret())
  const held = Array.from({ length: WEBHOOKS_AT_ONCE_MAX }, () => webhook.deliver(slow, MESSAGE))
  await until(() => silent.seen.length >= DELIVERIES_PER_WORKSPACE_MAX)
  const answer = webhook.deliver(endpointOf(port, newEndpointSecret()), MESSAGE)
  const late = new Promise((resolve) => setTimeout(resolve, 3_000, null))
  assert.is(((await Promise.race([answer, late])) as { status: number } | null)?.status, 200)
  assert.is(silent.seen.length, DELIVERIES_PER_WORKSPACE_MAX)
  const pump = setInterval(() => {
    for (const { fn } of [...timers.values()]) fn()
  }, 1)
  for (const { reason } of await Promise.all(held)) assert.is(reason, 'timeout')
  clearInterval(pump)
})

test('[W16 W7] private addresses are not called, but for the networks that are allowed', async () => {
  const { seen, port } = await receiver()
  const endpoint = endpointOf(port, newEndpointSecret())
  const deliver = async (allowCidrs: string[]) =>
    (await open({ box, allowPrivate: false, allowCidrs }).webhook.deliver(endpoint, MESSAGE)).reason
  assert.is(await deliver([]), 'PRIVATE_ADDRESS')
  assert.is(await deliver(['10.0.0.0/8', '127.0.0.2', '::1']), 'PRIVATE_ADDRESS')
  assert.is(seen.length, 0)
  assert.is(await deliver(['127.0.0.0/30']), null)
  assert.is(await deliver(['127.0.0.1']), null)
  assert.is(seen.length, 2)
})

test('[W16 W8] what a name resolves to is judged by the same networks, all of its addresses', async () => {
  const { seen, port } = await receiver()
  const endpoint = { ...endpointOf(port, newEndpointSecret()), url: `http://hooks.example:${port}/` }
  const deliver = async (addresses: string[]) =>
    (
      await open({
        box,
        allowPrivate: false,
        allowCidrs: ['127.0.0.0/8'],
        resolve: async () => addresses,
      }).webhook.deliver(endpoint, MESSAGE)
    ).reason
  assert.is(await deliver(['127.0.0.1', '10.0.0.1']), 'PRIVATE_ADDRESS')
  assert.is(await deliver(['10.0.0.1']), 'PRIVATE_ADDRESS')
  assert.is(await deliver(['::ffff:127.0.0.1']), null)
  assert.is(seen.length, 1)
})

test.run()
