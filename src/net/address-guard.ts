import { lookup as systemLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Ranges whose addresses carry an IPv4 address in their last four bytes: NAT64 and its stateless relative. */
const TRANSLATED = ['rfc6052', 'rfc6145']
/** The one of these that everybody translates alike. Others (`64:ff9b:1::/48`) belong to a network, which may put the address elsewhere. */
const WELL_KNOWN = ipaddr.parseCIDR('64:ff9b::/96')
/** Answers virtual machines on Azure alone, as the metadata addresses of other clouds do. */
const METADATA = new Set(['168.63.129.16'])
/** IPv4-compatible addresses are no longer assigned, but some systems still connect to the IPv4 address in them. */
const IPV4_COMPATIBLE = ipaddr.parseCIDR('::/96')

/** [W7] Whether an address is on the public internet. Text that is not an address is not. */
export function isPublicAddress(address: string): boolean {
  const withoutZone = address.replace(/%.*$/, '')
  if (isIP(withoutZone) === 0) return false
  const parsed = ipaddr.process(withoutZone)
  if (parsed.range() === 'rfc6052' && !(parsed.kind() === 'ipv6' && parsed.match(WELL_KNOWN))) return false
  if (TRANSLATED.includes(parsed.range())) return isUnicast(ipaddr.fromByteArray(parsed.toByteArray().slice(12)))
  return isUnicast(parsed) && !(parsed.kind() === 'ipv6' && parsed.match(IPV4_COMPATIBLE))
}

/** Addresses of every special range (private, loopback, multicast, documentation …) have another name. */
const isUnicast = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === 'unicast' && !METADATA.has(address.toString())

/** Whether an address may be called. */
export type AddressGuard = (address: string) => boolean

/** Which addresses beside those of the public internet may be called. */
export interface AllowedAddresses {
  /** Whether loopback, private and other addresses that are not the public internet's may be called. */
  readonly allowPrivate: boolean
  /** [W16] Private addresses and networks that may be called all the same, such as `10.1.0.0/16`. */
  readonly allowCidrs?: readonly string[]
}

/** [W7][W16] Public addresses, and those that the settings allow. */
export function guardOf({ allowPrivate, allowCidrs = [] }: AllowedAddresses): AddressGuard {
  if (allowPrivate) return () => true
  const allowed = allowCidrs.map((network) =>
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

/** A target that may not be called. `code` is what the log shows. */
export class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS'
}

/** [W7] Names are not looked at: `guardedLookup` checks what they resolve to. @throws PrivateAddressError */
export function assertAllowed(url: URL, guard: AddressGuard): void {
  const address = addressIn(url)
  if (address !== null && !guard(address)) throw new PrivateAddressError()
}

/** The address that a URL contains as its host, without brackets; `null` for a name. */
export function addressIn(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? null : host
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>
const systemResolve: Resolve = async (name) => (await systemLookup(name, { all: true })).map(({ address }) => address)

/**
 * [W8] Name resolution and check in one: what the socket connects to is what was checked, there is no second look-up between them.
 */
export function guardedLookup(guard: AddressGuard, resolve: Resolve = systemResolve): LookupFunction {
  return (name, options, callback) => {
    const resolved = Promise.resolve()
      .then(() => resolve(name))
      .then((addresses) => {
        const [first] = addresses
        if (first === undefined) throw new Error(`no address for ${name}`)
        if (!addresses.every(guard)) throw new PrivateAddressError()
        return { first, all: addresses.map((address) => ({ address, family: familyOf(address) })) }
      })
    resolved.then(
      ({ first, all }) => (options.all ? callback(null, all) : callback(null, first, familyOf(first))),
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
}

const familyOf = (address: string) => (isIPv6(address) ? 6 : 4)
