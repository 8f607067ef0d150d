import { closeSync, fdatasync, fsyncSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'

/** Before each entry: its bytes and its checksum, then its number, which counts all entries of the log. */
const HEAD_BYTES = 16
const BYTES_AT = 0
const CHECKSUM_AT = 4
const NUMBER_AT = 8

/** Where a piece of an entry lies in its file. */
export interface Place {
  readonly from: number
  readonly to: number
}

/**
 * One file of a write-ahead log. An append is one write call and no wait for the disk: it outlives the process, `kill -9`
 * included, and a loss of power once `sync` resolved after it. What it holds is in memory, too, as bytes that the
 * collector does not look into.
 */
export class LogFile {
  readonly path: string
  readonly #fd: number
  #bytes = Buffer.allocUnsafeSlow(BYTES_FIRST)
  #end = 0
  #last = 0
  #synced = 0
  #syncing = Promise.resolve()

  /** @throws Error when there is such a file, or it cannot be written */
  constructor(path: string) {
    this.path = path
    this.#fd = openSync(path, 'wx')
    // That the file is there outlives a loss of power as well.
    const folder = openSync(dirname(path), 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  }

  /** The number of the last entry that was appended; 0 before the first. */
  get last(): number {
    return this.#last
  }

  /** The bytes that are in use. */
  get bytes(): number {
    return this.#end
  }

  /**
   * Appends an entry, a text in pieces: where each of them lies, until a rewind. Numbers only grow, by one within a file.
   * @throws Error of the file system; the file is then as it was
   */
  append(number: number, pieces: readonly string[]): Place[] {
    const text = pieces.join('')
    this.#makeRoom(text.length)
    const from = this.#end
    const start = from + HEAD_BYTES
    const end = start + this.#bytes.write(text, start)
    // One write for all of them; where all characters are one byte, as nearly always, their places are known.
    const plain = end - start === text.length
    let to = start
    const places = pieces.map((piece) => {
      const at = to
      to += plain ? piece.length : Buffer.byteLength(piece)
      return { from: at, to }
    })
    this.#bytes.writeDoubleLE(number, from + NUMBER_AT)
    this.#bytes.writeUInt32LE(end - from - HEAD_BYTES, from + BYTES_AT)
    this.#bytes.writeUInt32LE(checksumOf(this.#bytes, from, end), from + CHECKSUM_AT)
    for (let at = from; at < end; ) at += writeSync(this.#fd, this.#bytes, at, end - at, at)
    this.#end = end
    this.#last = number
    return places
  }

  /** A view of what was appended there, good until a rewind. */
  at({ from, to }: Place): Buffer {
    return this.#bytes.subarray(from, to)
  }

  /** Resolves when all that was appended would outlive a loss of power. Once it failed it fails for ever. */
  sync(): Promise<void> {
    const wanted = this.#last
    // The one that is under way may have begun before the last entry came.
    if (this.#synced < wanted) this.#syncing = this.#syncing.then(() => this.#syncUpTo(wanted))
    return this.#syncing
  }

  /** What is in it is needed no more: the next entry takes the place of the first. */
  rewind(): void {
    this.#end = 0
    if (this.#bytes.length > BYTES_KEPT_MAX) this.#bytes = Buffer.allocUnsafeSlow(BYTES_FIRST)
  }

  /** Closes the file and takes it away. */
  remove(): void {
    closeSync(this.#fd)
    unlinkSync(this.path)
  }

  #makeRoom(characters: number): void {
    // A character takes three bytes at most.
    const needed = this.#end + HEAD_BYTES + 3 * characters
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(2 * needed)
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }

  async #syncUpTo(wanted: number): Promise<void> {
    if (this.#synced >= wanted) return
    const last = this.#last
    await new Promise<void>((resolve, reject) => fdatasync(this.#fd, (error) => (error ? reject(error) : resolve())))
    this.#synced = last
  }
}

const BYTES_FIRST = 64 * 1024
/** What a rare large entry took is given back. */
const BYTES_KEPT_MAX = 32 * 1024 * 1024

/** Of the number and the text of the entry that lies there. */
const checksumOf = (bytes: Buffer, from: number, end: number) => crc32(bytes.subarray(from + NUMBER_AT, end))

/**
 * The entries of a file after number `after`, in their order. It ends before the first that is not whole: one that a kill
 * cut off, which nobody was told of, or what is left of the time before a rewind. A file that was taken away has none.
 */
export function* readLog(path: string, after: number): Generator<{ number: number; text: string }> {
  const log = bytesOf(path)
  let expected: number | null = null
  for (let at = 0; at + HEAD_BYTES <= log.length; ) {
    const end = at + HEAD_BYTES + log.readUInt32LE(at + BYTES_AT)
    const number = log.readDoubleLE(at + NUMBER_AT)
    if (end > log.length || (expected !== null && number !== expected)) return
    if (checksumOf(log, at, end) !== log.readUInt32LE(at + CHECKSUM_AT)) return
    if (number > after) yield { number, text: log.toString('utf8', at + HEAD_BYTES, end) }
    expected = number + 1
    at = end
  }
}

/** Its process may take it away at any moment: all of it is in the tables then. */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}
