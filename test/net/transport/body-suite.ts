import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Handler, Transport } from '../../../src/net/transport.ts'
import type { memoryLog } from '../../support/http-wire.ts'
import { served, text } from './served.ts'

const MB = 1024 * 1024
const FILE_BYTES_MAX = 25 * MB
const length: Handler = ({ body, busy }) => text(busy ? 'busy' : String(body.length))

/** What both transports promise of large bodies. `log` is the one that the transport was made with. */
export function bodySuite(transport: Transport, log: ReturnType<typeof memoryLog>): void {
  const test = suite(`${transport.name} large bodies`)
  const { client, serve } = served(test, transport, log)

  test('[U8] a body that comes in chunks of one byte takes the memory of its bytes', async () => {
    const raw = await client(await serve(length, FILE_BYTES_MAX))
    const chunks = Buffer.from('1\r\nx\r\n'.repeat(10_000))
    await raw.write('POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n')
    setFlagsFromString('--expose-gc')
    const memoryUsed = () => {
      runInNewContext('gc')()
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    }
    const before = memoryUsed()
    for (let n = 0; n < 50; n++) await raw.write(chunks)
    const grown = memoryUsed() - before
    assert.ok(grown < 5 * MB, `${grown} bytes for a body of 500,000`)
    await raw.write('0\r\n\r\n')
    assert.is((await raw.answer()).body, '500000')
  })

  test.run()
}
