import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Ranges whose addresses carry an IPv4 address in their last four bytes: NAT64 and its stateless relative. */
const TRANSLATED = ['rfc6052', 'rfc6145']
/** IPv4-compatible addresses are no longer assigned, but some systems still connect to the IPv4 address in them. */
const IPV4_COMPATIBLE = ipaddr.parseCIDR('::/96')

/** [W7] Whether an address is on the public internet. Text that is not an address is not. */
export function isPublicAddress(address: string): boolean {
  const withoutZone = address.replace(/%.*$/, '')
  if (isIP(withoutZone) === 0) return false
  const parsed = ipaddr.process(withoutZone)
  if (TRANSLATED.includes(parsed.range())) return isUnicast(ipaddr.fromByteArray(parsed.toByteArray().slice(12)))
  return isUnicast(parsed) && !(parsed.kind() === 'ipv6' && parsed.match(IPV4_COMPATIBLE))
}

/** Addresses of every special range (private, loopback, multicast, documentation …) have another name. */
const isUnicast = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean => address.range() === 'unicast'

/** Whether an address may be called. */
export type AddressGuard = (address: string) => boolean

/** [W7][W16] Public addresses, and those of these private networks: addresses, or ranges such as `10.1.0.0/16`. */
export function guardOf(networks: readonly string[]): AddressGuard {
  const allowed = networks.map((network) =>
    ipaddr.parseCIDR(network.includes('/') ? network : `${network}/${isIP(network) === 6 ? 128 : 32}`),
  )
  return (address) => {
    if (isPublicAddress(address)) return true
    const withoutZone = address.replace(/%.*$/, '')
    if (isIP(withoutZone) === 0) return false
    const parsed = ipaddr.process(withoutZone)
    return allowed.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
  }
}

/** The address that a URL contains as its host, without brackets; `null` for a name. */
export function addressIn(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? null : host
}
