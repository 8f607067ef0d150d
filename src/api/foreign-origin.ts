import type { Request } from '../net/transport.ts'
import type { Cors } from './cors.ts'

/**
 * [A21, A25] Whether a page that is none of ours wants to change something, or to sign somebody in or out. A browser sends
 * cookies with requests of any site, and names the site in Origin, or at least in Sec-Fetch-Site.
 */
export function isForeignChange({ method, headers }: Pick<Request, 'method' | 'headers'>, cors: Cors): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  if (headers.origin !== undefined) return !cors.isOurs(headers.origin, headers.host)
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
