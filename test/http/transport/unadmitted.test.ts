import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { UnadmittedSockets } from '../../../src/http/sockets/unadmitted.ts'

const MB = 1024 * 1024

const test = suite('unadmitted sockets')
let native = 100 * MB
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
test.before.each(() => {
  native = 100 * MB
  dropped = []
  sockets = new UnadmittedSockets(() => native)
})

test('[R43] those that were there a look ago are dropped when the memory has grown by more than 8 MB', () => {
  const early = socketNamed('early')
  sockets.look()
  native += 8 * MB
  const admitted = socketNamed('admitted')
  sockets.look()
  assert.equal(dropped, [])
  sockets.delete(admitted)
  socketNamed('late')
  native += 1
  sockets.look()
  assert.equal(dropped, ['early'])
  native += 9 * MB
  sockets.look()
  assert.equal(dropped, ['early', 'late'])
  sockets.delete(early)
})

test('[R43] growth is counted from the least that was seen since there are such sockets', () => {
  socketNamed('one')
  sockets.look()
  native -= 50 * MB
  sockets.look()
  native += 9 * MB
  sockets.look()
  assert.equal(dropped, ['one'])
  native += 50 * MB
  socketNamed('two')
  sockets.look()
  sockets.look()
  assert.equal(dropped, ['one'], 'what was there before it is not its')
  sockets.delete({ drop() {} })
})

test.run()
