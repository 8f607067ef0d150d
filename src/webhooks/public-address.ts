import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** IPv4 networks that are not the public internet: [network, prefix length]. */
const PRIVATE_4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const

/** The same of IPv6: local, tunnelled, documentation, multicast. Those that carry an IPv4 address are judged by it instead. */
const PRIVATE_6 = [
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const

const blocked4 = new BlockList()
for (const [network, prefix] of PRIVATE_4) blocked4.addSubnet(network, prefix, 'ipv4')
const blocked6 = new BlockList()
for (const [network, prefix] of PRIVATE_6) blocked6.addSubnet(network, prefix, 'ipv6')

/** [W7] Whether an address lies in the public internet. What is no address does not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !blocked4.check(address, 'ipv4')
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return false
  const inner = innerIPv4(plain)
  return inner === null ? !blocked6.check(plain, 'ipv6') : !blocked4.check(inner, 'ipv4')
}

/** The IPv4 address within a mapped (`::ffff:…`), translated (`::ffff:0:…`) or NAT64 (`64:ff9b::…`) one. */
function innerIPv4(address: string): string | null {
  // The URL parser writes every spelling in one way: lower case, hexadecimal, the longest run of zeros as `::`.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const match = /^(?:::ffff:(?:0:)?|64:ff9b::)(?:([\da-f]{1,4}):)?([\da-f]{1,4})?$/.exec(canonical)
  if (!match) return null
  const high = Number.parseInt(match[1] ?? '0', 16)
  const low = Number.parseInt(match[2] ?? '0', 16)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The address that a URL names itself, without brackets and in its plain spelling; `null` for a name. */
export function addressIn(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIPv4(host) || isIPv6(host) ? host : null
}
