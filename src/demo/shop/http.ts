import type { IncomingMessage, ServerResponse } from 'node:http'

/** Enough for a picture. */
const BODY_BYTES_MAX = 1024 * 1024

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** The fields and files of a posted form, as browsers encode it; `null` when it is too large. Rejects when it is not a form. */
export async function formOf(request: IncomingMessage): Promise<FormData | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk)
  }
  if (bytes > BODY_BYTES_MAX) return null
  const type = request.headers['content-type'] ?? 'application/x-www-form-urlencoded'
  return new Response(Buffer.concat(chunks), { headers: { 'content-type': type } }).formData()
}

/** A field that is text; empty when it is left out. */
export const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

const reply = (status: number, type: string, body: string | Uint8Array, more = {}): Reply => ({
  status,
  headers: { 'content-type': type, ...more },
  body,
})

export const plain = (status: number, body: string): Reply => reply(status, 'text/plain; charset=utf-8', body)
export const script = (body: string): Reply => reply(200, 'text/javascript; charset=utf-8', body)
export const json = (status: number, body: object): Reply => reply(status, 'application/json', JSON.stringify(body))
export const shown = (status: number, body: string, policy: string): Reply =>
  reply(status, 'text/html; charset=utf-8', body, { 'content-security-policy': policy })
export const download = (name: string, body: Uint8Array): Reply =>
  reply(200, 'application/pdf', body, { 'content-disposition': `attachment; filename="${name}"` })

export const seeOther = (location: string, more: Readonly<Record<string, string>> = {}): Reply => ({
  status: 303,
  headers: { location, ...more },
  body: '',
})

export function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { 'cache-control': 'no-store', ...headers })
  response.end(body)
}
