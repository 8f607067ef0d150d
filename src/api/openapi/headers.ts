import { isStrict } from '../../wire/unknown-fields.ts'
import { IDEMPOTENCY_KEY } from '../idempotency.ts'
import { isIdempotent, type Route, startsTasks } from '../route.ts'

/** [A11, B6, E21] The headers that a route reads beside the usual ones. */
export function headerParameters(route: Route) {
  const { access, body, path } = route
  const header = (name: string, description: string, example: string, schema: object = {}, required = false) => ({
    name,
    in: 'header',
    required,
    description,
    example,
    schema: { type: 'string', ...schema },
  })
  if (body === 'raw') {
    return [
      header(
        'payment-signature',
        't=<unix s>,v1=<hex hmac-sha256 of "<t>.<raw body>">',
        't=1795176000,v1=5f',
        { minLength: 1 },
        true,
      ),
    ]
  }
  return [
    ...(access !== 'open' || path === '/v1/me'
      ? [
          header(
            'X-Workspace-Id',
            'With a session cookie: which of the workspaces is meant.',
            'c56a4180-65aa-42ec-a945-5fd21dec0538',
          ),
        ]
      : []),
    ...(isIdempotent(route)
      ? [
          header(
            'Idempotency-Key',
            'Sent again with the same key within 24 hours, the request is not carried out again: its first answer is.',
            'order-4711',
            { pattern: IDEMPOTENCY_KEY.source },
          ),
        ]
      : []),
    ...(startsTasks(route)
      ? [
          header(
            'traceparent',
            'W3C Trace Context: the span that the trace of the task goes on from.',
            '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
          ),
        ]
      : []),
  ]
}

/** Statuses that may say when to come again: of 409 a request that is still under way, of 503 a part that is away. */
const RETRIED: ReadonlySet<string> = new Set(['409', '429', '503'])

/** [E27] */
const LIMIT_HEADERS = Object.fromEntries(
  [
    ['RateLimit-Policy', 'The limits of the workspace, as draft-ietf-httpapi-ratelimit-headers-11 writes them.'],
    ['RateLimit', 'How much of each limit is left.'],
  ].map(([name = '', description]) => [name, { description, schema: { type: 'string' } }]),
)
/** [E29] */
const warns = ({ body }: Route) => body !== null && typeof body !== 'string' && !isStrict(body)

/** The headers of an answer; `replays`: it may be the answer to an earlier request. */
export const headersOf = (route: Route, status: string, replays = false) => ({
  'X-Request-Id': {
    description: 'Names the request in the log of the service.',
    schema: { type: 'string', minLength: 8, maxLength: 8 },
  },
  ...(RETRIED.has(status)
    ? { 'Retry-After': { description: 'Seconds until it is worth trying again.', schema: { type: 'integer' } } }
    : {}),
  ...(startsTasks(route) && (status === '201' || status === '429') ? LIMIT_HEADERS : {}),
  ...(warns(route)
    ? { Warning: { description: 'Names fields of the body that were ignored.', schema: { type: 'string' } } }
    : {}),
  ...(replays
    ? { 'Idempotent-Replayed': { description: 'It is the answer to an earlier request.', schema: { const: 'true' } } }
    : {}),
})
