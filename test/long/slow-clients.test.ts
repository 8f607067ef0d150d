import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeTransport } from '../../src/net/node.ts'
import { uwsTransport } from '../../src/net/uws.ts'
import { eventually } from '../support/eventually.ts'
import { listenWith, memoryLog, RawClient } from '../support/http-wire.ts'

// Clients that begin a request and never finish it must not be able to hold connections for ever.

const ENDED_MS_MAX = 50_000
const SLOW = [
  ['nothing', ''],
  ['half a head', 'GET /v1/tasks HTTP/1.1\r\nHost: h\r\nX-Slow'],
  ['half a body', 'POST /v1/tasks HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n{"task":'],
  ['half a chunk', 'POST /v1/tasks HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{"task":'],
] as const

for (const transport of [uwsTransport(memoryLog()), nodeTransport(memoryLog())]) {
  const test = suite(`slow clients: ${transport.name}`)
  test('a request that is never finished is given up, and others are answered meanwhile', async () => {
    const listener = await listenWith(transport, () => ({ status: 200, headers: [], body: 'ok' }), {}, 1_000)
    const clients = await Promise.all(SLOW.map(() => RawClient.open(listener.port)))
    for (const [at, client] of clients.entries()) await client.write(SLOW[at]?.[1] ?? '')
    const quick = await RawClient.open(listener.port)
    await quick.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    assert.is((await quick.answer()).status, 200)
    for (const [at, client] of clients.entries()) {
      await eventually(() => client.closed, `the end of the one that sent ${SLOW[at]?.[0]}`, ENDED_MS_MAX)
    }
    quick.destroy()
    await listener.close()
  })
  test.run()
}
