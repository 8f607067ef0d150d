import { createServer, type IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { WebSocketServer } from 'ws'
import type { Log } from '../../actors/runtime/ports.ts'
import { BODY_BYTES_MAX } from '../../machines/limits.ts'
import {
  HEAD_BYTES_MAX,
  HTTP_IDLE_MS_MAX,
  HTTP_LOOK_EVERY_MS,
  HTTP_REQUEST_MS_MAX,
  PIPELINED_REQUESTS_MAX,
} from './limits.ts'
import {
  answerAndRelease,
  bodyFields,
  type GatheredBody,
  type IncomingBody,
  LargeBodies,
  limitFor,
} from './sockets/large-bodies.ts'
import { NodeSocket } from './sockets/node.ts'
import { RequestAbort } from './sockets/request-abort.ts'
import {
  announcesBody,
  answering,
  isBodiless,
  isPromise,
  listenError,
  plainAddress,
  safeValue,
  settled,
} from './sockets/shared.ts'
import type {
  BodyLimit,
  Handler,
  Listener,
  ListenOptions,
  Request,
  Response,
  ResponseStream,
  Transport,
} from './transport.ts'

const NO_BODY = new Uint8Array(0)

/** How long a client may take. uWebSockets.js has limits of its own. */
const PATIENCE = {
  maxHeaderSize: HEAD_BYTES_MAX,
  keepAliveTimeout: HTTP_IDLE_MS_MAX,
  headersTimeout: HTTP_IDLE_MS_MAX,
  requestTimeout: HTTP_REQUEST_MS_MAX,
  connectionsCheckingInterval: HTTP_LOOK_EVERY_MS,
}

/** node:http and ws as a transport, for where uWebSockets.js does not load. */
export const nodeTransport = (log: Log): Transport => ({
  name: 'node',
  listen: (options) => listen(options, log),
})

/** What is open on one listener. */
interface Open {
  answers: number
  readonly streams: Set<ResponseStream>
  readonly sockets: Set<NodeSocket>
  readonly log: Log
}

async function listen(options: ListenOptions, log: Log): Promise<Listener> {
  const open: Open = { answers: 0, streams: new Set(), sockets: new Set(), log }
  const handle = answering(options.handle, log)
  const large = new LargeBodies()
  const server = createServer(PATIENCE, (incoming, res) =>
    receive(incoming, res, handle, { limit: options.maxBodyBytes, large }, open),
  )
  takeUpgrades(options, handle, open, (take) => server.on('upgrade', take))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(options.host, options.port, error)))
    server.listen({ host: options.host, port: options.port, exclusive: true }, resolve)
  })
  server.on('error', (error) => log.error({ err: error }, 'the listener failed'))
  let gone: Promise<void> | null = null
  const pause = () => {
    gone ??= new Promise((resolve) => server.close(() => resolve()))
    return gone
  }
  return {
    port: (server.address() as AddressInfo).port,
    listening: () => server.listening,
    pause: () => void pause(),
    close: async () => {
      const closed = pause()
      for (const socket of [...open.sockets]) socket.close(1001, 'Going away')
      for (const stream of [...open.streams]) stream.end()
      await settled(() => open.answers)
      for (const socket of [...open.sockets]) socket.terminate()
      server.closeAllConnections()
      await closed
    },
  }
}

type BodyFields = Pick<Request, 'body' | 'bodyTooLarge' | 'busy'>
type Head = Omit<Request, keyof BodyFields | 'signal'>

/** How bodies of a listener are read. */
interface Bodies {
  readonly limit: BodyLimit
  readonly large: LargeBodies
}

function headOf(incoming: IncomingMessage): Head {
  const headers: Record<string, string> = Object.create(null)
  const raw = incoming.rawHeaders
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase()
    const before = headers[name]
    headers[name] = before === undefined ? (raw[at + 1] as string) : `${before}, ${raw[at + 1]}`
  }
  const url = incoming.url ?? '/'
  const mark = url.indexOf('?')
  return {
    method: incoming.method ?? 'GET',
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? '' : url.slice(mark + 1),
    headers,
    ip: plainAddress(incoming.socket.remoteAddress ?? ''),
  }
}

function requestOf(head: Head, body: BodyFields, res: ServerResponse): Request {
  const abort = new RequestAbort()
  res.once('close', () => res.headersSent || abort.abort())
  return {
    ...head,
    ...body,
    get signal() {
      return abort.signal
    },
  }
}

function receive(incoming: IncomingMessage, res: ServerResponse, handle: Handler, bodies: Bodies, open: Open): void {
  // Of a connection that was ended for what it pipelined, the parser still hands over what it had read.
  if (incoming.socket.destroyed) return
  const head = headOf(incoming)
  res.on('error', () => {})
  incoming.on('error', () => {})
  inTurn(incoming, res, () => carryOut(incoming, head, res, handle, bodies, open))
}

function carryOut(
  incoming: IncomingMessage,
  head: Head,
  res: ServerResponse,
  handle: Handler,
  { limit, large }: Bodies,
  open: Open,
): void {
  if (!announcesBody(head.headers)) {
    const request = requestOf(head, { body: NO_BODY, bodyTooLarge: false }, res)
    answer(res, request, handle(request), open)
    return
  }
  const body = large.begin(limitFor(limit, head))
  gather(incoming, body, (gathered) => {
    const request = requestOf(head, bodyFields(gathered), res)
    answer(res, request, answerAndRelease(handle, request, body), open)
  })
}

