import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BUNDLE, bundled, hashOf, TYPES, typedDocument } from '../../docs/sdk.ts'
import { BrowserTaskError, BrowserTasks } from '../../src/client/index.ts'

const test = suite('the client as it is published')

test('[Y6] its types are of the present OpenAPI document (else: npm run sdk)', () => {
  assert.match(readFileSync(TYPES, 'utf8').slice(0, 200), hashOf(typedDocument()))
})
test('[Y6] its bundle is of the present sources (else: npm run sdk)', async () => {
  assert.is(readFileSync(BUNDLE, 'utf8'), await bundled())
})

/** Answers as the service would, to every page. */
const server = createServer((request, response) => {
  const type = request.url === '/' ? 'text/html' : request.url === '/client.js' ? 'text/javascript' : 'application/json'
  response.writeHead(200, { 'content-type': type })
  if (request.url === '/client.js') return response.end(readFileSync(BUNDLE))
  response.end(request.url === '/' ? '<!doctype html>' : JSON.stringify({ taskCount: 3, path: request.url }))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const script = (from: string) => `
  const { BrowserTasks, BrowserTaskError } = await import('${from}')
  const client = new BrowserTasks({ baseUrl: '${url}', key: 'k' })
  const { taskCount, path } = await client.usage.get({ since: 5 })`

test('[Y6] plain Node imports it by the name of the package', async () => {
  const code = `${script('browser-task-service/client')}; console.log(taskCount, path)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
  assert.is(stdout, '3 /v1/usage?since=5\n')
})

test('[Y6] a page in Chromium imports it', async () => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROME_PATH || '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  try {
    const page = await browser.newPage()
    await page.goto(url)
    const result = await page.evaluate(`(async () => { ${script('/client.js')}; return [taskCount, path] })()`)
    assert.equal(result, [3, '/v1/usage?since=5'])
  } finally {
    await browser.close()
  }
})

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
  const event = await webhooks.unwrap<{ type: string; data: { answer: string } }>(body, headers, secret)
  assert.equal([event.type, event.data.answer], ['task.ended', 'ä'])
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

test.after(() => void server.close())
test.run()
