import * as assert from 'uvu/assert'
import { BrowserTasks } from '../../src/client/index.ts'

export type Reply = (request: Request) => Response | Promise<Response>
export interface Sent {
  readonly method: string
  readonly path: string
  readonly key: string | null
  readonly body: string
}

/** A client whose requests get these replies in turn, the last one for ever, and what it has sent. */
export function scripted(replies: readonly Reply[], options: { maxRetries?: number; retryForMs?: number } = {}) {
  const sent: Sent[] = []
  const left = [...replies]
  const client = new BrowserTasks({
    baseUrl: 'http://svc.test',
    maxRetries: 4,
    ...options,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const body = await request.clone().text()
      sent.push({ method: request.method, path: pathname + search, key: request.headers.get('idempotency-key'), body })
      const reply = left.length > 1 ? left.shift() : left[0]
      return reply ? reply(request) : Response.json({})
    },
  })
  return { client, sent }
}

export const json =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Reply =>
  () =>
    Response.json(body, { status, headers })
export const stream =
  (text: string): Reply =>
  () =>
    new Response(text, { headers: { 'content-type': 'text/event-stream' } })
export const lost: Reply = () => Promise.reject(new TypeError('fetch failed'))
/** Until the request is given up. */
export const never: Reply = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

export const failure = async (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => assert.unreachable('it succeeded') as never,
    (error) => error,
  )
