import type { Response } from '../net/transport.ts'

/** The answers of the service. The headers that every answer carries are added at the end, in one place. */

const JSON_TYPE = ['Content-Type', 'application/json'] as const
const JSON_HEADERS: Response['headers'] = [JSON_TYPE]

/** A body that is JSON text already. */
export const jsonText = (status: number, body: string): Response => ({ status, headers: JSON_HEADERS, body })

export function json(status: number, body: object, headers: Response['headers'] = []): Response {
  const text = JSON.stringify(body)
  return headers.length === 0 ? jsonText(status, text) : { status, headers: [JSON_TYPE, ...headers], body: text }
}

export const redirect = (location: string, cookies: readonly string[] = []): Response => ({
  status: 302,
  headers: [['Location', location], ...cookies.map((cookie) => ['Set-Cookie', cookie] as const)],
  body: null,
})
