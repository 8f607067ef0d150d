import { isAscii, isUtf8, transcode } from 'node:buffer'
import { createServer } from 'node:net'
import type { Log } from '../../../actors/runtime/ports.ts'
import { LISTENER_CLOSE_MS_MAX } from '../limits.ts'
import { type Handler, PortInUse, type Request, type Response } from '../transport.ts'

/** What both transports share, so that a client cannot tell them apart. */

/** The longest reason that a close frame can carry. */
const REASON_BYTES_MAX = 123
const CLOSE_POLL_MS = 5

/** The answer to a request whose handler threw. */
export const BARE_500: Response = {
  status: 500,
  headers: [['Content-Type', 'application/json']],
  body: '{"error":"Internal server error"}',
}

/** Answers with `handle`; a throw or rejection becomes the bare 500 and a log line. No promise is made for an answer at once. */
export function answering(handle: Handler, log: Log): Handler {
  const failed = (error: unknown): Response => {
    log.error({ err: error }, 'a request handler threw')
    return BARE_500
  }
  return (request) => {
    try {
      const answer = handle(request)
      return isPromise(answer) ? answer.catch(failed) : answer
    } catch (error) {
      return failed(error)
    }
  }
}

export const isPromise = (answer: Response | Promise<Response>): answer is Promise<Response> =>
  typeof (answer as Promise<Response>).then === 'function'

/** Statuses whose answers have no body and no length. */
export const isBodiless = (status: number): boolean => status === 204 || status === 304

/** Whether the head announces a body; `Content-Length: 0` announces none, and is never to be waited for. */
export function announcesBody(headers: Request['headers']): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  const length = headers['content-length']
  return length !== undefined && Number(length) !== 0
}

const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/
/** A header value without line breaks, so that it cannot add headers of its own. */
export const safeValue = (value: string): string =>
  UNSAFE.test(value) ? value.replace(new RegExp(UNSAFE, 'g'), '?') : value

/** The text of a frame. Decoding 16 MB that are not ASCII takes `toString` 100 to 300 ms, and this a fifth of it. */
export const textOf = (bytes: Buffer): string =>
  bytes.length < LONG_TEXT_BYTES || isAscii(bytes) || !isUtf8(bytes)
    ? bytes.toString()
    : transcode(bytes, 'utf8', 'utf16le').toString('utf16le')
const LONG_TEXT_BYTES = 64 * 1024

/** An address as people write it: IPv4-mapped IPv6 as IPv4, IPv6 in its short form. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address
  const short = URL.canParse(`http://[${address}]`) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short)
  if (mapped === null) return short
  const [high, low] = [Number.parseInt(mapped[1] ?? '0', 16), Number.parseInt(mapped[2] ?? '0', 16)]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

/** A reason cut to what a close frame can carry, at a whole character. */
export function closeReason(reason: string): string {
  if (Buffer.byteLength(reason) <= REASON_BYTES_MAX) return reason
  return Buffer.from(reason).subarray(0, REASON_BYTES_MAX).toString().replace(/�+$/, '')
}

/** A code that may be sent in a close frame; any other becomes 1011. */
export const closeCode = (code: number): number =>
  (code >= 3000 && code <= 4999) || (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) ? code : 1011

/** Why a port cannot be had: asks the system, because a transport may only know that it failed. */
export function whyNotListening(host: string, port: number): Promise<Error> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(listenError(host, port, error)))
    probe.listen({ host, port, exclusive: true }, () =>
      probe.close(() => resolve(new Error(`Cannot listen on port ${port} of ${host}`))),
    )
  })
}

/** The error of a failed `listen`, as its caller shows it to a person. */
export function listenError(host: string, port: number, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EADDRINUSE') return new PortInUse(host, port)
  return new Error(`Cannot listen on port ${port} of ${host}: ${error.code ?? error.message}`)
}

/** Resolves when nothing is on its way any more, or when it has taken too long. */
export function settled(pending: () => number): Promise<void> {
  const until = Date.now() + LISTENER_CLOSE_MS_MAX
  return new Promise((resolve) => {
    const look = () => (pending() === 0 || Date.now() >= until ? resolve() : void setTimeout(look, CLOSE_POLL_MS))
    // At least one turn, so that what was just written leaves.
    setTimeout(look, CLOSE_POLL_MS)
  })
}
