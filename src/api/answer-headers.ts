import type { Request, Response } from '../net/transport.ts'
import { SERVICE_HEADER } from '../wire/service-header.ts'
import type { Cors } from './cors.ts'

/** [E20] What the API answers is for its caller alone, and is what its type says. */
const PRIVATE: Response['headers'] = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
]

/** [V6] A stream says itself how it may be kept. */
const STREAMED = PRIVATE.slice(1)

const VARY = ['Vary', 'Origin'] as const

const MARK = [SERVICE_HEADER, '1'] as const

/** [E5, C2, S13] What every answer carries. */
export function finished(response: Response, requestId: string, request: Request, cors: Cors): Response {
  const { status, body, stream } = response
  const own = request.path.startsWith('/v1/') ? (stream === undefined ? PRIVATE : STREAMED) : []
  const allowed = request.method === 'OPTIONS' ? cors.preflight(request) : cors.headers(request)
  const headers = response.headers.concat(own, [VARY, MARK, ['X-Request-Id', requestId]], allowed)
  return stream === undefined ? { status, headers, body } : { status, headers, body, stream }
}
