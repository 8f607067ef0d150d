import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import type { Log } from '../../actors/runtime/ports.ts'
import { HEAD_BYTES_MAX } from './limits.ts'
import {
  answerAndRelease,
  bodyFields,
  type GatheredBody,
  type IncomingBody,
  LargeBodies,
  limitFor,
} from './sockets/large-bodies.ts'
import { RequestAbort } from './sockets/request-abort.ts'
import {
  announcesBody,
  answering,
  isBodiless,
  isPromise,
  plainAddress,
  safeValue,
  settled,
  whyNotListening,
} from './sockets/shared.ts'
import { type Held, socketBehavior, type UwsSocket } from './sockets/uws.ts'
import { lengthOf, sendBody, startStream } from './sockets/uws-answer.ts'
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

// Read by the library when its binary loads, so the import must come after it.
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(HEAD_BYTES_MAX)
const uws = (await import('uWebSockets.js')) as unknown as Library
// No header that names the library.
uws._cfg('silent')

/** The library's typings leave out what is not for everybody. */
type Library = Omit<typeof import('uWebSockets.js'), 'ListenOptions'> & {
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number
  _cfg(setting: string): void
}

const NO_BODY = new Uint8Array(0)
const STATUS_LINES = new Map(Object.entries(STATUS_CODES).map(([code, text]) => [Number(code), `${code} ${text}`]))

/** uWebSockets.js as a transport. Importing this file throws where its binary does not load. */
export const uwsTransport = (log: Log): Transport => ({
  name: 'uws',
  listen: (options) => listen(options, log),
})

/** What is open on one listener. */
interface Open {
  answers: number
  readonly streams: Set<ResponseStream>
  readonly sockets: Set<UwsSocket>
  readonly log: Log
}

async function listen(options: ListenOptions, log: Log): Promise<Listener> {
  const open: Open = { answers: 0, streams: new Set(), sockets: new Set(), log }
  const app = uws.App()
  for (const [path, handlers] of Object.entries(options.sockets)) {
    app.ws<Held>(path, socketBehavior(handlers, open.sockets, log))
  }
  const handle = answering(options.handle, log)
  const large = new LargeBodies()
  app.any('/*', (res, req) => {
    guarded(res, log, () => receive(res, req, handle, options.maxBodyBytes, large, open))
  })
  const socket = await bind(app, options)
  let listening = true
  const pause = () => {
    if (listening) uws.us_listen_socket_close(socket)
    listening = false
  }
  return {
    port: uws.us_socket_local_port(socket),
    listening: () => listening,
    pause,
    close: async () => {
      pause()
      for (const one of [...open.sockets]) one.close(1001, 'Going away')
      for (const stream of [...open.streams]) stream.end()
      await settled(() => open.answers)
      app.close()
    },
  }
}

/** Whatever escaped from a callback of the library would end the process. */
function guarded(res: HttpResponse, log: Log, act: () => void): void {
  try {
    act()
  } catch (error) {
    log.error({ err: error }, 'a request could not be answered')
    res.close()
  }
}

async function bind(app: TemplatedApp, { host, port }: ListenOptions): Promise<us_listen_socket> {
  // Its typings forget that a host and options go together. Without the option a second process would share the port.
  const listenOn = app.listen.bind(app) as unknown as (
    host: string,
    port: number,
    options: number,
    done: (socket: us_listen_socket | false) => void,
  ) => void
  const socket = await new Promise<us_listen_socket | false>((resolve) =>
    listenOn(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve),
  )
  if (socket === false) throw await whyNotListening(host, port)
  return socket
}

/** A request, copied off the library, which takes its own back when the handler returns. */
class UwsRequest implements Request {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Record<string, string> = Object.create(null)
  body: Uint8Array = NO_BODY
  bodyTooLarge = false
  busy = false
  readonly #abort = new RequestAbort()
  /** `null` once it was answered or aborted: then nothing can be asked of it. */
  res: HttpResponse | null

  constructor(res: HttpResponse, req: HttpRequest) {
    this.res = res
    this.method = req.getCaseSensitiveMethod()
    this.path = req.getUrl()
    // Undefined when there is no question mark, whatever its type says.
    this.query = req.getQuery() ?? ''
    const { headers } = this
    req.forEach((name, value) => {
      const before = headers[name]
      headers[name] = before === undefined ? value : `${before}, ${value}`
    })
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  giveUp(): void {
    this.res = null
    this.#abort.abort()
  }

  /** Asked for only when it is wanted: it costs a system call. Empty when the peer is gone. */
  get ip(): string {
    return this.res === null ? '' : plainAddress(Buffer.from(this.res.getRemoteAddressAsText()).toString('latin1'))
  }
}

/** Has a request answered: at once when no body is to come. */
function receive(
  res: HttpResponse,
  req: HttpRequest,
  handle: Handler,
  maxBodyBytes: BodyLimit,
  large: LargeBodies,
  open: Open,
): void {
  const request = new UwsRequest(res, req)
  if (!announcesBody(request.headers)) {
    respond(res, request, handle(request), open)
    return
  }
  const incoming = large.begin(limitFor(maxBodyBytes, request))
  gather(res, incoming, (body) => {
    Object.assign(request, bodyFields(body))
    respond(res, request, answerAndRelease(handle, request, incoming), open)
  })
}

/** Reads a body to its end, within its limit. Never calls back for a request that was given up. */
function gather(res: HttpResponse, incoming: IncomingBody, done: (body: GatheredBody) => void): void {
  let over = false
  res.onAborted(() => {
    over = true
    incoming.release()
  })
  res.onData((chunk, isLast) => {
    if (over || (incoming.add(new Uint8Array(chunk)) && !isLast)) return
    over = true
    done(incoming.end())
  })
}

function respond(res: HttpResponse, request: UwsRequest, response: Response | Promise<Response>, open: Open): void {
  if (!isPromise(response)) {
    send(res, request, response, open)
    return
  }
  let gone = false
  open.answers++
  res.onAborted(() => {
    if (!gone) open.answers--
    gone = true
    request.giveUp()
  })
  response.then((late) => {
    if (gone) return
    gone = true
    open.answers--
    send(res, request, late, open)
  })
}

/** Sends an answer whole, in one write. Nothing may have been sent or aborted before. */
function send(res: HttpResponse, request: UwsRequest, response: Response, open: Open): void {
  request.res = null
  guarded(res, open.log, () => res.cork(() => write(res, request, response, open)))
}

function write(res: HttpResponse, { method }: Request, response: Response, open: Open): void {
  const { status, body, stream } = response
  writeHead(res, response)
  if (isBodiless(status)) res.endWithoutBody()
  else if (method === 'HEAD') {
    // Given a length, the library would write it and then wait for the body for ever.
    if (!stream) res.writeHeader('Content-Length', String(lengthOf(body)))
    res.endWithoutBody()
  } else if (stream) startStream(res, stream, open.streams)
  else sendBody(res, body ?? '')
}

function writeHead(res: HttpResponse, { status, headers }: Response): void {
  res.writeStatus(STATUS_LINES.get(status) ?? `${status} Status`)
  for (const [name, value] of headers) res.writeHeader(name, safeValue(value))
}
