import type { Duplex } from 'node:stream'
import { HTTP_IDLE_MS_MAX } from '../limits.ts'
import type { Request } from '../transport.ts'
import { announcesBody } from './shared.ts'

/** node parses nothing after the head of a request to upgrade; some clients ask to with every first request, bodies included. */
export function unparsedBody(
  { headers }: Pick<Request, 'headers'>,
  socket: Duplex,
  head: Buffer,
  maxBytes: number,
  done: (body: Uint8Array | null) => void,
): void {
  const length = announcesBody(headers) ? Number(headers['content-length'] ?? Number.NaN) : 0
  // A chunked body cannot be told from what may follow it.
  if (!(length <= maxBytes)) {
    done(null)
    return
  }
  // Nor does it watch over the socket any more.
  const timer = setTimeout(() => socket.destroy(), HTTP_IDLE_MS_MAX).unref()
  let body = head
  const look = (chunk: Buffer) => {
    body = Buffer.concat([body, chunk])
    if (body.length < length) return
    clearTimeout(timer)
    socket.off('data', look)
    done(body.subarray(0, length))
  }
  socket.on('data', look)
  look(Buffer.alloc(0))
}
