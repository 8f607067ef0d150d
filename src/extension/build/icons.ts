import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { png } from './png.ts'

/**
 * Draws the extension's icons: a browser window with a tick, as in the service's own icon. Run it after a change:
 *
 *   node --import tsx src/extension/build/icons.ts
 */

type Point = readonly [x: number, y: number]
const BLUE = [0x24, 0x57, 0xd6] as const
const WHITE = [0xff, 0xff, 0xff] as const

/** In units of a square of 32. */
const WINDOW = { left: 2, top: 5, right: 30, bottom: 27, radius: 4 }
const BAR = { from: [2, 11], to: [30, 11], width: 2 } as const
const TICK: readonly Point[] = [
  [11, 19],
  [15, 23],
  [22, 15],
]
const TICK_WIDTH = 3
/** Each pixel is the mean of so many by so many points. */
const SAMPLES = 5

function distance([x, y]: Point, [x1, y1]: Point, [x2, y2]: Point): number {
  const [dx, dy] = [x2 - x1, y2 - y1]
  const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)))
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy)
}

function inWindow([x, y]: Point): boolean {
  const { left, top, right, bottom, radius } = WINDOW
  const dx = Math.max(left + radius - x, 0, x - right + radius)
  const dy = Math.max(top + radius - y, 0, y - bottom + radius)
  return Math.hypot(dx, dy) <= radius
}

const isWhite = (point: Point): boolean =>
  distance(point, BAR.from, BAR.to) <= BAR.width / 2 ||
  TICK.slice(1).some((to, at) => distance(point, TICK[at] ?? to, to) <= TICK_WIDTH / 2)

function icon(size: number): Uint8Array {
  return png(size, size, (column, row) => {
    let [inside, white] = [0, 0]
    for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
      const x = column + ((sample % SAMPLES) + 0.5) / SAMPLES
      const y = row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES
      const point: Point = [(x * 32) / size, (y * 32) / size]
      if (!inWindow(point)) continue
      inside++
      if (isWhite(point)) white++
    }
    const share = inside === 0 ? 0 : white / inside
    const mixed = BLUE.map((blue, at) => Math.round(blue + ((WHITE[at] ?? 0) - blue) * share))
    const [red = 0, green = 0, blue = 0] = mixed
    return [red, green, blue, Math.round((inside / (SAMPLES * SAMPLES)) * 255)]
  })
}

const folder = fileURLToPath(new URL('../icons/', import.meta.url))
await mkdir(folder, { recursive: true })
for (const size of [16, 32, 48, 128]) await writeFile(`${folder}${size}.png`, icon(size))
