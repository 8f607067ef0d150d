import { encode } from 'uqr'

/** Light modules around the code, as ISO/IEC 18004 wants them. */
const QUIET = 4

/** A text as a QR code: how many modules a side has, and a path over the dark ones. */
export function qrOf(text: string): { readonly side: number; readonly dark: string } {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET })
  const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { side: size, dark: dark.join('') }
}
