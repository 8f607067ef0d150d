import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bodyBytesMax } from '../../src/api/request-body.ts'
import { nodeTransport } from '../../src/net/node.ts'
import type { Listener } from '../../src/net/transport.ts'
import { uwsTransport } from '../../src/net/uws.ts'
import { aKey, makeSurface } from '../support/http-surface.ts'
import { listenWith, RawClient } from '../support/http-wire.ts'
import { refusal } from '../support/refusal.ts'

// What only shows on the wire: the whole surface behind each transport.

const surface = await makeSurface()
const { key } = await aKey(surface)
const session = '00000000-0000-4000-8000-000000000000'
const authorized = `Authorization: Bearer ${key}\r\n`

for (const transport of [uwsTransport(surface.log), nodeTransport(surface.log)]) {
  const test = suite(`http over ${transport.name}`)
  let listener: Listener
  let raw: RawClient
  test.before.each(async () => {
    listener = await listenWith(transport, surface.handle, {}, bodyBytesMax)
    raw = await RawClient.open(listener.port)
  })
  test.after.each(async () => {
    raw.destroy()
    await listener.close()
  })

  const get = async (path: string, head = authorized, method = 'GET') => {
    await raw.write(`${method} ${path} HTTP/1.1\r\nHost: h\r\n${head}\r\n`)
    return raw.answer(method === 'HEAD')
  }
  const post = async (path: string, body: string, head = authorized) => {
    await raw.write(`POST ${path} HTTP/1.1\r\nHost: h\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`)
    await raw.write(body)
    return raw.answer()
  }
  const isAlive = async () => assert.is((await get('/v1/tasks')).status, 200)

  test('[E7] a body that is no JSON is a 500 with its request id, on a living connection', async () => {
    for (const path of ['/v1/tasks', '/v1/browser-sessions/register']) {
      const { status, headers, body } = await post(path, '{"task": ')
      assert.is(status, 500)
      assert.equal(
        JSON.parse(body),
        refusal('Internal server error', 'internal', { request_id: headers['x-request-id'] }),
      )
    }
    await isAlive()
  })
  test('[E8] a body over 128 KB is the same 500, on a living connection; one of exactly 128 KB is read', async () => {
    const body = JSON.stringify({ task: 'x', browser_session_id: session, padding: '' })
    const exactly = body.replace('""', `"${'x'.repeat(131_072 - body.length)}"`)
    assert.is((await post('/v1/tasks', exactly)).status, 201)
    const { status, headers, body: answer } = await post('/v1/tasks', `${exactly} `)
    assert.is(status, 500)
    assert.is(JSON.parse(answer).request_id, headers['x-request-id'])
    assert.is((await post('/v1/tasks', 'x'.repeat(3_000_000))).status, 500)
    await isAlive()
  })
  test('[A9] without a key a bad or over-size body is 401, on a living connection', async () => {
    assert.is((await post('/v1/tasks', '{', '')).status, 401)
    assert.is((await post('/v1/tasks', 'x'.repeat(200_000), '')).status, 401)
    await isAlive()
  })
  test('[E4] HEAD has the head of GET and no body, whatever the answer', async () => {
    for (const path of ['/v1/tasks', '/v1/debug-cookies', '/v1/nowhere', '/openapi.json']) {
      const [wanted, { status, headers, body }] = [await get(path), await get(path, authorized, 'HEAD')]
      assert.is(status, wanted.status)
      assert.is(headers['content-length'], wanted.headers['content-length'])
      assert.is(body, '')
    }
    await isAlive()
  })
  test('[C3] a preflight is 204 without a body', async () => {
    const { status, headers } = await get('/v1/tasks', 'Origin: http://localhost:3000\r\n', 'OPTIONS')
    assert.is(status, 204)
    assert.is(headers['access-control-max-age'], '86400')
    assert.is(raw.received, '')
    await isAlive()
  })
  test('[E5] the headers of every answer arrive', async () => {
    const { headers } = await get('/v1/tasks')
    assert.is(headers['content-type'], 'application/json')
    assert.is(headers.vary, 'Origin')
    assert.match(headers['x-request-id'] ?? '', /^[0-9a-f]{8}$/)
  })
  test('[T48] a cancel whose head comes in two segments is answered', async () => {
    const { json } = await surface.ask('POST', '/v1/tasks', { key, body: { task: 'x', browser_session_id: session } })
    await raw.write(`POST /v1/tasks/${json.id}/cancel HTTP/1.1\r\nHost: h\r\n${authorized}Content-`)
    await raw.write('Length: 0\r\n\r\n')
    assert.is(JSON.parse((await raw.answer()).body).ended_by, 'cancelled')
  })
  test('[E3] methods and paths of any shape are answered', async () => {
    for (const path of ['/v1/tasks/%', '/v1/tasks/%00', '//', '/v1/../v1/tasks', '/v1/tasks/%E0%A4%A']) {
      assert.is((await get(path)).status, 404, path)
    }
    assert.is((await get('/v1/tasks', authorized, 'PUT')).status, 404)
    assert.is((await get('/v1/tasks', authorized, 'PATCH')).status, 404)
  })

  test.run()
}
