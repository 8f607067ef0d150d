import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import type { Handler, Listener, SocketHandlers, Transport } from '../../../src/net/transport.ts'
import { listenWith, RawClient } from '../../support/http-wire.ts'

const hello: Handler = ({ path }) => ({ status: 200, headers: [], body: `answered ${path}` })
const idle: SocketHandlers<null> = {
  maxFrameBytes: 1_024,
  data: () => null,
  open() {},
  message() {},
  close() {},
}

/** What both transports promise of requests to upgrade that become no WebSocket. */
export function upgradeSuite(transport: Transport): void {
  const test = suite(`${transport.name} upgrades`)
  const listeners: Listener[] = []
  const serve = async (handle = hello, maxBodyBytes?: number) => {
    const listener = await listenWith(transport, handle, { '/relay': idle }, maxBodyBytes)
    listeners.push(listener)
    return listener
  }
  test.after.each(async () => {
    for (const listener of listeners.splice(0)) await listener.close()
  })

  test('[N13] a page of an origin that is not taken is refused, and what is not a page is not', async () => {
    const takesOrigin = (origin: string | null) => origin === null || origin === 'https://ours.example'
    const listener = await listenWith(transport, hello, { '/relay': { ...idle, takesOrigin } })
    listeners.push(listener)
    const outcome = (origin?: string) =>
      new Promise<string>((resolve) => {
        const ws = new WebSocket(`ws://127.0.0.1:${listener.port}/relay`, origin === undefined ? {} : { origin })
        ws.on('error', () => {})
        ws.on('unexpected-response', (_, incoming) => resolve(String(incoming.statusCode)))
        ws.on('open', () => {
          ws.terminate()
          resolve('open')
        })
      })
    assert.is(await outcome(), 'open')
    assert.is(await outcome('https://ours.example'), 'open')
    assert.is(await outcome('https://evil.example'), '403')
    assert.is(await outcome('null'), '403')
  })

  test('an upgrade at a path without sockets is answered by the handler', async () => {
    const listener = await serve()
    const ws = new WebSocket(`ws://127.0.0.1:${listener.port}/elsewhere`)
    ws.on('error', () => {})
    const body = await new Promise<string>((resolve) =>
      ws.on('unexpected-response', (_, incoming) => incoming.on('data', (data) => resolve(String(data)))),
    )
    assert.is(body, 'answered /elsewhere')
  })

  test('a plain request at the path of the sockets is answered by the handler', async () => {
    const raw = await RawClient.open((await serve()).port)
    await raw.write('GET /relay HTTP/1.1\r\nHost: h\r\n\r\n')
    assert.is((await raw.answer()).body, 'answered /relay')
    raw.destroy()
  })

  test('an upgrade to something else is answered by the handler', async () => {
    const raw = await RawClient.open((await serve()).port)
    await raw.write('GET /relay HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
    assert.is((await raw.answer()).body, 'answered /relay')
    raw.destroy()
  })

  test('an upgrade to something else keeps its body', async () => {
    const bodies: string[] = []
    const listener = await serve(({ body, bodyTooLarge }) => {
      bodies.push(bodyTooLarge ? 'too large' : Buffer.from(body).toString())
      return { status: 200, headers: [], body: 'ok' }
    }, 10)
    for (const body of ['', '0123456789', 'x'.repeat(11)]) {
      const raw = await RawClient.open(listener.port)
      const head = `POST /v1/tasks HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: ${body.length}\r\n\r\n`
      await raw.write(head + body.slice(0, 4))
      await raw.write(body.slice(4))
      assert.is((await raw.answer()).body, 'ok')
      raw.destroy()
    }
    assert.equal(bodies, ['', '0123456789', 'too large'])
  })

  test.run()
}
