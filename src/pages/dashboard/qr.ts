import { type Html, html, trusted } from '../html.ts'

/** QR codes (ISO/IEC 18004), as much of them as a link needs: bytes, error correction M, versions 1 to 10. */
const VERSIONS = [
  // [codewords in all, error correction codewords of a block, blocks, centres of alignment patterns]
  [26, 10, 1, []],
  [44, 16, 1, [6, 18]],
  [70, 26, 1, [6, 22]],
  [100, 18, 2, [6, 26]],
  [134, 24, 2, [6, 30]],
  [172, 16, 4, [6, 34]],
  [196, 18, 4, [6, 22, 38]],
  [242, 22, 4, [6, 24, 42]],
  [292, 22, 5, [6, 26, 46]],
  [346, 26, 5, [6, 28, 50]],
] as const
const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]
const QUIET = 4

/** The modules of a code, row by row. @throws RangeError for a text of more than 213 bytes */
export function qrModules(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text)
  const version = 1 + VERSIONS.findIndex((_, index) => bytes.length <= capacityOf(index + 1))
  if (version === 0) throw new RangeError(`${bytes.length} bytes are too many for a QR code of ours`)
  const codewords = withCorrection(version, dataOf(version, bytes))
  const drawn = MASKS.map((_, mask) => draw(version, codewords, mask))
  return drawn.reduce((best, other) => (penaltyOf(other) < penaltyOf(best) ? other : best))
}

/** A text as a QR code in SVG, dark on light whatever the page's colours are: cameras expect it so. */
export function qrSvg(text: string): Html {
  const modules = qrModules(text)
  const size = modules.length + 2 * QUIET
  const dark = modules.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])))
  return html`${trusted(`<svg class="qr" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" role="img" aria-label="QR code of the pairing link"><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${dark.join('')}"/></svg>`)}`
}

const shapeOf = (version: number) => VERSIONS[version - 1] ?? VERSIONS[0]
const countBits = (version: number) => (version < 10 ? 8 : 16)
function dataCodewords(version: number): number {
  const [total, correction, blocks] = shapeOf(version)
  return total - correction * blocks
}
const capacityOf = (version: number) => Math.floor((dataCodewords(version) * 8 - 4 - countBits(version)) / 8)

function dataOf(version: number, bytes: Uint8Array): number[] {
  const bits: number[] = []
  const push = (value: number, count: number) => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1)
  }
  push(0b0100, 4)
  push(bytes.length, countBits(version))
  for (const byte of bytes) push(byte, 8)
  const room = dataCodewords(version) * 8
  push(0, Math.min(4, room - bits.length))
  push(0, (8 - (bits.length % 8)) % 8)
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) push(pad, 8)
  return Array.from({ length: room / 8 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2))
}

// Arithmetic in GF(256) with the polynomial of the standard
const EXP: number[] = []
const LOG: number[] = []
for (let power = 0, value = 1; power < 255; power++) {
  EXP[power] = value
  LOG[value] = power
  value = value < 128 ? value << 1 : (value << 1) ^ 0x11d
}
const times = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : (EXP[((LOG[a] ?? 0) + (LOG[b] ?? 0)) % 255] ?? 0)

/** The remainder of Reed and Solomon's division: `degree` codewords. */
function correctionOf(data: readonly number[], degree: number): number[] {
  let divisor = [1]
  for (let root = 0; root < degree; root++) {
    const factor = EXP[root] ?? 0
    divisor = [...divisor, 0].map((value, at) => value ^ times(divisor[at - 1] ?? 0, factor))
  }
  let rest = new Array<number>(degree).fill(0)
  for (const value of data) {
    const factor = value ^ (rest[0] ?? 0)
    rest = [...rest.slice(1), 0].map((each, at) => each ^ times(divisor[at + 1] ?? 0, factor))
  }
  return rest
}

/** Cut into blocks, each with its correction, and interleaved. */
function withCorrection(version: number, data: readonly number[]): number[] {
  const [, degree, count] = shapeOf(version)
  const short = Math.floor(data.length / count)
  const shorts = count - (data.length % count)
  let at = 0
  const blocks = Array.from({ length: count }, (_, index) => {
    const block = data.slice(at, at + short + (index < shorts ? 0 : 1))
    at += block.length
    return { block, correction: correctionOf(block, degree) }
  })
  const columns = Array.from({ length: short + 1 }, (_, column) => blocks.flatMap(({ block }) => block[column] ?? []))
  const ends = Array.from({ length: degree }, (_, column) =>
    blocks.flatMap(({ correction }) => correction[column] ?? []),
  )
  return [...columns, ...ends].flat()
}

