import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BODY_BYTES_MAX } from '../../../machines/limits.ts'
import { LARGE_BODIES_BYTES_MAX } from '../../../src/net/limits.ts'
import { answerAndRelease, type IncomingBody, LargeBodies } from '../../../src/net/sockets/large-bodies.ts'
import type { Request } from '../../../src/net/transport.ts'

const FILE_BYTES_MAX = 25 * 1024 * 1024
const bytes = (length: number) => new Uint8Array(length)

const test = suite('large bodies')
let ms: number
let bodies: LargeBodies
const begin = () => bodies.begin(FILE_BYTES_MAX)
/** As many bodies of this size as there is room for. */
const fill = (size: number): IncomingBody[] =>
  Array.from({ length: Math.floor(LARGE_BODIES_BYTES_MAX / size) }, () => {
    const body = begin()
    body.add(bytes(size))
    return body
  })
const whole = (body: IncomingBody) => body.end() !== 'busy'
test.before.each(() => {
  ms = 0
  bodies = new LargeBodies(() => ms)
})

test('[U8] a body holds what has arrived of it, not what may arrive', () => {
  const slow = Array.from({ length: 100 }, begin)
  for (const body of slow) body.add(bytes(BODY_BYTES_MAX + 1))
  assert.ok(slow.every(whole))
})

test('[U8] when there is no room, the slowest of those that arrive gives way', () => {
  const held = fill(FILE_BYTES_MAX - 1)
  ms = 30_000
  const fast = begin()
  fast.add(bytes(FILE_BYTES_MAX - 1))
  ms = 31_000
  fast.add(bytes(1))
  assert.ok(whole(fast))
  assert.is(held.filter(whole).length, held.length - 1)
})

test('[U8] the one that is the slowest itself gives way, and what it had is free', () => {
  const slow = begin()
  slow.add(bytes(BODY_BYTES_MAX + 1))
  ms = 1_000
  const held = fill(FILE_BYTES_MAX)
  slow.add(bytes(FILE_BYTES_MAX / 2))
  assert.is(whole(slow), false)
  assert.ok(held.every(whole))
  for (const body of held) body.release()
  assert.ok(fill(FILE_BYTES_MAX).every(whole))
})

test('[U8] a body that is being answered keeps its room until it is released', () => {
  const held = fill(FILE_BYTES_MAX)
  assert.ok(held.every(whole))
  ms = 60_000
  const refused = begin()
  for (let n = 0; n < 2; n++) refused.add(bytes(FILE_BYTES_MAX / 2))
  assert.is(whole(refused), false)
  const small = begin()
  small.add(bytes(BODY_BYTES_MAX))
  assert.ok(whole(small))
  held[0]?.release()
  const later = begin()
  later.add(bytes(FILE_BYTES_MAX))
  assert.ok(whole(later))
})

test('[U8] a body whose answer came late is released, and so is one whose answer failed', async () => {
  const request = {} as Request
  for (const body of fill(FILE_BYTES_MAX)) {
    assert.ok(whole(body))
    const late = Promise.resolve({ status: 200, headers: [], body: null })
    await answerAndRelease(() => late, request, body)
  }
  const failed = fill(FILE_BYTES_MAX)
  assert.ok(failed.every(whole))
  for (const body of failed)
    await Promise.resolve(answerAndRelease(() => Promise.reject(1), request, body)).catch(() => {})
  assert.ok(fill(FILE_BYTES_MAX).every(whole))
})

test('a body in pieces of any size is what was sent', () => {
  const sent = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251)
  for (const most of [1, 7, 1_000, 65_536, 131_072, 131_073, 300_000]) {
    const body = begin()
    for (let at = 0; at < sent.length; at += most) assert.is(body.add(sent.subarray(at, at + most)), true)
    assert.ok(Buffer.from(sent).equals(body.end() as Uint8Array), `pieces of ${most}`)
    body.release()
  }
})

test.run()
