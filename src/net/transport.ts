/**
 * The one interface between the service and whatever library listens on a port. Two adapters implement it:
 * `uws.ts` (uWebSockets.js) and `node.ts` (node:http and ws). One behaviour suite runs against both.
 */

/** A request. All of it is copied, except `ip`, which can be read only until the response is sent. */
export interface Request {
  /** Upper case. */
  readonly method: string
  /** Without the query string, as sent (still percent-encoded). */
  readonly path: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
  /** Names in lower case; repeated ones joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The peer's address, IPv4-mapped IPv6 as IPv4. */
  readonly ip: string
  /** Empty when there is none, and when it was too large. */
  readonly body: Uint8Array
  /** The body was over the limit and was read to its end, or given up, without being kept. */
  readonly bodyTooLarge: boolean
  /** Too many large bodies are read already: this one was not kept. */
  readonly busy?: boolean
  /** Made by the service itself, for a tool of MCP. */
  readonly isInside?: boolean
  /** Aborted when the client gives the request up before its answer begins. Whatever waits for something ends by it. */
  readonly signal: AbortSignal
}

export interface Response {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** `null` is an empty body. A HEAD request's body is not sent. */
  readonly body: string | Uint8Array | null
  /** Used instead of `body` for an open-ended response (Server-Sent Events). Called once, after the headers are sent. */
  readonly stream?: (stream: ResponseStream) => void
}

export interface ResponseStream {
  /**
   * Whole events: a comment may come between two writes. False when the peer is slower than the writer: hold back until
   * `onDrain`. Nothing happens after the end.
   */
  write(text: string): boolean
  onDrain(listener: () => void): void
  /** The peer went away, or `end` was called. */
  onClose(listener: () => void): void
  end(): void
  /** Cuts the connection: what the peer has not taken yet is dropped. */
  destroy(): void
}

/** Answers at once where it can: no promise is made on the hot path. A throw or rejection is the adapter's bare 500. */
export type Handler = (request: Request) => Response | Promise<Response>

/** A WebSocket as the relay sees it. `data` is the relay's own. */
export interface Socket<Data> {
  data: Data
  readonly ip: string
  /** One frame each, in their order, together. False when nothing could be sent because the socket is closed. Never throws. */
  send(...texts: readonly string[]): boolean
  /** What was sent and is not yet on its way. */
  bufferedBytes(): number
  /** Ends the limit of `bytesBeforeAdmission`. */
  admit(): void
  /** Closes with a code and a reason (at most 123 bytes). Never throws. */
  close(code: number, reason: string): void
}

export interface SocketHandlers<Data> {
  open(socket: Socket<Data>): void
  /** `null` for a binary frame. The text is the handler's own copy. */
  message(socket: Socket<Data>, text: string | null): void
  /** Exactly once for every `open`. */
  close(socket: Socket<Data>, code: number, reason: string): void
  /** The `data` that a new socket starts with. */
  data(): Data
  /** Whether a page of this origin may open a socket; `null` is a client that is not a browser. Not given: every origin. */
  takesOrigin?(origin: string | null): boolean
  /** Frames above this are closed with 1009 by the adapter; the relay's own smaller limits are its own. */
  readonly maxFrameBytes: number
  /**
   * What a socket may send before `admit()` is called, unfinished frames included; more ends it. uWebSockets.js cannot
   * tell bytes by socket: it ends those that are not admitted when the memory that frames take has grown too much.
   */
  readonly bytesBeforeAdmission?: number
}

/** How large a body may be, at most, of any request or of this one. */
export type BodyLimit = number | ((request: Pick<Request, 'method' | 'path'>) => number)

export interface ListenOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  readonly handle: Handler
  readonly maxBodyBytes: BodyLimit
  /** WebSocket upgrades are taken at these paths; at others they are answered by `handle`. */
  // biome-ignore lint/suspicious/noExplicitAny: each path has its own data
  readonly sockets: Readonly<Record<string, SocketHandlers<any>>>
}

export interface Listener {
  readonly port: number
  /** False once it no longer accepts. */
  listening(): boolean
  /** Stops accepting; what is open stays open. */
  pause(): void
  /** Closes what is still open and resolves when all is gone. */
  close(): Promise<void>
}

export interface Transport {
  readonly name: 'uws' | 'node'
  /** Rejects with `PortInUse` when another listener has the port. */
  listen(options: ListenOptions): Promise<Listener>
}

/** The port is taken. The message names it. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse'
  constructor(host: string, port: number) {
    super(`Port ${port} on ${host} is in use`)
  }
}
