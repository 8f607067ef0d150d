import { BlockList, isIP } from 'node:net'
import type { RequestOrigin, RequestOriginOf } from '../api/deps.ts'
import { plainAddress } from './sockets/shared.ts'

/** Addresses and ranges whose forwarded headers are believed; see `TRUSTED_PROXIES`. */
export type Proxies = Pick<BlockList, 'check'>

/** @throws for an item that is neither an address nor a range such as `10.0.0.0/8`. */
export function proxiesOf(items: readonly string[]): Proxies {
  const list = new BlockList()
  for (const item of items) {
    const [address = '', prefix] = item.split('/')
    const family = familyOf(address)
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * [E18] The origin and the address of a request, for links, cookies, sign-in and limits alike: `publicUrl` first;
 * forwarded headers only from a trusted proxy; else what the connection and `Host` say.
 */
export function createRequestOriginOf({
  publicUrl,
  proxies,
}: {
  publicUrl: string | null
  proxies: Proxies
}): RequestOriginOf {
  const known = publicUrl === null ? null : new URL(publicUrl)
  const isTrusted = (address: string) => isIP(address) !== 0 && proxies.check(address, familyOf(address))
  return ({ headers, ip }) => {
    const believed = isTrusted(ip)
    const address = believed ? clientOf(headers['x-forwarded-for'], ip, isTrusted) : ip
    if (known !== null) return { origin: known.origin, host: known.host, secure: known.protocol === 'https:', address }
    const secure = believed && lastOf(headers['x-forwarded-proto']) === 'https'
    const named = (believed ? lastOf(headers['x-forwarded-host']) : undefined) ?? headers.host
    return { ...originOf(secure, named), secure, address }
  }
}

/** What a client may have written itself comes first: the last value is the nearest proxy's. */
const lastOf = (header: string | undefined): string | undefined => header?.split(',').at(-1)?.trim() || undefined

/** The last address that is not a trusted proxy's. */
function clientOf(header: string | undefined, ip: string, isTrusted: (address: string) => boolean): string {
  let client = ip
  for (const item of header?.split(',').reverse() ?? []) {
    const address = plainAddress(item.trim())
    if (isIP(address) === 0) break
    client = address
    if (!isTrusted(address)) break
  }
  return client
}

function originOf(secure: boolean, host: string | undefined): Pick<RequestOrigin, 'origin' | 'host'> {
  const scheme = secure ? 'https' : 'http'
  const text = `${scheme}://${host ?? 'localhost'}`
  const url = URL.canParse(text) ? new URL(text) : null
  // What is more than a host, such as a path or a user, is not one.
  return url !== null && url.host !== '' && url.href === `${url.origin}/`
    ? { origin: url.origin, host: url.host }
    : { origin: `${scheme}://localhost`, host: 'localhost' }
}
