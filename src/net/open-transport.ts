import type { Log } from '../../actors/runtime/ports.ts'
import type { Transport } from './transport.ts'

/**
 * The transport that is asked for, or the best there is: uWebSockets.js where its binary loads, else node:http and ws
 * with one log line that says so. Rejects only when `uws` was asked for by name and cannot be had.
 */
export async function openTransport(preferred: 'uws' | 'node' | null, log: Log): Promise<Transport> {
  if (preferred === 'node') return openNode(log)
  try {
    const { uwsTransport } = await import('./uws.ts')
    return uwsTransport(log)
  } catch (error) {
    const reason = firstLine(error)
    if (preferred === 'uws') throw new Error(`TRANSPORT=uws: uWebSockets.js does not load here: ${reason}`)
    log.warn({ reason }, 'uWebSockets.js does not load here: listening with node:http and ws, which is slower')
    return openNode(log)
  }
}

async function openNode(log: Log): Promise<Transport> {
  const { nodeTransport } = await import('./node.ts')
  return nodeTransport(log)
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
