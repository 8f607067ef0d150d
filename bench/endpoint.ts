import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answering } from '../test/support/answering.ts'
import { WIRES } from '../test/support/model-endpoint-wires.ts'
import { ANSWER, callOf, jobOf } from './job.ts'
import { serve } from './remote.ts'
import { streamOf } from './streamed.ts'

/**
 * A process: a model over HTTP that speaks Anthropic's wire format, streamed to those who ask for a stream, and answers at
 * once, or after a while. It represents another machine, so it must take little of this one: it searches the text of a
 * request without parsing it, and writes what it has written before.
 */
const wire = WIRES.find(({ name }) => name === 'anthropic')
if (!wire) throw new Error('No wire format')

/** Each reply has a text of so many pieces before its call. */
const PIECES_DEFAULT = 50
/** Pieces that reach the network together. */
const PIECES_AT_ONCE = 5

interface Reply {
  readonly whole: string
  /** By number of pieces. */
  readonly streams: Map<number, readonly string[]>
  readonly message: object
}

const reply = (text: string, calls: readonly { readonly tool: string; readonly input: object }[]): Reply => {
  const message = wire.reply({ text, calls, stop: null }, { model: 'bench-model' })
  return { message, whole: JSON.stringify(message), streams: new Map() }
}
/** A task ends as its version does it: by its tool where it has one, else in words. */
const finish = answering(ANSWER, [{ name: 'finish' }])
const ends = { tool: reply(finish.text, finish.calls), words: reply(ANSWER, []) }
const replies: Reply[] = []
const words = Array.from({ length: PIECES_DEFAULT }, (_, n) => `word ${n}`).join(' ')
const call = (step: number): Reply => (replies[step] ??= reply(`Step ${step}: ${words}`, [callOf(step)]))

const ASSISTANT = '"role":"assistant"'
const FINISH_TOOL = '"name":"finish"'
const STREAM = '"stream":true'

function replyTo(body: string): Reply {
  // Quotes inside a message are escaped: what is found here is not part of one.
  const steps = Number(jobOf(body.slice(body.indexOf('"bench ') + 1))?.steps ?? 0)
  const step = body.split(ASSISTANT).length
  if (step <= steps) return call(step)
  return body.includes(FINISH_TOOL) ? ends.tool : ends.words
}

let answersAfterMs = 0
let pieces = PIECES_DEFAULT

function send(response: ServerResponse, { whole, streams, message }: Reply, isStreamed: boolean): void {
  if (!isStreamed) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(whole) })
    response.end(whole)
    return
  }
  const stream = streams.get(pieces) ?? streamOf(message, pieces, PIECES_AT_ONCE)
  streams.set(pieces, stream)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const part of stream) response.write(part)
  response.end()
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('latin1')
    const answer = () => send(response, replyTo(body), body.includes(STREAM))
    if (answersAfterMs === 0) answer()
    else setTimeout(answer, answersAfterMs)
  })
})
server.keepAliveTimeout = 60_000
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo

const calls = {
  url: () => `http://127.0.0.1:${port}/v1`,
  answersAfter(ms: number) {
    answersAfterMs = ms
  },
  /** A streamed reply has so many pieces. */
  streams(count: number) {
    pieces = count
  },
}
export type EndpointCalls = typeof calls
serve(calls)
