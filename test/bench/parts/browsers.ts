import { WebSocket } from 'ws'
import { OUTPUT } from './jobs.ts'
import { Samples } from './numbers.ts'
import type { Seat } from './seed.ts'

/** A browser that answers every call at once. One task at a time works in it. */
export interface LoadBrowser {
  readonly seat: Seat
  /** When its workspace's last starts were made. */
  readonly starts: number[]
  busy: boolean
  /** A task of it has ended. */
  onComplete: (() => void) | null
}

export interface Browsers {
  readonly all: readonly LoadBrowser[]
  /** From a result that was sent to the next call that came, in ms: with both sockets and both processes. */
  readonly roundTrips: Samples
  /** How many sockets were closed by the service. */
  lost(): number
  close(): void
}

const CONNECTING_MAX = 100
const UPDATE = '{"type":"task_update"'
const PING = '{"type":"ping"'
const PONG = JSON.stringify({ type: 'pong' })

/** Connects and registers a browser for every seat, a bounded number at a time. */
export async function connectBrowsers(relayPort: number, seats: readonly Seat[]): Promise<Browsers> {
  const roundTrips = new Samples()
  const sockets: WebSocket[] = []
  const all: LoadBrowser[] = []
  let lost = 0
  let closing = false
  let next = 0
  const worker = async () => {
    for (let seat = seats[next++]; seat; seat = seats[next++]) await connectOne(seat)
  }
  const connectOne = (seat: Seat) =>
    new Promise<void>((resolve, reject) => {
      const browser: LoadBrowser = { seat, starts: [], busy: false, onComplete: null }
      const socket = new WebSocket(`ws://127.0.0.1:${relayPort}/`, {
        perMessageDeflate: false,
        skipUTF8Validation: true,
      })
      let answeredAt = 0
      socket.on('open', () =>
        socket.send(
          JSON.stringify({
            type: 'register',
            role: 'extension',
            session_token: seat.token,
            protocol: 2,
            instance: seat.sessionId,
          }),
        ),
      )
      socket.on('error', reject)
      socket.on('close', (code) => {
        if (!closing) lost++
        reject(new Error(`A browser's socket was closed with ${code}`))
      })
      socket.on('message', (data: Buffer) => {
        const text = data.toString()
        if (text.startsWith(UPDATE)) return
        if (text.startsWith(PING)) return socket.send(PONG)
        const frame = JSON.parse(text)
        if (frame.type === 'mcp_execute_tool') {
          const now = performance.now()
          if (answeredAt > 0) roundTrips.add(now - answeredAt)
          answeredAt = now
          socket.send(JSON.stringify({ type: 'tool_result', requestId: frame.requestId, output: OUTPUT }))
        } else if (frame.type === 'task_complete') {
          answeredAt = 0
          browser.busy = false
          browser.onComplete?.()
        } else if (frame.type === 'registered') {
          all.push(browser)
          resolve()
        } else if (frame.type === 'error') reject(new Error(`A browser was told: ${frame.error}`))
      })
      sockets.push(socket)
    })
  await Promise.all(Array.from({ length: CONNECTING_MAX }, worker))
  return {
    all,
    roundTrips,
    lost: () => lost,
    close() {
      closing = true
      for (const socket of sockets) socket.terminate()
    },
  }
}
