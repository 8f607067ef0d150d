import jsQR from 'jsqr'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { qrOf } from '../../src/web/client/browsers/qr.ts'

const test = suite('QR codes')
const MODULE_PX = 4

/** What a camera's software reads in the drawing. */
function read({ side: modules, dark }: ReturnType<typeof qrOf>): string | undefined {
  const side = modules * MODULE_PX
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
  for (const [, x, y] of dark.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < MODULE_PX; row++) {
      const from = ((Number(y) * MODULE_PX + row) * side + Number(x) * MODULE_PX) * 4
      for (let at = from; at < from + MODULE_PX * 4; at++) pixels[at] = at % 4 === 3 ? 255 : 0
    }
  }
  const scan = jsQR as unknown as { default?: typeof jsQR } & typeof jsQR
  return (scan.default ?? scan)(pixels, side, side)?.data
}

test('a pairing link is read back by a decoder, also one with letters of other alphabets', () => {
  const link = 'http://127.0.0.1:3456/pair/svc_pair_0'
  assert.is(read(qrOf(link)), link)
  assert.is(read(qrOf(`${link}?name=Grüße, 日本`)), `${link}?name=Grüße, 日本`)
})

test.run()
