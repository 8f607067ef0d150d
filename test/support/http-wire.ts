import { connect, type Socket } from 'node:net'
import type { Log } from '../../actors/runtime/ports.ts'
import type { BodyLimit, Handler, Listener, SocketHandlers, Transport } from '../../src/net/transport.ts'

/** Tools for tests that talk to a listener byte by byte. */

const WAIT_MS_MAX = 8_000

/** Resolves once `holds` does; rejects with `what` when it never does. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const end = Date.now() + WAIT_MS_MAX
  while (!holds()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** A log that remembers its lines. */
export function memoryLog(): Log & { readonly lines: { level: string; fields: object; message: string }[] } {
  const lines: { level: string; fields: object; message: string }[] = []
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message })
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A TCP connection on which raw bytes are written and answers are read one after the other. */
export class RawClient {
  readonly #socket: Socket
  #buffer = Buffer.alloc(0)
  closed = false

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk])
    })
    socket.on('close', () => {
      this.closed = true
    })
    socket.on('error', () => {})
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return new RawClient(socket)
  }

  /** Writes one segment and lets it leave on its own. */
  async write(bytes: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.write(bytes, () => resolve()))
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** All that has arrived and was not read as an answer. */
  get received(): string {
    return this.#buffer.toString('latin1')
  }

  /** The next answer. `bodyless` for an answer to HEAD. */
  async answer(bodyless = false): Promise<Answered> {
    await until('the head of an answer', () => this.#buffer.includes('\r\n\r\n') || this.closed)
    const end = this.#buffer.indexOf('\r\n\r\n')
    if (end === -1) throw new Error(`closed after ${JSON.stringify(this.received)}`)
    const lines = this.#buffer.subarray(0, end).toString('latin1').split('\r\n')
    const headers = Object.fromEntries(
      lines.slice(1).map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    )
    const length = bodyless ? 0 : Number(headers['content-length'] ?? 0)
    await until('the body of an answer', () => this.#buffer.length >= end + 4 + length || this.closed)
    const body = this.#buffer.subarray(end + 4, end + 4 + length).toString()
    this.#buffer = this.#buffer.subarray(end + 4 + length)
    return { status: Number(lines[0]?.split(' ')[1]), headers, body }
  }

  pause(): void {
    this.#socket.pause()
  }
  resume(): void {
    this.#socket.resume()
  }
  destroy(): void {
    this.#socket.destroy()
  }
}

/** A listener of this transport on a free port of loopback. */
export const listenWith = (
  transport: Transport,
  handle: Handler,
  // biome-ignore lint/suspicious/noExplicitAny: each path has its own data
  sockets: Record<string, SocketHandlers<any>> = {},
  maxBodyBytes: BodyLimit = 1_000,
): Promise<Listener> => transport.listen({ host: '127.0.0.1', port: 0, handle, maxBodyBytes, sockets })
