import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { later, Moves } from '../../actors/moves.ts'

const test = suite('moves')

/** So many moves, each with its number for a time. */
function moved(max: number, count: number): Moves {
  const moves = new Moves(max)
  for (let n = 0; n < count; n++) moves.add(n, n + 0.5, `e${n % 7}`, n % 5, n % 3 === 0 ? 'a' : 'b')
  return moves
}
const whoWas = (sender: number) => (sender === 0 ? null : (`call:${sender}` as const))
const move = (n: number) => ({
  seq: n,
  at: n + 0.5,
  event: `e${n % 7}`,
  from: whoWas(n % 5),
  value: n % 3 === 0 ? 'a' : 'b',
})
const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => move(first + n))

for (const count of [0, 1, 4, 5, 63, 64, 65, 200, 201, 399, 1_000])
  test(`of ${count} moves the newest 200 are there, oldest first`, () => {
    const kept = Math.min(200, count)
    assert.equal(moved(200, count).newest(200, whoWas), from(count - kept, kept))
    assert.equal(moved(200, count).newest(3, whoWas), from(count - Math.min(3, kept), Math.min(3, kept)))
  })

for (const count of [10, 200, 1_999, 2_500])
  test(`of ${count} moves that are shortened to 200 the newest are left`, () => {
    const moves = moved(2_000, count)
    moves.shorten(200)
    const kept = Math.min(200, count)
    assert.equal(moves.newest(1_000, whoWas), from(count - kept, kept))
  })

test('order is kept where the numbers begin anew', () => {
  const moves = new Moves(4)
  const last = 2 ** 32 - 1
  for (const seq of [last - 1, last, last + 1, last + 2]) moves.add(seq, 0, 'e', 0, 'a')
  const shuffled = moves.newest(4, whoWas).reverse().sort(later)
  assert.equal(
    shuffled.map(({ seq }) => seq),
    [last - 1, last, 0, 1],
  )
})

test.run()