/** A remainder of BCH codes: of what the format and the version say. */
function bch(value: number, generator: number, degree: number): number {
  let rest = value
  for (let bit = 0; bit < degree; bit++) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * generator)
  return (value << degree) | rest
}

function draw(version: number, codewords: readonly number[], mask: number): boolean[][] {
  const size = 17 + 4 * version
  const grid: (boolean | null)[][] = Array.from({ length: size }, () => new Array<boolean | null>(size).fill(null))
  const set = (x: number, y: number, on: boolean) => {
    const row = grid[y]
    if (row && x >= 0 && x < size) row[x] = on
  }
  const square = (cx: number, cy: number, reach: number, on: (distance: number) => boolean) => {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) set(cx + dx, cy + dy, on(Math.max(Math.abs(dx), Math.abs(dy))))
    }
  }
  for (let at = 0; at < size; at++) {
    set(at, 6, at % 2 === 0)
    set(6, at, at % 2 === 0)
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, (d) => d !== 2 && d !== 4)
  const centres: readonly number[] = shapeOf(version)[3]
  const last = centres.at(-1)
  for (const x of centres) {
    for (const y of centres) {
      const onFinder = (x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6)
      if (!onFinder) square(x, y, 2, (d) => d !== 1)
    }
  }
  drawFormat(set, size, mask)
  if (version >= 7) drawVersion(set, size, version)
  drawData(grid, codewords, mask)
  return grid.map((row) => row.map((on) => on === true))
}
type SetModule = (x: number, y: number, on: boolean) => void

function drawFormat(set: SetModule, size: number, mask: number): void {
  // M is 00.
  const bits = bch(mask, 0x537, 10) ^ 0x5412
  const bit = (at: number) => ((bits >>> at) & 1) === 1
  for (let at = 0; at < 15; at++) {
    const along = at < 6 ? at : at < 8 ? at + 1 : at === 8 ? 7 : 14 - at
    if (at < 8) set(8, along, bit(at))
    else set(along, 8, bit(at))
    if (at < 8) set(size - 1 - at, 8, bit(at))
    else set(8, size - 15 + at, bit(at))
  }
  set(8, size - 8, true)
}

function drawVersion(set: SetModule, size: number, version: number): void {
  const bits = bch(version, 0x1f25, 12)
  for (let at = 0; at < 18; at++) {
    const on = ((bits >>> at) & 1) === 1
    const [near, far] = [Math.floor(at / 3), size - 11 + (at % 3)]
    set(near, far, on)
    set(far, near, on)
  }
}

/** In zigzag from the lower right, two columns at a time, around what is drawn already. */
function drawData(grid: (boolean | null)[][], codewords: readonly number[], mask: number): void {
  const size = grid.length
  const flips = MASKS[mask] ?? (() => false)
  let at = 0
  for (let right = size - 1, upward = true; right > 0; right -= right === 8 ? 3 : 2, upward = !upward) {
    // Column 6 is the timing pattern's: the pairs to its left are shifted by one.
    for (let step = 0; step < size; step++) {
      const y = upward ? size - 1 - step : step
      for (const x of [right, right - 1]) {
        const row = grid[y]
        if (!row || row[x] !== null) continue
        const on = (((codewords[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1) === 1
        at++
        row[x] = on !== flips(x, y)
      }
    }
  }
}

/** How hard a code is to read: long runs, blocks of one colour, and more of one colour than of the other. */
function penaltyOf(modules: readonly (readonly boolean[])[]): number {
  const size = modules.length
  const at = (x: number, y: number) => modules[y]?.[x] === true
  let penalty = 0
  let dark = 0
  for (let a = 0; a < size; a++) {
    for (const look of [(b: number) => at(b, a), (b: number) => at(a, b)]) {
      for (let b = 1, run = 1; b <= size; b++) {
        if (b < size && look(b) === look(b - 1)) run++
        else {
          if (run >= 5) penalty += run - 2
          run = 1
        }
      }
    }
    for (let b = 0; b < size; b++) {
      if (at(a, b)) dark++
      const same = at(a, b) === at(a + 1, b) && at(a, b) === at(a, b + 1) && at(a, b) === at(a + 1, b + 1)
      if (a < size - 1 && b < size - 1 && same) penalty += 3
    }
  }
  return penalty + 10 * Math.floor(Math.abs((dark * 20) / (size * size) - 10))
}
