import { crc32, deflateSync } from 'node:zlib'

/** The words of an X window dump's header that are needed, and what a colour of its map takes. */
const HEADER_BYTES = 0
const WIDTH = 4
const HEIGHT = 5
const BYTES_PER_LINE = 12
const COLORS = 19
const COLOR_BYTES = 12

/** A picture of a display with 32 bits a pixel, as Xvfb keeps it in a file, as a PNG. */
export function pngOf(dump: Buffer): Buffer {
  const word = (at: number) => dump.readUInt32BE(at * 4)
  const [width, height, stride] = [word(WIDTH), word(HEIGHT), word(BYTES_PER_LINE)]
  const start = word(HEADER_BYTES) + word(COLORS) * COLOR_BYTES
  const lines = Buffer.alloc(height * (width * 3 + 1))
  for (let y = 0, to = 0; y < height; y++) {
    to += 1
    for (let x = 0, from = start + y * stride; x < width; x++, from += 4) {
      // Blue, green, red, and nothing.
      for (const at of [2, 1, 0]) lines[to++] = dump[from + at] ?? 0
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // Eight bits each of red, green and blue.
  head.set([8, 2], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(lines, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}
