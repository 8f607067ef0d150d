import { deserialize, serialize } from 'bson'
import type { Doc } from './doc.ts'

const OP_REPLY = 1
const OP_QUERY = 2004
const OP_MSG = 2013
const HEADER_BYTES = 16
const MORE_TO_COME = 2

/** A command as a driver sent it. `silent`: it wants no answer. */
export interface Request {
  readonly command: Doc
  answer(reply: Doc): Buffer
  readonly silent: boolean
}

/** Takes the whole messages off the front of a stream, and gives what is left. */
export function readMessages(bytes: Buffer): { requests: Request[]; rest: Buffer } {
  const requests: Request[] = []
  let rest = bytes
  while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
    const length = rest.readInt32LE(0)
    requests.push(requestOf(rest.subarray(0, length)))
    rest = rest.subarray(length)
  }
  return { requests, rest }
}

function requestOf(message: Buffer): Request {
  const id = message.readInt32LE(4)
  const code = message.readInt32LE(12)
  if (code === OP_MSG) {
    const flags = message.readUInt32LE(HEADER_BYTES)
    const answer = (reply: Doc) => framed(OP_MSG, id, [Buffer.alloc(5), serialize(reply)])
    return { command: sectionsOf(message), answer, silent: (flags & MORE_TO_COME) !== 0 }
  }
  if (code !== OP_QUERY) throw new Error(`unknown operation ${code}`)
  const name = HEADER_BYTES + 4
  const body = message.indexOf(0, name) + 9
  const head = Buffer.alloc(20)
  head.writeInt32LE(1, 16)
  const answer = (reply: Doc) => framed(OP_REPLY, id, [head, serialize(reply)])
  return { command: parse(message.subarray(body)), answer, silent: false }
}

/** The body of an OP_MSG, with its document sequences as the lists that they stand for. */
function sectionsOf(message: Buffer): Doc {
  let command: Doc = {}
  const lists: Record<string, Doc[]> = {}
  let at = HEADER_BYTES + 4
  while (at < message.length) {
    const kind = message.readUInt8(at)
    const size = message.readInt32LE(at + 1)
    const section = message.subarray(at + 1, at + 1 + size)
    if (kind === 0) command = parse(section)
    else {
      const end = section.indexOf(0, 4)
      lists[section.toString('utf8', 4, end)] = documentsOf(section.subarray(end + 1))
    }
    at += 1 + size
  }
  return { ...command, ...lists }
}

/** The documents that lie one after the other. */
export function documentsOf(bytes: Buffer): Doc[] {
  const found: Doc[] = []
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) {
    found.push(parse(bytes.subarray(at, at + bytes.readInt32LE(at))))
  }
  return found
}

const parse = (bytes: Buffer) => deserialize(bytes) as Doc

function framed(code: number, answers: number, parts: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  const message = Buffer.concat([header, ...parts])
  message.writeInt32LE(message.length, 0)
  message.writeInt32LE(answers, 8)
  message.writeInt32LE(code, 12)
  return message
}
