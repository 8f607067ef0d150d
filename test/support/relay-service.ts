import { type WebSocket, WebSocketServer } from 'ws'
import { eventually } from './eventually.ts'

export type Frame = Record<string, unknown> & { type: string }

/** One connection of a browser, as the service's side of the relay sees it. */
export interface ServiceSocket {
  /** Its first frame. */
  readonly register: Frame
  readonly bytesOfRegister: number
  /** What came since. */
  readonly frames: Frame[]
  send(frame: object): void
  sendRaw(text: string): void
  close(code: number): void
  /** Cuts the line without a close frame. */
  cut(): void
  /** The results that came, in their order. */
  results(): Frame[]
  asks(requestId: string, taskId?: string, input?: object): void
}

/** A relay that takes every browser and does what a test tells it. */
export interface RelayService {
  readonly url: string
  readonly port: number
  readonly sockets: ServiceSocket[]
  /** The n-th connection, once it has come and was answered `registered`. */
  connection(n: number): Promise<ServiceSocket>
  /** Called instead of answering `registered`. */
  answer: ((socket: ServiceSocket) => void) | null
  close(): Promise<void>
}

export const SESSION = '11111111-1111-4111-8111-111111111111'

export async function relayService(): Promise<RelayService> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const service: RelayService = {
    url: `ws://127.0.0.1:${port}/`,
    port,
    sockets: [],
    answer: null,
    async connection(n) {
      await eventually(() => service.sockets.length > n, `connection ${n}`)
      const socket = service.sockets[n]
      if (!socket) throw new Error(`There is no connection ${n}`)
      return socket
    },
    close: () =>
      new Promise((resolve) => {
        for (const client of server.clients) client.terminate()
        server.close(() => resolve())
      }),
  }
  server.on('connection', (socket) => {
    socket.once('message', (data) => accept(service, socket, String(data)))
  })
  return service
}

function accept(service: RelayService, socket: WebSocket, first: string): void {
  const frames: Frame[] = []
  const side: ServiceSocket = {
    register: JSON.parse(first),
    bytesOfRegister: Buffer.byteLength(first),
    frames,
    send: (frame) => socket.send(JSON.stringify(frame)),
    sendRaw: (text) => socket.send(text),
    close: (code) => socket.close(code, ''),
    cut: () => socket.terminate(),
    results: () => frames.filter(({ type }) => type === 'tool_result'),
    asks: (requestId, taskId = 'task', input = {}) =>
      side.send({
        type: 'mcp_execute_tool',
        targetSessionId: SESSION,
        browserSessionId: SESSION,
        requestId,
        taskId,
        tool: 'navigate',
        input,
      }),
  }
  socket.on('message', (data) => frames.push(JSON.parse(String(data))))
  service.sockets.push(side)
  if (service.answer) service.answer(side)
  else side.send({ type: 'registered', browserSessionId: SESSION, clientId: 'client', protocol: 2 })
}
