import { request as httpRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createCompressed } from '../../src/net/compression.ts'
import type { Response } from '../../src/net/transport.ts'
import { openService, type TestService } from '../support/service.ts'

const test = suite('compressed documents')

async function ask({ url, key }: TestService, path: string, encoding: string | null, more: object = {}) {
  const headers = { ...(encoding === null ? {} : { 'accept-encoding': encoding }), ...more }
  const sent = httpRequest(`${url}${path}`, {
    headers: path.startsWith('/v1') ? { ...headers, authorization: `Bearer ${key}` } : headers,
  })
  const answer = new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject)
  })
  sent.end()
  const { statusCode, headers: got, ...stream } = await answer
  void stream
  return { status: statusCode, headers: got, bytes: await buffer(await answer) }
}
const plain = (bytes: Buffer, encoding: string | undefined): string =>
  (encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()

/** Documents, and how much smaller they have to become. */
const DOCUMENTS = [
  ['/openapi.json', 4],
  ['/docs/api', 4],
  ['/docs', 2],
  ['/llms.txt', 1],
  ['/static/style.css', 3],
  ['/dashboard', 1.2],
] as const
const ACCEPTED = [
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0, GZIP;q=0.5', 'gzip'],
  ['gzip;q=0, br;q=0.0', undefined],
  ['identity', undefined],
  ['brotli, gzipped', undefined],
  [null, undefined],
] as const

for (const name of ['uws', 'node'])
  test(`[E32] [P2] over ${name}: each document by each encoding, with Vary; answers of the API, pictures and zips are as they are`, async () => {
    const service = await openService({ env: { TRANSPORT: name, BROWSERS: '0' } })
    try {
      for (const [path, factor] of DOCUMENTS) {
        const whole = await ask(service, path, null)
        for (const [accepted, wanted] of ACCEPTED) {
          const { status, headers, bytes } = await ask(service, path, accepted)
          const where = `${path} ${accepted}`
          assert.equal([status, headers['content-encoding']], [200, wanted], where)
          assert.match(String(headers.vary), /accept-encoding/i, where)
          assert.is(Number(headers['content-length'] ?? bytes.length), bytes.length, where)
          if (wanted !== undefined) assert.ok(bytes.length * factor < whole.bytes.length, `${where}: ${bytes.length}`)
          assert.ok(plain(bytes, wanted) === plain(whole.bytes, undefined), where)
        }
      }
      const both = 'gzip, br'
      for (const path of [
        '/v1/health',
        '/v1/tasks',
        '/v1/me',
        '/docs/images/dashboard.png',
        '/extension.zip',
        '/favicon.ico',
      ])
        assert.is((await ask(service, path, both)).headers['content-encoding'], undefined, path)
      const head = httpRequest(`${service.url}/openapi.json`, { method: 'HEAD', headers: { 'accept-encoding': both } })
      const answered = new Promise<import('node:http').IncomingMessage>((resolve) => head.once('response', resolve))
      head.end()
      assert.is((await answered).headers['content-encoding'], 'br')
    } finally {
      await service.kill()
    }
  })

const asked = (more: object = {}) =>
  ({ method: 'GET', path: '/', headers: { 'accept-encoding': 'br', ...more }, isInside: false }) as never
const answer = (type: string, body: string, more: Response['headers'] = []): Response => ({
  status: 200,
  headers: [['Content-Type', type], ...more],
  body,
})
const isCompressed = async (response: Response, request = asked()) =>
  (await createCompressed()(request, response)).headers.some(([name]) => name === 'Content-Encoding')

test('[E32] JSON from 8 KB on, other documents from 1 KB on; nothing twice, no stream, nothing for the service itself', async () => {
  const json = 'application/json'
  assert.equal(
    [
      await isCompressed(answer(json, 'x'.repeat(8_191))),
      await isCompressed(answer(json, 'x'.repeat(8_192))),
      await isCompressed(answer('text/html; charset=utf-8', 'x'.repeat(1_023))),
      await isCompressed(answer('text/html; charset=utf-8', 'x'.repeat(1_024))),
      await isCompressed(answer('image/jpeg', 'x'.repeat(9_000))),
      await isCompressed(answer('text/event-stream', 'x'.repeat(9_000))),
      await isCompressed({ ...answer(json, ''), body: null, stream: () => {} }),
    ],
    [false, true, false, true, false, false, false],
  )
  const already = answer('text/css', 'x'.repeat(9_000), [['Content-Encoding', 'gzip']])
  assert.is(await createCompressed()(asked(), already), already)
  const inside = { ...(asked() as object), isInside: true } as never
  assert.is(await isCompressed(answer(json, 'x'.repeat(9_000)), inside), false)
})

test('[E32] what one client was answered is not another’s: only what nobody signed in for is kept', async () => {
  const compressed = createCompressed()
  const page = answer('text/html', 'y'.repeat(2_000))
  const bytes = async (headers: object) => (await compressed(asked(headers), page)).body
  const [open, again] = [await bytes({}), await bytes({})]
  assert.ok(open === again, 'the same bytes again')
  const [signedIn, stillSignedIn] = [await bytes({ cookie: 'a' }), await bytes({ cookie: 'a' })]
  assert.ok(signedIn !== stillSignedIn && signedIn !== open)
  assert.ok((await bytes({ authorization: 'a' })) !== open)
})

test.run()
