import { crc32, deflateRawSync } from 'node:zlib'

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const VERSION = 20
const UTF8 = 0x0800
const DEFLATE = 8
/** 1980-01-01, the first day that a zip knows: the same files make the same zip. */
const DATE = 0x0021

/** A zip archive of these files, in this order. */
export function zip(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const [name, bytes] of files) {
    const packed = deflateRawSync(bytes, { level: 9 })
    const path = Buffer.from(name)
    const about = words([2, VERSION], [2, UTF8], [2, DEFLATE], [2, 0], [2, DATE], [4, crc32(bytes)])
    const sizes = words([4, packed.length], [4, bytes.length], [2, path.length], [2, 0])
    const local = [words([4, LOCAL]), about, sizes, path, packed]
    parts.push(...local)
    directory.push(
      words([4, CENTRAL], [2, VERSION]),
      about,
      sizes,
      words([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]),
      path,
    )
    offset += local.reduce((sum, { length }) => sum + length, 0)
  }
  const bytes = directory.reduce((sum, { length }) => sum + length, 0)
  const count = files.size
  const end = words([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, bytes], [4, offset], [2, 0])
  return Buffer.concat([...parts, ...directory, end])
}

/** Numbers as a zip writes them: little-endian, in so many bytes. */
function words(...numbers: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  return Buffer.concat(
    numbers.map(([bytes, value]) => {
      const word = Buffer.alloc(bytes)
      word.writeUIntLE(value >>> 0, 0, bytes)
      return word
    }),
  )
}
