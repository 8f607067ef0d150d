import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Handler, Listener, Response, Transport } from '../../../src/net/transport.ts'
import { listenWith, RawClient, until } from '../../support/http-wire.ts'

/** Long enough for a connection to be full. */
const SLOW_MS = 100
const text = (body: string): Response => ({ status: 200, headers: [], body })

/** What both transports promise where a client asks and does not read. */
export function unreadSuite(transport: Transport): void {
  const test = suite(`${transport.name} unread answers`)
  const open: (Listener | RawClient)[] = []
  const client = async (listener: Listener) => {
    const raw = await RawClient.open(listener.port)
    open.push(raw)
    return raw
  }
  const serve = async (handle: Handler) => {
    const listener = await listenWith(transport, handle)
    open.push(listener)
    return listener
  }
  test.after.each(async () => {
    for (const one of open.splice(0).reverse()) await (one instanceof RawClient ? one.destroy() : one.close())
  })

  test('[E17] a long answer arrives whole at a client that reads slowly', async () => {
    const body = Array.from({ length: 600_000 }, (_, at) => `${at};`).join('')
    const raw = await client(await serve(({ path }) => text(path === '/more' ? 'more' : body)))
    raw.pause()
    await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    raw.resume()
    assert.ok((await raw.answer()).body === body)
    await raw.write('GET /more HTTP/1.1\r\nHost: h\r\n\r\n')
    assert.is((await raw.answer()).body, 'more')
  })

  test('[E17] requests behind answers that nobody reads are not carried out', async () => {
    let handled = 0
    const body = 'x'.repeat(80_000)
    const listener = await serve(({ path }) => {
      if (path === '/many') handled++
      return text(path === '/many' ? body : 'ok')
    })
    const greedy = await client(listener)
    greedy.pause()
    void greedy.write('GET /many HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(20_000))
    const other = await client(listener)
    await until('the first of them', () => handled > 0)
    for (let n = 0; n < 100; n++) {
      await other.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
      assert.is((await other.answer()).body, 'ok')
    }
    // What the kernel buffers is sent; 50 MB would be 625 answers.
    assert.ok(handled < 625, `${handled} answers of 80 KB`)
  })

  test.run()
}
