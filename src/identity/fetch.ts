import type { RequestOrigin } from '../api/deps.ts'
import type { Request as PlainRequest, Response as PlainResponse } from '../net/transport.ts'

/** The header in which the sign-in library finds the client's address. A client's own header of this name is dropped. */
export const CLIENT_ADDRESS = 'x-client-address'

/** A plain request, sent to `requestOrigin`, as the sign-in library takes it. HEAD is asked as GET: the transport drops the body. */
export function toFetch(
  request: Pick<PlainRequest, 'method' | 'path' | 'query' | 'headers' | 'body'>,
  requestOrigin: Pick<RequestOrigin, 'origin' | 'address'>,
): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (isSendable(value) && !IGNORED.has(name)) headers.set(name, value)
  }
  headers.set(CLIENT_ADDRESS, requestOrigin.address)
  const url = requestOrigin.origin + request.path + (request.query && `?${request.query}`)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (method === 'GET' || request.body.length === 0) return new Request(url, { method, headers })
  return new Request(url, { method, headers, body: new Uint8Array(request.body) })
}
const IGNORED = new Set([CLIENT_ADDRESS, 'content-length', 'transfer-encoding', 'connection', 'expect', 'upgrade'])

/** What a header may hold; the few that a transport may let through beyond that mean nothing to sign-in. */
const isSendable = (value: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

export async function fromFetch(response: Response): Promise<PlainResponse> {
  const headers: [string, string][] = []
  for (const [name, value] of response.headers) if (name !== 'content-length') headers.push([name, value])
  const body = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers, body: body.length === 0 ? null : body }
}
