import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { UnadmittedSockets } from '../../../src/net/sockets/unadmitted.ts'

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

test('[R43] when the memory of frames grows by more than 64 MB the newer half is dropped, again and again', () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) socketNamed(name)
  grow(32, 32)
  grow(32, 32)
  assert.equal(dropped, [])
  grow(1, 1)
  assert.equal(dropped, ['c', 'd', 'e'])
  grow(-40, -40)
  grow(64, 64)
  assert.equal(dropped.length, 3, 'what was let go of is no allowance, and no debt')
  grow(1, 1)
  assert.equal(dropped.slice(3), ['b'])
  grow(65, 65)
  assert.equal(dropped.slice(4), ['a'])
})

test('[R43] one that was admitted is not dropped; with nobody left the count begins anew', () => {
  const admitted = socketNamed('admitted')
  grow(60, 60)
  sockets.delete(admitted)
  resident = { allocated: resident.allocated + 60 * MB, native: resident.native + 60 * MB }
  socketNamed('late')
  grow(60, 60)
  assert.equal(dropped, [])
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

test.run()
