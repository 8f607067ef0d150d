import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LARGE_BODIES_BYTES_MAX } from '../../../src/net/limits.ts'
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
    for (let n = 0; n < 20; n++) await raw.write(chunks)
    const grown = memoryUsed() - before
    assert.ok(grown < 5 * MB, `${grown} bytes for a body of 200,000`)
    await raw.write('0\r\n\r\n')
    assert.is((await raw.answer()).body, '200000')
  })

  test('[U8] clients that send slowly keep nobody else from sending a large body', async () => {
    const listener = await serve(length, FILE_BYTES_MAX)
    const post = (bytes: number) => `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${bytes}\r\n\r\n`
    const file = Buffer.alloc(FILE_BYTES_MAX)
    const slow = await Promise.all(Array.from({ length: 11 }, () => client(listener)))
    for (const raw of slow) await raw.write(post(FILE_BYTES_MAX))
    let sent = 0
    for (const bytes of [140_000, 24 * MB]) {
      for (const raw of slow) await raw.write(file.subarray(sent, bytes))
      sent = bytes
      const other = await client(listener)
      await other.write(post(FILE_BYTES_MAX))
      await other.write(file)
      assert.is((await other.answer()).body, String(FILE_BYTES_MAX), `beside ${slow.length} that sent ${bytes}`)
    }
    const answers: string[] = []
    for (const raw of slow) {
      await raw.write(file.subarray(sent))
      answers.push((await raw.answer()).body)
      await raw.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
      assert.is((await raw.answer()).body, '0', 'its connection lives on')
    }
    const taken = answers.filter((body) => body === String(FILE_BYTES_MAX)).length
    assert.is(taken, Math.floor(LARGE_BODIES_BYTES_MAX / FILE_BYTES_MAX) - 1, answers.join())
    assert.is(answers.filter((body) => body === 'busy').length, slow.length - taken)
  })

  test.run()
}
