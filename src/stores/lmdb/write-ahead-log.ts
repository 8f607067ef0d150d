import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** Before each entry: its bytes and its checksum, then its number, which counts all entries of the log. */
const HEAD_BYTES = 16
const BYTES_AT = 0
const CHECKSUM_AT = 4
const NUMBER_AT = 8

/**
 * A file that what is written goes to first: one write call, no wait for the disk. What was appended outlives the
 * process, `kill -9` included; a loss of power may take back the last of it.
 */
export class WriteAheadLog {
  readonly path: string
  readonly #fd: number
  #buffer = Buffer.allocUnsafe(64 * 1024)
  #end = 0
  #last = 0

  /** @throws Error when there is such a file, or it cannot be written */
  constructor(path: string) {
    this.path = path
    this.#fd = openSync(path, 'wx')
  }

  /** The number of the last entry; 0 before the first. */
  get last(): number {
    return this.#last
  }

  /** The bytes that are in use. */
  get bytes(): number {
    return this.#end
  }

  /** Appends an entry. @throws Error of the file system; the log is then as it was */
  append(text: string): void {
    const number = this.#last + 1
    const bytes = this.#encode(text, number)
    let written = 0
    while (written < bytes) {
      written += writeSync(this.#fd, this.#buffer, written, bytes - written, this.#end + written)
    }
    this.#end += bytes
    this.#last = number
  }

  /** What is in it is needed no more: the next entry takes the place of the first. */
  rewind(): void {
    this.#end = 0
  }

  /** Closes the file and takes it away. */
  remove(): void {
    closeSync(this.#fd)
    unlinkSync(this.path)
  }

  #encode(text: string, number: number): number {
    // A character takes three bytes at most.
    const room = HEAD_BYTES + 3 * text.length
    if (this.#buffer.length < room) this.#buffer = Buffer.allocUnsafe(2 * room)
    const bytes = this.#buffer.write(text, HEAD_BYTES)
    this.#buffer.writeDoubleLE(number, NUMBER_AT)
    this.#buffer.writeUInt32LE(bytes, BYTES_AT)
    this.#buffer.writeUInt32LE(checksumOf(this.#buffer, HEAD_BYTES + bytes), CHECKSUM_AT)
    return HEAD_BYTES + bytes
  }
}

/** Of the number and the text of the entry that begins with the buffer. */
const checksumOf = (buffer: Buffer, end: number) => crc32(buffer.subarray(NUMBER_AT, end))

/**
 * The entries of a log after number `after`, in their order. It ends before the first that is not whole: one that a kill
 * cut off, which nobody was told of, or what is left of the time before a rewind. A log that was taken away has none.
 */
export function* readLog(path: string, after: number): Generator<{ number: number; text: string }> {
  const log = bytesOf(path)
  let expected: number | null = null
  for (let at = 0; at + HEAD_BYTES <= log.length; ) {
    const end = at + HEAD_BYTES + log.readUInt32LE(at + BYTES_AT)
    const number = log.readDoubleLE(at + NUMBER_AT)
    if (end > log.length || (expected !== null && number !== expected)) return
    const entry = log.subarray(at, end)
    if (checksumOf(entry, entry.length) !== entry.readUInt32LE(CHECKSUM_AT)) return
    if (number > after) yield { number, text: entry.toString('utf8', HEAD_BYTES) }
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
