import type { Request, Response } from '../net/transport.ts'
import { isOfBrowserFiles } from '../wire/files.ts'
import { isOAuthPath } from '../wire/oauth.ts'
import { PREFLIGHT_CACHE_S } from './limits.ts'

type Headers = Response['headers']
const NONE: Headers = []
/** [U4] An extension asks from an origin of its own. It comes with a token in a header, which no other page has. */
const ANY_ORIGIN: Headers = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Allow-Methods', 'GET, POST'],
  ['Access-Control-Allow-Headers', 'Authorization, Content-Type'],
]

/** [C1] The origins that CORS echoes: those of the settings and, outside production, two of localhost. */
export const allowedOriginsOf = ({
  production,
  allowedOrigins,
}: {
  readonly production: boolean
  readonly allowedOrigins: readonly string[]
}): readonly string[] =>
  production ? allowedOrigins : [...allowedOrigins, 'http://localhost:3000', 'http://localhost:5173']

/** [C2–C4] The headers for allowed origins; other origins get none. */
export interface Cors {
  /** For any answer to this request. */
  headers(request: Request): Headers
  /** For the answer to OPTIONS. */
  preflight(request: Request): Headers
  /** Whether the origin of a request is one that it may be made from: allowed, or where the service itself lives. */
  isOurs(origin: string, host: string | undefined): boolean
}

/** The methods that the specification names; PATCH is allowed where a route takes it. */
const METHODS = 'GET, POST, DELETE, OPTIONS'

export function corsOf(
  allowedOrigins: readonly string[],
  publicUrl: string | null,
  takesPatch: (path: string) => boolean,
): Cors {
  // Made once: an answer only appends them.
  const byOrigin = new Map(allowedOrigins.map((origin) => [origin, headersOf(origin, METHODS)]))
  const patchable = new Map(allowedOrigins.map((origin) => [origin, headersOf(origin, `PATCH, ${METHODS}`)]))
  const own = publicUrl === null ? null : new URL(publicUrl).origin
  const headers = (request: Request): Headers => {
    if (isOfBrowserFiles(request.path) || isOAuthPath(request.path)) return ANY_ORIGIN
    const { origin } = request.headers
    if (origin === undefined || !byOrigin.has(origin)) return NONE
    return (takesPatch(request.path) ? patchable : byOrigin).get(origin) ?? NONE
  }
  return {
    headers,
    preflight: (request) => {
      const allowed = headers(request)
      return allowed.length === 0 ? NONE : [...allowed, ['Access-Control-Max-Age', String(PREFLIGHT_CACHE_S)]]
    },
    isOurs: (origin, host) =>
      byOrigin.has(origin) || origin === own || (URL.canParse(origin) && new URL(origin).host === host),
  }
}

const headersOf = (origin: string, methods: string): Headers => [
  ['Access-Control-Allow-Origin', origin],
  ['Access-Control-Allow-Methods', methods],
  ['Access-Control-Allow-Headers', 'Content-Type, Authorization, X-Workspace-Id, Idempotency-Key, Last-Event-ID'],
  [
    'Access-Control-Expose-Headers',
    'Idempotent-Replayed, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy, Warning',
  ],
  ['Access-Control-Allow-Credentials', 'true'],
]
