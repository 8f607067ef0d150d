import { WebSocket } from 'ws'
import { OUTPUT } from './job.ts'
import type { PairedBrowser } from './paired-browsers.ts'

/** A browser that answers every call at once. One task at a time runs in it. */
export interface LoadBrowser {
  readonly paired: PairedBrowser
  /** When its workspace's last starts were made. */
  readonly starts: number[]
  busy: boolean
  /** A task of it has ended, after so many calls; `status` as it was told. */
  onComplete: ((ended: { readonly status: unknown; readonly calls: number }) => void) | null
}

export interface Browsers {
  readonly all: readonly LoadBrowser[]
  /** How many sockets were closed by the service. */
  lost(): number
  /** How long each of them waited for the next frame after a result, in ms, since this was asked for last. */
  waits(): number[]
}

const CONNECTING_MAX = 100
const ATTEMPTS_MAX = 5
/** Browsers come from many addresses: sockets that have not registered yet are few from each. */
const ADDRESSES = 200
const UPDATE = '{"type":"task_update"'
const PING = '{"type":"ping"'
const PONG = JSON.stringify({ type: 'pong' })

/**
 * Connects and registers a browser for each pairing, a bounded number at a time. A call is answered after so many ms; at
 * once when 0.
 */
export async function connectBrowsers(
  relayPort: number,
  paired: readonly PairedBrowser[],
  answersAfterMs: number,
): Promise<Browsers> {
  const all: LoadBrowser[] = []
  let lost = 0
  let waits: number[] = []
  const waiting = paired.entries()
  const worker = async () => {
    for (const [n, one] of waiting) await connectSoon(one, `127.0.1.${1 + (n % ADDRESSES)}`)
  }
  /** A busy service may drop a socket that has not registered yet: browsers connect again. */
  const connectSoon = async (one: PairedBrowser, localAddress: string) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await connectOne(one, localAddress)
      } catch (error) {
        if (attempt === ATTEMPTS_MAX) throw error
      }
    }
  }
  const connectOne = (one: PairedBrowser, localAddress: string) =>
    new Promise<void>((resolve, reject) => {
      const browser: LoadBrowser = { paired: one, starts: [], busy: false, onComplete: null }
      const socket = new WebSocket(`ws://127.0.0.1:${relayPort}/`, {
        localAddress,
        perMessageDeflate: false,
        skipUTF8Validation: true,
      })
      const send = (frame: object) => socket.send(JSON.stringify(frame))
      const { token: session_token, sessionId: instance } = one
      socket.on('open', () => send({ type: 'register', role: 'extension', session_token, protocol: 2, instance }))
      socket.on('error', reject)
      let registered = false
      let answeredAt = 0
      let calls = 0
      const answer = (requestId: string) => {
        answeredAt = performance.now()
        send({ type: 'tool_result', requestId, output: OUTPUT })
      }
      const waited = () => {
        if (answeredAt > 0) waits.push(performance.now() - answeredAt)
        answeredAt = 0
      }
      socket.on('close', (code) => {
        if (registered) lost++
        reject(new Error(`A browser's socket was closed with ${code}`))
      })
      socket.on('message', (data: Buffer) => {
        const text = data.toString()
        if (text.startsWith(UPDATE)) return
        if (text.startsWith(PING)) return socket.send(PONG)
        const frame = JSON.parse(text)
        if (frame.type === 'mcp_execute_tool') {
          waited()
          calls++
          if (answersAfterMs > 0) setTimeout(answer, answersAfterMs, frame.requestId)
          else answer(frame.requestId)
        } else if (frame.type === 'task_complete') {
          waited()
          browser.onComplete?.({ status: frame.status, calls })
          calls = 0
        } else if (frame.type === 'registered') {
          registered = true
          all.push(browser)
          resolve()
        } else if (frame.type === 'error') reject(new Error(`A browser received the error: ${frame.error}`))
      })
    })
  await Promise.all(Array.from({ length: CONNECTING_MAX }, worker))
  return {
    all,
    lost: () => lost,
    waits() {
      const taken = waits
      waits = []
      return taken
    },
  }
}
