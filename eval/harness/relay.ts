import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

const PING_MS = 20_000
/** Longer than any limit of the tools: what never answers is a finding. */
const ANSWER_MS_MAX = 40_000

/** What a browser answered to a call. */
export interface Answer {
  /** All that a model would read of it: the tool's own words and the page's. */
  readonly text: string
  readonly failed: boolean
  /** A JPEG in base64. */
  readonly image: string | null
  readonly ms: number
  /** Its frame. */
  readonly told: Readonly<Record<string, unknown>>
}

/** The service's side of the relay, and nothing else of a service: what the tools answer is measured, not what is made of it. */
export interface Relay {
  readonly url: string
  connected(): Promise<void>
  call(taskId: string, tool: string, input: object, more?: object): Promise<Answer>
  /** Tells the browser that the task is over, so that its tabs are closed. */
  ended(taskId: string): void
  close(): Promise<void>
}

interface Frame {
  readonly type: string
  readonly requestId?: string
  readonly [field: string]: unknown
}

export async function openRelay(): Promise<Relay> {
  const sessionId = randomUUID()
  const pending = new Map<string, (frame: Frame) => void>()
  let socket: WebSocket | null = null
  let announce = () => {}
  const registered = new Promise<void>((resolve) => {
    announce = resolve
  })
  const http = createServer((request, response) => {
    request.resume().on('end', () => {
      const relay_port = (http.address() as AddressInfo).port
      const token = { browser_session_id: sessionId, session_token: `svc_sess_${'0'.repeat(64)}` }
      response.writeHead(201, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...token, workspace_id: randomUUID(), relay_port }))
    })
  })
  const sockets = new WebSocketServer({ server: http, maxPayload: 2 ** 25 })
  sockets.on('connection', (opened) => {
    opened.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Frame
      if (frame.type === 'register') {
        socket = opened
        send({ type: 'registered', browserSessionId: sessionId, clientId: randomUUID(), protocol: 2 })
        announce()
      } else if (frame.type === 'tool_result') pending.get(String(frame.requestId))?.(frame)
    })
  })
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening))
  const send = (frame: object) => socket?.send(JSON.stringify(frame))
  const pings = setInterval(() => send({ type: 'ping' }), PING_MS)
  const about = { targetSessionId: sessionId, browserSessionId: sessionId }
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    connected: () => registered,
    call(taskId, tool, input, more = {}) {
      const requestId = randomUUID()
      const started = performance.now()
      return new Promise((resolve) => {
        const done = (frame: Frame) => {
          clearTimeout(timer)
          pending.delete(requestId)
          resolve(answerOf(frame, performance.now() - started))
        }
        const timer = setTimeout(
          () => done({ type: 'tool_result', error: `No answer within ${ANSWER_MS_MAX / 1000} s.` }),
          ANSWER_MS_MAX,
        )
        pending.set(requestId, done)
        send({ type: 'mcp_execute_tool', ...about, requestId, taskId, tool, input, ...more })
      })
    },
    ended: (taskId) =>
      send({ type: 'task_complete', targetSessionId: sessionId, taskId, answer: '', status: 'complete' }),
    async close() {
      clearInterval(pings)
      for (const each of sockets.clients) each.terminate()
      sockets.close()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

const words = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** Where the page's words are a field of their own they follow the tool's; else all is in `result`. */
function answerOf(frame: Frame, ms: number): Answer {
  const failed = frame.error !== null && frame.error !== undefined
  const told = 'said' in frame || 'content' in frame ? [frame.said, frame.content] : [frame.result ?? frame.output]
  const text = [...new Set([failed ? frame.error : undefined, ...told].map(words))].filter(Boolean).join('\n')
  return { text, failed, image: typeof frame.screenshot === 'string' ? frame.screenshot : null, ms, told: frame }
}
