import jsQR from 'jsqr'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { qrSvg } from '../../src/pages/dashboard/qr.ts'

const test = suite('QR codes')
const MODULE_PX = 4

/** What a camera's software reads in the drawing. */
function read(svg: string): string | undefined {
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]) * MODULE_PX
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
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
  assert.is(read(qrSvg(link).text), link)
  assert.is(read(qrSvg(`${link}?name=Grüße, 日本`).text), `${link}?name=Grüße, 日本`)
})

test('the drawing is dark on light in every theme, and has a name', () => {
  assert.match(
    qrSvg('http://127.0.0.1:3456/pair/svc_pair_0').text,
    /^<svg class="qr" [^>]*aria-label="QR code of the pairing link"><rect [^>]*fill="#fff"\/><path fill="#000"/,
  )
})

test.run()
