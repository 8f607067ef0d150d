import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Request, Response } from './transport.ts'

export type Encoding = 'br' | 'gzip'

/** Whether `Accept-Encoding` names an encoding, and not with the quality 0. */
const takes = (header: string, names: string): boolean =>
  new RegExp(`(?:^|,)\\s*(?:${names})\\s*(?:;\\s*q=(?!0(?:\\.0*)?\\s*(?:,|$))|,|$)`, 'i').test(header)

/** [E32] The encoding that a client takes; `null`: none of ours. */
export const encodingOf = ({ 'accept-encoding': header = '' }: Request['headers']): Encoding | null =>
  takes(header, 'br') ? 'br' : takes(header, '(?:x-)?gzip') ? 'gzip' : null

/** Off the event loop. The quality is one whose time nobody notices: a page of 500 KB takes some milliseconds. */
export const compress: Readonly<Record<Encoding, (bytes: Uint8Array | string) => Promise<Uint8Array>>> = {
  br: (bytes) =>
    promisify<Uint8Array | string, object, Uint8Array>(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
    }),
  gzip: promisify<Uint8Array | string, Uint8Array>(gzip),
}

/** Documents: what people and programs read as text. Answers of the API are small, and each is made for one client. */
const DOCUMENT = /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:javascript|json|xml))/i
const IS_JSON = /^application\/json/i
const DOCUMENT_CHARS_MIN = 1_024
const JSON_CHARS_MIN = 8_192

/** Documents that are the same for everybody, such as the docs, are compressed once while they are asked for. */
const KEPT_CHARS_MAX = 2_000_000

export type Compressed = (request: Request, response: Response) => Promise<Response> | Response

/** [E32] Compresses the documents that a client takes compressed; everything else is answered as it is. */
export function createCompressed(): Compressed {
  const cache = () => new LRUCache<string, Promise<Uint8Array>>({ max: 100, maxSize: KEPT_CHARS_MAX })
  const kept = { br: cache(), gzip: cache() }

  const bytesOf = (encoding: Encoding, body: string | Uint8Array, isShared: boolean): Promise<Uint8Array> => {
    if (!isShared || typeof body !== 'string') return compress[encoding](body)
    const known = kept[encoding].get(body)
    if (known) return known
    const made = compress[encoding](body)
    kept[encoding].set(body, made, { size: body.length })
    return made
  }

  return (request, response) => {
    const { body, headers, status, stream } = response
    const header = (name: string) => headers.find(([each]) => each.toLowerCase() === name)?.[1]
    const type = header('content-type') ?? ''
    const isLong = (body?.length ?? 0) >= (IS_JSON.test(type) ? JSON_CHARS_MIN : DOCUMENT_CHARS_MIN)
    if (stream !== undefined || body === null || !isLong || status < 200 || !DOCUMENT.test(type)) return response
    if (header('content-encoding') !== undefined || request.isInside) return response
    // One representation of several, also where it is the plain one.
    const vary: Response['headers'] = header('vary') === undefined ? [['Vary', 'Accept-Encoding']] : []
    const encoding = encodingOf(request.headers)
    if (encoding === null) return { ...response, headers: headers.concat(vary) }
    const isShared = request.headers.authorization === undefined && request.headers.cookie === undefined
    return bytesOf(encoding, body, isShared).then((bytes) => ({
      ...response,
      headers: headers.concat(vary, [['Content-Encoding', encoding]]),
      body: bytes,
    }))
  }
}
