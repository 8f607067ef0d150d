import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Response, ResponseStream, Transport } from '../../../src/net/transport.ts'
import { PortInUse } from '../../../src/net/transport.ts'
import { listenWith, type memoryLog, RawClient, until } from '../../support/http-wire.ts'
import { echo, served, text } from './served.ts'

/** What both transports promise of streams and of a listener's life. `log` is the one that the transport was made with. */
export function listenerSuite(transport: Transport, log: ReturnType<typeof memoryLog>): void {
  const test = suite(`${transport.name} listener`)
  const { client, serve } = served(test, transport, log)

  test('a stream holds a writer back until its reader reads, and tells when the reader is gone', async () => {
    let stream: ResponseStream | null = null
    let drained = 0
    let closed = 0
    const listener = await serve(() => ({
      status: 200,
      headers: [['Content-Type', 'text/event-stream']],
      body: null,
      stream: (begun) => {
        stream = begun
        begun.onDrain(() => drained++)
        begun.onClose(() => closed++)
      },
    }))
    const raw = await client(listener)
    await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await until('the head', () => raw.received.includes('text/event-stream'))
    const writer = stream as ResponseStream | null
    assert.ok(writer)
    assert.is(writer.write('data: first\n\n'), true)
    await until('the first event', () => raw.received.includes('data: first'))
    raw.pause()
    const block = 'x'.repeat(65_536)
    let written = 0
    while (writer.write(block)) assert.ok(++written < 1_000, 'a slow reader is never felt')
    assert.is(drained, 0)
    raw.resume()
    await until('the drain', () => drained > 0)
    raw.destroy()
    await until('the close', () => closed > 0)
    assert.is(writer.write('late'), false)
    writer.end()
    assert.is(closed, 1)
  })

  test('an event that is more than a connection takes at once arrives whole, though nothing is written after it', async () => {
    // More than the kernel keeps for both ends of a connection.
    const event = `data: ${'x'.repeat(16_000_000)}\n\n`
    let drained = 0
    const listener = await serve(() => ({
      status: 200,
      headers: [['Content-Type', 'text/event-stream']],
      body: null,
      stream(begun) {
        begun.onDrain(() => drained++)
        begun.write(event)
      },
    }))
    const reading = new AbortController()
    const { body } = await fetch(`http://127.0.0.1:${listener.port}/`, { signal: reading.signal })
    const read: Uint8Array[] = []
    const all = async () => {
      for await (const part of body ?? []) read.push(part)
    }
    all().catch(() => {})
    await until('the end of the event', () => drained > 0 && Buffer.concat(read).includes('\n\n'))
    reading.abort()
    // What may follow is a comment.
    const [first, ...more] = Buffer.concat(read).toString('latin1').split('\n\n')
    assert.is(`${first}\n\n`.length, event.length)
    assert.ok(more.every((part) => part === '' || part.startsWith(':')))
  })

  test('a stream that ends, ends', async () => {
    const raw = await client(
      await serve(() => ({
        status: 200,
        headers: [],
        body: null,
        stream: (stream) => {
          stream.write('one')
          stream.end()
          stream.end()
        },
      })),
    )
    await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await until('the last chunk', () => raw.received.endsWith('0\r\n\r\n'))
    assert.match(raw.received, /3\r\none\r\n/)
  })

  test('a taken port is PortInUse, by number', async () => {
    const { port } = await serve(echo)
    try {
      await transport.listen({ host: '127.0.0.1', port, handle: echo, maxBodyBytes: 1, sockets: {} })
      assert.unreachable()
    } catch (error) {
      assert.instance(error, PortInUse)
      assert.match((error as Error).message, String(port))
    }
  })

  test('a host that is not of this machine is an error that names it', async () => {
    try {
      await transport.listen({ host: '192.0.2.1', port: 0, handle: echo, maxBodyBytes: 1, sockets: {} })
      assert.unreachable()
    } catch (error) {
      assert.match((error as Error).message, '192.0.2.1')
      assert.not.instance(error, PortInUse)
    }
  })

  test('two listeners live side by side, each with its own handler', async () => {
    const [one, two] = [await serve(() => text('one')), await serve(() => text('two'))]
    for (const [listener, body] of [
      [one, 'one'],
      [two, 'two'],
    ] as const) {
      const raw = await client(listener)
      await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
      assert.is((await raw.answer()).body, body)
    }
  })

  test('a paused listener takes nobody new, and finishes what is open', async () => {
    const listener = await serve(echo)
    const raw = await client(listener)
    await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await raw.answer()
    assert.is(listener.listening(), true)
    listener.pause()
    assert.is(listener.listening(), false)
    listener.pause()
    const refused = await RawClient.open(listener.port).then(
      () => false,
      () => true,
    )
    assert.is(refused, true)
  })

  test('closing lets an answer on its way finish, ends streams, and drops the rest', async () => {
    let finish = (_: Response) => {}
    let closes = 0
    const listener = await listenWith(transport, ({ path }) =>
      path === '/late'
        ? new Promise((resolve) => {
            finish = resolve
          })
        : { status: 200, headers: [], body: null, stream: (stream) => stream.onClose(() => closes++) },
    )
    const [late, streaming] = [await client(listener), await client(listener)]
    await streaming.write('GET /stream HTTP/1.1\r\nHost: h\r\n\r\n')
    await until('the stream', () => streaming.received !== '')
    await late.write('GET /late HTTP/1.1\r\nHost: h\r\n\r\n')
    const idle = await client(listener)
    await until('the late request', () => finish.length === 1)
    const closing = listener.close()
    finish(text('made it'))
    assert.is((await late.answer()).body, 'made it')
    await closing
    assert.is(closes, 1)
    for (const raw of [late, streaming, idle]) await until('the end of a connection', () => raw.closed)
  })

  test.run()
}
