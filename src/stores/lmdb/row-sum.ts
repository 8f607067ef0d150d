import { crc32 } from 'node:zlib'
import type { Key } from './table.ts'

/**
 * [D18] How a row is kept: a mark, a checksum over the table, the key and the value, and the value. A row without the mark
 * was written before there were checksums (tables 1), and is read unchecked.
 */
export interface RowFormat<V> {
  bytesOf(key: Key, value: V): Buffer
  /** @throws Error when these are not the bytes that were written under this key of this table */
  valueOf(key: Key, bytes: Buffer): V
}

const SUM_BYTES = 4
/** JSON begins with nothing of the kind. */
const JSON_MARK = Buffer.of(1)
/** Any byte may begin a file or an image: chosen at random, so that none of those from before begins so. */
const BINARY_MARK = Buffer.from('01b7c94ee2835dfa', 'hex')

export function jsonRows<V>(table: string): RowFormat<V> {
  const sealed = sums(table, JSON_MARK)
  return {
    bytesOf: (key, value) => sealed.seal(key, Buffer.from(JSON.stringify(value))),
    valueOf: (key, bytes) => JSON.parse(sealed.open(key, bytes).toString()),
  }
}

export function binaryRows(table: string): RowFormat<Uint8Array> {
  const sealed = sums(table, BINARY_MARK)
  return { bytesOf: sealed.seal, valueOf: sealed.open }
}

function sums(table: string, mark: Buffer) {
  const seed = crc32(table)
  const head = mark.length + SUM_BYTES
  const sumOf = (key: Key, value: Uint8Array) => crc32(value, crc32(String(key), seed))
  return {
    seal(key: Key, value: Uint8Array): Buffer {
      const bytes = Buffer.allocUnsafe(head + value.length)
      bytes.set(mark)
      bytes.writeUInt32LE(sumOf(key, value), mark.length)
      bytes.set(value, head)
      return bytes
    },
    open(key: Key, bytes: Buffer): Buffer {
      if (bytes.length < head || !bytes.subarray(0, mark.length).equals(mark)) return bytes
      const value = bytes.subarray(head)
      if (bytes.readUInt32LE(mark.length) !== sumOf(key, value)) throw new Error('its checksum is another')
      return value
    },
  }
}
