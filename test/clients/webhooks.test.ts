import { Webhook } from 'standardwebhooks'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BrowserTaskError, BrowserTasks } from '../../src/client/index.ts'

const test = suite('the TypeScript client: signed webhooks')
const url = 'http://svc.test'

test('[Y5] a signed webhook is verified and parsed; a wrong, an old or an unsigned one is refused', async () => {
  const { webhooks } = new BrowserTasks({ baseUrl: url })
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const body = JSON.stringify({ type: 'task.ended', timestamp: new Date().toISOString(), data: { answer: 'ä' } })
  const now = new Date()
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': `v1,AAAA ${new Webhook(secret).sign('msg_1', now, body)}`,
  }
  const event = await webhooks.unwrap(body, headers, secret)
  assert.equal([event.type, event.type === 'task.ended' && event.data.answer], ['task.ended', 'ä'])
  assert.is((await webhooks.unwrap(Buffer.from(body), new Headers(headers), secret)).type, 'task.ended')
  const later = now.getTime() + 301_000
  for (const [text, given, key, at] of [
    [`${body} `, headers, secret, undefined],
    [body, headers, 'whsec_c29tZXRoaW5nIGVsc2U=', undefined],
    [body, { ...headers, 'webhook-id': 'msg_2' }, secret, undefined],
    [body, { ...headers, 'webhook-signature': 'v2,x nonsense' }, secret, undefined],
    [body, {}, secret, undefined],
    [body, headers, secret, later],
  ] as const) {
    const error = await webhooks.unwrap(text, given, key, at).catch((reason: unknown) => reason)
    assert.ok(error instanceof BrowserTaskError && error.code === 'webhook_invalid', String(error))
  }
})

test('[Y5] without a secret it is said what is missing', async () => {
  const { webhooks } = new BrowserTasks({ baseUrl: url })
  for (const secret of ['', 'whsec_', 'whsec_not base64!', undefined as unknown as string]) {
    const error = await webhooks.unwrap('{}', {}, secret).catch((reason: unknown) => reason)
    assert.ok(error instanceof BrowserTaskError && error.code === 'webhook_secret_invalid', String(error))
    assert.match(error.message, 'whsec_')
  }
})

test.run()
