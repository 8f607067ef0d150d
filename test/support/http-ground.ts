import { request as send } from 'node:http'
import { bodyBytesMax } from '../../src/api/request-body.ts'
import { nodeTransport } from '../../src/net/node.ts'
import type { Handler, Request, Response } from '../../src/net/transport.ts'
import { uwsTransport } from '../../src/net/uws.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { openMongoStore } from '../../src/stores/mongodb.ts'
import { memoryLog } from './http-wire.ts'
import { startMongoServer } from './mongo/start.ts'
import { tempFolder } from './stores.ts'

/**
 * On what the suites of HTTP and relay stand when nothing else is said: the embedded store, and no wire at all. Those who
 * run the same suites on another ground say so before they import them (`again.ts`).
 */
export const ground: { store: 'lmdb' | 'mongodb'; wire: 'none' | 'uws' | 'node' } = { store: 'lmdb', wire: 'none' }

let mongo: ReturnType<typeof startMongoServer> | null = null
let databases = 0

/** An empty store of the ground. */
export async function groundStore() {
  if (ground.store === 'lmdb') return openLmdbStore({ dataDir: tempFolder() })
  mongo ??= startMongoServer()
  return openMongoStore({ url: `${(await mongo).url}/ground${databases++}` })
}

/** Answers requests as `handle` does: by itself, or over the ground's wire. What no wire can carry goes to `handle`. */
export function groundWire(handle: Handler): (request: Request) => Promise<Response> {
  if (ground.wire === 'none') return async (request) => handle(request)
  const transport = ground.wire === 'uws' ? uwsTransport(memoryLog()) : nodeTransport(memoryLog())
  const listening = transport.listen({ host: '127.0.0.1', port: 0, maxBodyBytes: bodyBytesMax, handle, sockets: {} })
  return async (request) => (fitsWire(request) ? carried(request, (await listening).port) : handle(request))
}

/** node:http knows the methods of the standard alone, and neither side sends blanks in a path or control characters in a head. */
const fitsWire = ({ method, path, query, headers }: Request): boolean =>
  /^[!-~]*$/.test(path + query) &&
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(method) &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a head cannot carry them
  Object.values(headers).every((value) => !/[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(value))

/** Headers that belong to the wire, not to the answer. */
const OF_WIRE = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'uwebsockets']

function carried({ method, path, query, headers, body, bodyTooLarge }: Request, port: number): Promise<Response> {
  const sent = bodyTooLarge ? Buffer.alloc(bodyBytesMax({ method, path }) + 1, 0x20) : Buffer.from(body)
  return new Promise((resolve, reject) => {
    const length = sent.length > 0 || method === 'POST' ? { 'content-length': String(sent.length) } : {}
    const target = `${path}${query === '' ? '' : `?${query}`}`
    const outgoing = send(
      { host: '127.0.0.1', port, method, path: target, headers: { ...headers, ...length }, agent: false },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('error', reject)
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () => {
          const raw = incoming.rawHeaders
          const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []))
          const bytes = Buffer.concat(chunks)
          const isImage = incoming.headers['content-type']?.startsWith('image/')
          resolve({
            status: incoming.statusCode ?? 0,
            headers: pairs.filter(([name]) => !OF_WIRE.includes(name.toLowerCase())),
            body: bytes.length === 0 ? null : isImage ? bytes : bytes.toString(),
          })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(sent)
  })
}