function answer(res: ServerResponse, request: Request, response: Response | Promise<Response>, open: Open): void {
  if (!isPromise(response)) {
    send(res, request, response, open)
    return
  }
  open.answers++
  response.then((late) => {
    open.answers--
    if (!res.destroyed) send(res, request, late, open)
  })
}

function send(res: ServerResponse, request: Request, { status, headers, body, stream }: Response, open: Open): void {
  try {
    const flat: string[] = []
    for (const [name, value] of headers) flat.push(name, safeValue(value))
    if (!isBodiless(status) && !stream) flat.push('Content-Length', String(body === null ? 0 : Buffer.byteLength(body)))
    res.writeHead(status, flat)
    if (stream && request.method !== 'HEAD') startStream(res, stream, open.streams)
    else res.end(request.method === 'HEAD' || isBodiless(status) ? undefined : (body ?? ''))
  } catch (error) {
    open.log.error({ err: error }, 'a request could not be answered')
    res.destroy()
  }
}

type Upgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void

/** WebSockets at the paths that have them; every other request to upgrade is answered by `handle`, and its connection ends. */
function takeUpgrades(options: ListenOptions, handle: Handler, open: Open, on: (take: Upgrade) => void): void {
  const { sockets } = options
  if (Object.keys(sockets).length === 0) return
  const servers = new Map(
    Object.entries(sockets).map(([path, handlers]) => {
      const server = new WebSocketServer({
        noServer: true,
        clientTracking: false,
        perMessageDeflate: false,
        maxPayload: handlers.maxFrameBytes,
      })
      server.on('connection', (ws: WebSocket, incoming: IncomingMessage) => {
        const ip = plainAddress(incoming.socket.remoteAddress ?? '')
        new NodeSocket(ws, ip, handlers, open.sockets, open.log).start(incoming.socket)
      })
      return [path, server]
    }),
  )
  on((incoming, socket, head) => {
    socket.on('error', () => socket.destroy())
    const request = headOf(incoming)
    const server = servers.get(request.path)
    if (server !== undefined && request.headers.upgrade?.toLowerCase() === 'websocket') {
      if (options.sockets[request.path]?.takesOrigin?.(request.headers.origin ?? null) === false) {
        socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
        return
      }
      server.handleUpgrade(incoming, socket, head, (ws) => server.emit('connection', ws, incoming))
      return
    }
    const res = new ServerResponse(incoming)
    res.shouldKeepAlive = false
    res.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0])
    res.on('error', () => {})
    res.on('finish', () => socket.end())
    unparsedBody(request, socket, head, Math.min(BODY_BYTES_MAX, limitFor(options.maxBodyBytes, request)), (body) => {
      const whole = requestOf(request, { body: body ?? NO_BODY, bodyTooLarge: body === null }, res)
      answer(res, whole, handle(whole), open)
    })
  })
}

/** Requests of each connection that wait for the answer before theirs; an entry means that one is being answered. */
const waiting = new WeakMap<Socket, (() => void)[]>()

/**
 * [E17] Carries out one request of a connection at a time. node:http hands over all that are in the bytes that it read,
 * and would keep their answers until the client reads them.
 */
function inTurn({ socket }: IncomingMessage, res: ServerResponse, carryOut: () => void): void {
  if (socket.destroyed) return
  res.once('close', () => next(socket))
  const queue = waiting.get(socket)
  if (queue === undefined) {
    waiting.set(socket, [])
    carryOut()
  } else if (queue.push(carryOut) > PIPELINED_REQUESTS_MAX) socket.destroy()
}

function next(socket: Socket): void {
  if (socket.destroyed) return
  const carryOut = waiting.get(socket)?.shift()
  if (carryOut === undefined) waiting.delete(socket)
  else carryOut()
}

/** node parses nothing after the head of a request to upgrade; some clients ask to with every first request, bodies included. */
function unparsedBody(
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

/** Reads a body to its end, within its limit. Never calls back for a request that was given up. */
function gather(incoming: IncomingMessage, body: IncomingBody, done: (body: GatheredBody) => void): void {
  let over = false
  const finish = () => {
    if (over) return
    over = true
    done(body.end())
  }
  incoming.on('data', (chunk: Buffer) => body.add(chunk) || finish())
  incoming.on('end', finish)
  incoming.on('close', () => over || body.release())
}

/** Begins an open-ended answer. It is in `streams` until it ends. */
function startStream(res: ServerResponse, begin: NonNullable<Response['stream']>, streams: Set<ResponseStream>): void {
  let over = false
  const closes: (() => void)[] = []
  const finish = () => {
    if (over) return
    over = true
    streams.delete(stream)
    for (const listener of closes) listener()
  }
  const stream: ResponseStream = {
    write: (text) => !over && res.write(text),
    onDrain: (listener) => void res.on('drain', listener),
    onClose: (listener) => void closes.push(listener),
    end() {
      finish()
      res.end()
    },
    destroy() {
      finish()
      res.destroy()
    },
  }
  res.on('close', finish)
  streams.add(stream)
  res.flushHeaders()
  begin(stream)
}
