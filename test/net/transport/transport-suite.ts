import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Handler, Request, Response, Transport } from '../../../src/net/transport.ts'
import { type memoryLog, until } from '../../support/http-wire.ts'
import { echo, served, text } from './served.ts'

/** What both transports promise of HTTP. `log` is the one that the transport was made with. */
export function transportSuite(transport: Transport, log: ReturnType<typeof memoryLog>): void {
  const test = suite(`${transport.name} transport`)
  const { client, serve } = served(test, transport, log)

  test('gives the handler a whole copied request', async () => {
    const seen: Request[] = []
    const listener = await serve((request) => {
      // The address is known until the answer.
      seen.push({ ...request, ip: request.ip })
      return text('ok')
    })
    const raw = await client(listener)
    await raw.write(
      'POST /a%20b?x=1&y=%20 HTTP/1.1\r\nHost: h\r\nX-Two: 1\r\nx-two: 2\r\nContent-Length: 4\r\n\r\nbody',
    )
    assert.is((await raw.answer()).body, 'ok')
    const [request] = seen
    assert.ok(request)
    assert.is(request.method, 'POST')
    assert.is(request.path, '/a%20b')
    assert.is(request.query, 'x=1&y=%20')
    assert.is(request.headers['x-two'], '1, 2')
    assert.is(request.ip, '127.0.0.1')
    assert.is(Buffer.from(request.body).toString(), 'body')
    assert.is(request.bodyTooLarge, false)
    assert.is(request.headers.constructor, undefined, 'nothing but what was sent')
  })

  test('writes status, headers and body, and names no library', async () => {
    const raw = await client(await serve(() => text('grüße', 404)))
    await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    const { status, headers, body } = await raw.answer()
    assert.is(status, 404)
    assert.is(headers['x-test'], 'yes')
    assert.is(headers['content-length'], '7')
    assert.is(headers.server, undefined)
    assert.is(headers.uwebsockets, undefined)
    assert.is(body, 'grüße')
  })

  test('sends bytes as they are', async () => {
    const raw = await client(await serve(() => ({ status: 200, headers: [], body: new Uint8Array([1, 255, 0]) })))
    await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    assert.is((await raw.answer()).headers['content-length'], '3')
  })

  test('answers HEAD with the length and without the body, on a living connection', async () => {
    const raw = await client(await serve(echo))
    await raw.write('HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n')
    const head = await raw.answer(true)
    assert.ok(Number(head.headers['content-length']) > 0)
    await raw.write('GET /y HTTP/1.1\r\nHost: h\r\n\r\n')
    assert.is(JSON.parse((await raw.answer()).body).path, '/y')
  })

  test('answers 204 without body and length', async () => {
    const raw = await client(await serve(() => ({ status: 204, headers: [], body: null })))
    await raw.write('OPTIONS / HTTP/1.1\r\nHost: h\r\n\r\n')
    const { status, headers } = await raw.answer()
    assert.is(status, 204)
    assert.is(headers['content-length'], undefined)
    assert.is(raw.received, '')
  })

  test('[E28] the signal of a request is aborted when its client gives it up, and not when it is answered', async () => {
    const signals: AbortSignal[] = []
    const listener = await serve(async ({ signal, path, body }) => {
      signals.push(signal)
      if (path === '/late') await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return text(String(body.length))
    })
    for (const body of ['', 'Content-Length: 4\r\n\r\nbody']) {
      const [answered, givenUp] = [await client(listener), await client(listener)]
      await answered.write(`POST / HTTP/1.1\r\nHost: h\r\n${body || '\r\n'}`)
      await answered.answer()
      await answered.destroy()
      await givenUp.write(`POST /late HTTP/1.1\r\nHost: h\r\n${body || '\r\n'}`)
      await until('it arrives', () => signals.length === 2)
      assert.is(signals[1]?.aborted, false)
      givenUp.destroy()
      await until('the signal', () => signals[1]?.aborted === true)
      assert.is(signals[0]?.aborted, false)
      signals.length = 0
    }
  })

  test('answers later', async () => {
    const raw = await client(await serve(async (request) => text(await Promise.resolve(request.path))))
    await raw.write('GET /late HTTP/1.1\r\nHost: h\r\n\r\n')
    assert.is((await raw.answer()).body, '/late')
  })

  test('a head in two segments with an empty body is answered, wherever it is split', async () => {
    const raw = await client(await serve(echo))
    const head = 'POST /v1/tasks/x/cancel HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n'
    for (let at = 1; at < head.length; at++) {
      await raw.write(head.slice(0, at))
      await raw.write(head.slice(at))
      assert.is((await raw.answer()).status, 200, `split at ${at}`)
    }
  })

  test('a body in many segments, or chunked, arrives whole', async () => {
    const raw = await client(await serve(echo))
    await raw.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\n')
    for (const letter of 'abcdef') await raw.write(letter)
    assert.is(JSON.parse((await raw.answer()).body).body, 'abcdef')
    await raw.write('POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n')
    await raw.write('3\r\ndef\r\n0\r\n\r\n')
    assert.is(JSON.parse((await raw.answer()).body).body, 'abcdef')
  })

  test('an over-size body is answered, and its connection lives on', async () => {
    const raw = await client(await serve(echo, 10))
    for (const length of [10, 11, 500_000]) {
      await raw.write(`POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${length}\r\n\r\n`)
      await raw.write('x'.repeat(length))
      const answer = JSON.parse((await raw.answer()).body)
      assert.is(answer.bodyTooLarge, length > 10)
      assert.is(answer.body, length > 10 ? '' : 'x'.repeat(10))
    }
    await raw.write('POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n')
    for (let chunk = 0; chunk < 3; chunk++) await raw.write('a\r\n0123456789\r\n')
    await raw.write('0\r\n\r\n')
    assert.is(JSON.parse((await raw.answer()).body).bodyTooLarge, true)
  })

  test('pipelined requests are answered in their order', async () => {
    const raw = await client(await serve(echo))
    await raw.write(['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`).join(''))
    for (const path of ['/1', '/2', '/3']) assert.is(JSON.parse((await raw.answer()).body).path, path)
  })

  test('an aborted body is forgotten, and the listener goes on', async () => {
    let handled = 0
    const listener = await serve(() => {
      handled++
      return text('ok')
    })
    const gone = await client(listener)
    await gone.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nonly this')
    gone.destroy()
    const raw = await client(listener)
    await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    assert.is((await raw.answer()).status, 200)
    assert.is(handled, 1)
  })

  test('a peer that left before a late answer does no harm', async () => {
    let finish = (_: Response) => {}
    const listener = await serve((request) =>
      request.path === '/late'
        ? new Promise((resolve) => {
            finish = resolve
          })
        : text('ok'),
    )
    const gone = await client(listener)
    await gone.write('GET /late HTTP/1.1\r\nHost: h\r\n\r\n')
    const raw = await client(listener)
    await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await raw.answer()
    gone.destroy()
    await until('the destroyed connection', () => gone.closed)
    await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await raw.answer()
    finish(text('too late'))
    await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    assert.is((await raw.answer()).status, 200)
  })

  for (const [what, bytes] of [
    ['no HTTP', 'this is no request at all\r\n\r\n'],
    ['no such version', 'GET / HTTP/9.9\r\nHost: h\r\n\r\n'],
    ['a length that is no number', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: abc\r\n\r\n'],
    ['a head without end', `GET / HTTP/1.1\r\nHost: h\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['zero bytes', '\0'.repeat(64)],
  ] as const) {
    test(`malformed (${what}) ends that connection alone`, async () => {
      const listener = await serve(echo)
      const bad = await client(listener)
      await bad.write(bytes)
      await until('an error status or the end', () => bad.closed || /^HTTP\/1\.1 (4|5)\d\d/.test(bad.received))
      const raw = await client(listener)
      await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
      assert.is((await raw.answer()).status, 200)
    })
  }

  test('a head of 12 KB is read', async () => {
    const raw = await client(await serve(echo))
    await raw.write(`GET / HTTP/1.1\r\nHost: h\r\nX-Big: ${'x'.repeat(12_000)}\r\n\r\n`)
    assert.is((await raw.answer()).status, 200)
  })

  for (const [how, handle] of [
    [
      'throws',
      () => {
        throw new Error('boom')
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
  ] as [string, Handler][]) {
    test(`a handler that ${how} is a bare 500 and a log line`, async () => {
      const raw = await client(await serve(handle))
      for (const head of [
        'GET / HTTP/1.1\r\nHost: h\r\n\r\n',
        'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx',
      ]) {
        await raw.write(head)
        const { status, headers, body } = await raw.answer()
        assert.is(status, 500)
        assert.is(headers['content-type'], 'application/json')
        assert.equal(JSON.parse(body), { error: 'Internal server error' })
      }
      assert.is(log.lines.filter((line) => line.level === 'error').length, 2)
    })
  }

  test('a header value cannot end its line', async () => {
    const raw = await client(
      await serve(() => ({ status: 200, headers: [['Location', '/a\r\nSet-Cookie: b=c\u0000\u2028']], body: 'x' })),
    )
    await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    const { headers } = await raw.answer()
    assert.is(headers['set-cookie'], undefined)
    assert.is(headers.location, '/a??Set-Cookie: b=c??')
  })

  test.run()
}
