import { encode } from 'uqr'
import { type Html, html, trusted } from '../html.ts'

/** Light modules around the code, as ISO/IEC 18004 wants them. */
const QUIET = 4

/** A text as a QR code in SVG, dark on light whatever the page's colours are, because cameras expect it so. */
export function qrSvg(text: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET })
  const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])))
  return html`${trusted(`<svg class="qr" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" role="img" aria-label="QR code of the pairing link"><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${dark.join('')}"/></svg>`)}`
}
