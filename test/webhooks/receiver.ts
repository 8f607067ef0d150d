import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Socket, Server as TcpServer } from 'node:net'
import type { Log } from '../../actors/runtime/ports.ts'
import { openWebhook, type WebhookSettings } from '../../src/webhooks/webhooks.ts'

interface Seen {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}
const servers: TcpServer[] = []
const sockets = new Set<Socket>()

/** A receiver that keeps what it got. */
export async function receiver(answer: RequestListener = (_, res) => res.end('ok')) {
  const seen: Seen[] = []
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk) => {
      body += chunk
    })
    req.on('end', () => {
      seen.push({ method: req.method, path: req.url, headers: req.headers, body })
      answer(req, res)
    })
  })
  return { seen, port: await listening(server) }
}

/** Listens on a free port of loopback until `closeReceivers`. */
export async function listening(server: TcpServer): Promise<number> {
  servers.push(server)
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** A clock of which every timer can be let go at once. */
function handClock() {
  const timers = new Map<number, { fn: () => void; ms: number }>()
  let next = 0
  return {
    timers,
    clock: {
      now: () => Date.now(),
      setTimeout(fn: () => void, ms: number) {
        timers.set(++next, { fn, ms })
        return next
      },
      clearTimeout: (id: unknown) => void timers.delete(id as number),
    },
  }
}

/** A webhook and what it logs. */
export function open(change: Partial<WebhookSettings> = {}) {
  const lines: Record<string, unknown>[] = []
  const note = (fields: object, message: string) => void lines.push({ ...fields, message })
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const hand = handClock()
  const webhook = openWebhook({ allowPrivate: true, clock: hand.clock, log, ...change })
  return { webhook, lines, log, timers: hand.timers }
}

/** Waits until something holds, within bounds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000; turn++) {
    if (holds()) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('it never came to be')
}

/** Ends every receiver of a test, whatever its connections are at. */
export async function closeReceivers(): Promise<void> {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
}
