import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { UnadmittedSockets } from '../../../src/http/sockets/unadmitted.ts'

const MB = 1024 * 1024

const test = suite('unadmitted sockets')
let resident = { allocated: 0, native: 0 }
let sockets: UnadmittedSockets
let dropped: string[]
const socketNamed = (name: string) => {
  const socket = {
    drop() {
      dropped.push(name)
      sockets.delete(socket)
    },
  }
  sockets.add(socket)
  return socket
}
/** What grew between two checks, in megabytes. */
const grow = (allocated: number, native: number) => {
  resident = { allocated: resident.allocated + allocated * MB, native: resident.native + native * MB }
  sockets.look()
}
test.before.each(() => {
  resident = { allocated: 200 * MB, native: 50 * MB }
  dropped = []
  sockets = new UnadmittedSockets(() => resident)
})

test('[R43] a socket during whose time the memory of frames grew by more than 8 MB is dropped', () => {
  socketNamed('early')
  grow(0, 0)
  grow(8, 8)
  assert.equal(dropped, [])
  const admitted = socketNamed('admitted')
  sockets.delete(admitted)
  const late = socketNamed('late')
  grow(1, 1)
  assert.equal(dropped, ['early'])
  grow(8, 8)
  assert.equal(dropped, ['early'])
  grow(1, 1)
  assert.equal(dropped, ['early', 'late'])
  sockets.delete(late)
})

test('[R43] what a socket sends in its first moments counts, and it is dropped at the next check', () => {
  socketNamed('one')
  grow(9, 9)
  assert.equal(dropped, [])
  grow(1, 1)
  assert.equal(dropped, ['one'])
})

test('[R43] memory that was let go of before is no allowance for frames', () => {
  socketNamed('one')
  grow(0, 0)
  grow(-100, -20)
  grow(9, 9)
  assert.equal(dropped, ['one'])
})

test('[R43] growth of the JavaScript heap alone, or of what it lets go of, drops nobody', () => {
  const one = socketNamed('one')
  grow(0, 0)
  for (let n = 0; n < 5; n++) {
    grow(30, 0)
    grow(0, 30)
    grow(-30, -30)
  }
  assert.equal(dropped, [])
  sockets.delete(one)
})

test('[R43] pages of the store that are read while browsers connect drop nobody', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unadmitted-'))
  const pages = () => open<Buffer, number>({ path: join(folder, 'pages.mdb'), encoding: 'binary' })
  const before = pages()
  for (let n = 0; n < 40; n++) await before.put(n, Buffer.alloc(MB, n + 1))
  await before.close()
  const after = pages()
  sockets = new UnadmittedSockets()
  const browser = socketNamed('browser')
  sockets.look()
  const residentBefore = process.memoryUsage.rss()
  // Into one buffer, which is used again: pages alone are what grows.
  for (let n = 0; n < 40; n++) assert.is(after.getBinaryFast(n)?.[0], n + 1)
  assert.ok(process.memoryUsage.rss() - residentBefore > 16 * MB, 'the pages were read')
  sockets.look()
  assert.equal(dropped, [])
  sockets.delete(browser)
  await after.close()
  rmSync(folder, { recursive: true })
})

test.run()
