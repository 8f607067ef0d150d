import { BrowserTasks } from '../../client/index.ts'
import type { Handler, Request as OurRequest, Response as OurResponse } from '../../net/transport.ts'
import { createMcpHandler, type McpServer } from './protocol.ts'
import { createMcpServer } from './tools.ts'

/** Never resolved: requests of tools are answered by the service itself. */
const INSIDE = 'http://mcp.invalid'

/**
 * [Y7] `/mcp` over HTTP, stateless, for clients of 2026-07-28 and of 2025: the tools ask `dispatch`, the API of this
 * service, with the caller's own key. The caller was authenticated before.
 */
export function createMcp({
  version,
  log,
}: {
  readonly version: string
  readonly log: { warn(fields: object, message: string): void }
}) {
  return (dispatch: Handler): Handler =>
    mcpOverHttp(
      (headers) => createMcpServer(clientOf(headers, dispatch), version),
      (err) => log.warn({ err }, 'an MCP request failed'),
    )
}

/** A server for each request, by its headers. */
export function mcpOverHttp(serverOf: (headers: Headers) => McpServer, onerror: (error: Error) => void): Handler {
  const handler = createMcpHandler(({ requestInfo }) => serverOf(requestInfo?.headers ?? new Headers()), { onerror })
  return async (request) => {
    if (request.bodyTooLarge) return { status: 413, headers: [], body: null }
    // Its client has left while this was loaded: the library would wait for the end of its call all the same.
    if (request.signal.aborted) return { status: 408, headers: [], body: null }
    return answerOf(await handler.fetch(webRequest(request)))
  }
}

const clientOf = (headers: Headers, dispatch: Handler): BrowserTasks =>
  new BrowserTasks({
    baseUrl: INSIDE,
    key: (headers.get('authorization') ?? '').replace(/^bearer +/i, ''),
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const answer = await dispatch({
        method: request.method,
        path: pathname,
        query: search.slice(1),
        headers: { ...Object.fromEntries(request.headers), host: 'localhost', ...foundBy(headers) },
        ip: headers.get(ADDRESS) ?? '127.0.0.1',
        body: new Uint8Array(await request.arrayBuffer()),
        bodyTooLarge: false,
        isInside: true,
        signal: request.signal,
      })
      return new Response(bodyOf(answer, request.signal), {
        status: answer.status,
        headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
      })
    },
  })

/** What the service answers as a body that is read here: a stream goes on until its reader or its request gives it up. */
function bodyOf({ body, stream }: OurResponse, signal: AbortSignal) {
  if (stream === undefined) return body as string | Uint8Array<ArrayBuffer> | null
  const listeners: (() => void)[] = []
  const { readable, writable } = new TextEncoderStream()
  const writer = writable.getWriter()
  const closed = () => {
    for (const listener of listeners.splice(0)) listener()
  }
  signal.addEventListener('abort', () => void writer.abort(signal.reason).catch(() => {}))
  writer.closed.catch(() => {}).finally(closed)
  stream({
    write(text) {
      writer.write(text).catch(() => {})
      return true
    },
    onDrain() {},
    onClose: (listener) => void listeners.push(listener),
    end: () => void writer.close().catch(() => {}),
    destroy: () => void writer.abort().catch(() => {}),
  })
  return readable
}

/** The headers with the origin that a client asked, and its address behind a proxy. */
const FOUND_BY = ['host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']
const foundBy = (headers: Headers): Record<string, string> =>
  Object.fromEntries(FOUND_BY.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : [])))

/** The address of the peer, for rules that count by it. */
const ADDRESS = 'x-mcp-peer'

function webRequest({ method, path, query, headers, ip, body, signal }: OurRequest): Request {
  const reads = method === 'GET' || method === 'HEAD'
  return new Request(`${INSIDE}${path}${query === '' ? '' : `?${query}`}`, {
    method,
    headers: { ...headers, [ADDRESS]: ip },
    signal,
    ...(reads ? {} : { body: body as Uint8Array<ArrayBuffer> }),
  })
}

async function answerOf(response: Response): Promise<OurResponse> {
  const { status, body } = response
  const headers = [...response.headers].filter(([name]) => name !== 'content-length')
  if (body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text()
    return { status, headers, body: text === '' ? null : text }
  }
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  return {
    status,
    headers,
    body: null,
    stream(stream) {
      // A client that disconnects ends its call, and with it the waiting.
      stream.onClose(() => void reader.cancel().catch(() => {}))
      void (async () => {
        for (;;) {
          const { value, done } = await reader.read()
          if (done) break
          stream.write(value)
        }
      })()
        .catch(() => {})
        .finally(() => stream.end())
    },
  }
}
