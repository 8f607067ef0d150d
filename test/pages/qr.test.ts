import jsQR from 'jsqr'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { qrModules, qrSvg } from '../../src/pages/dashboard/qr.ts'

const test = suite('QR codes')
const MODULE_PX = 4
const QUIET = 4

/** What a camera's software reads in the code. */
function read(modules: readonly (readonly boolean[])[]): string | undefined {
  const side = (modules.length + 2 * QUIET) * MODULE_PX
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const dark = modules[Math.floor(y / MODULE_PX) - QUIET]?.[Math.floor(x / MODULE_PX) - QUIET]
      if (dark) pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3)
    }
  }
  const scan = jsQR as unknown as { default?: typeof jsQR } & typeof jsQR
  return (scan.default ?? scan)(pixels, side, side)?.data
}

test('texts of every length up to the largest version are read back by a decoder of others', () => {
  for (let length = 1; length <= 213; length += length < 20 ? 1 : 7) {
    const text = Array.from({ length }, (_, at) => String.fromCharCode(33 + ((at * 7 + length * 13) % 90))).join('')
    assert.is(read(qrModules(text)), text, `${length} characters`)
  }
  assert.is(read(qrModules('Grüße, 日本')), 'Grüße, 日本')
})

test('a text that is too long is refused with its size', () => {
  assert.is(read(qrModules('x'.repeat(213))), 'x'.repeat(213))
  assert.throws(() => qrModules('x'.repeat(214)), /214 bytes are too many/)
})

test('the drawing is dark on light in every theme, and has a name', () => {
  const { text } = qrSvg('http://127.0.0.1:3456/pair/svc_pair_0')
  assert.match(
    text,
    /^<svg class="qr" [^>]*aria-label="QR code of the pairing link"><rect [^>]*fill="#fff"\/><path fill="#000"/,
  )
})

test.run()
