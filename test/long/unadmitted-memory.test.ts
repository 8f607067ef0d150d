import { join } from 'node:path'
import { createDeflate, type Deflate } from 'node:zlib'
import { open } from 'lmdb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { UnadmittedSockets } from '../../src/net/sockets/unadmitted.ts'
import { tempFolder } from '../support/stores.ts'

/** The memory of this very process is what is looked at: nothing else may run in it, and little beside it. */
const MB = 1024 * 1024
const test = suite('unadmitted sockets and the memory of a process')

test('[R43] heap, store and native libraries grow while browsers connect: none is dropped', async () => {
  const folder = tempFolder()
  const pages = () => open<Buffer, number>({ path: join(folder, 'pages.mdb'), encoding: 'binary' })
  const before = pages()
  for (let n = 0; n < 40; n++) await before.put(n, Buffer.alloc(MB, n + 1))
  await before.close()
  const after = pages()
  const dropped: string[] = []
  const sockets = new UnadmittedSockets()
  const socketNamed = (name: string) => sockets.add({ drop: () => void dropped.push(name) })
  socketNamed('first')
  const heap: unknown[] = []
  const deflates: Deflate[] = []
  const residentBefore = process.memoryUsage.rss()
  // Into one buffer, which is used again: pages alone are what grows.
  const growing = {
    store: (n: number) => void after.getBinaryFast(n),
    heap: (n: number) => void heap.push(Array.from({ length: 200_000 }, (_, at) => ({ at, n }))),
    native: () => void deflates.push(createDeflate(), createDeflate(), createDeflate(), createDeflate()),
    garbage: () => void heap.splice(0),
  }
  for (const [what, grow] of Object.entries(growing)) {
    for (let n = 0; n < 40; n++) {
      socketNamed(`${what} ${n}`)
      grow(n)
      sockets.look()
    }
  }
  assert.ok(process.memoryUsage.rss() - residentBefore > 64 * MB, 'it grew')
  assert.equal(dropped, [])
  for (const deflate of deflates) deflate.close()
  await after.close()
})

test.run()
