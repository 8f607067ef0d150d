import type { IncomingMessage } from 'node:http'
import { BODY_DISCARDED_BYTES_MAX } from '../limits.ts'
import type { GatheredBody, LargeBody } from './large-bodies.ts'

/** Reads a body to its end, within its limit. Never calls back for a request that was given up. */
export function gather(
  incoming: IncomingMessage,
  maxBytes: number,
  held: LargeBody,
  done: (body: GatheredBody) => void,
): void {
  let chunks: Buffer[] = []
  let bytes = 0
  let over = false
  let hasRoom = true
  const finish = () => {
    if (over) return
    over = true
    done(bytes > maxBytes ? null : hasRoom ? Buffer.concat(chunks) : 'busy')
  }
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxBytes) hasRoom &&= held.grow(bytes)
    if (bytes > maxBytes || !hasRoom) chunks = []
    else chunks.push(chunk)
    if (bytes > Math.max(maxBytes, BODY_DISCARDED_BYTES_MAX)) finish()
  })
  incoming.on('end', finish)
  incoming.on('close', () => over || held.release())
}
