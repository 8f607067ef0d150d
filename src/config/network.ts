import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import * as v from 'valibot'

/** Settings that are lists of origins, proxies and hosts, separated by commas. */

const listOf = <T>(parse: (item: string) => T | null, accepted: string) =>
  v.pipe(
    v.string(),
    v.transform((value) => value.split(',').flatMap((item) => (item.trim() === '' ? [] : [parse(item.trim())]))),
    v.check((list) => !list.includes(null), accepted),
    v.transform((list) => list.filter((item) => item !== null)),
  )

const isHttpUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

/** An origin as browsers send it: no path, no default port. */
function originOf(item: string): string | null {
  if (!isHttpUrl(item)) return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(:\d+)?$/.test(item) ? item : null
  const url = new URL(item)
  return url.href === `${url.origin}/` ? url.origin : null
}
export const origins = listOf(originOf, 'origins such as https://app.example, without a path, separated by commas')

/** Proxies on this machine. */
export const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1']

function proxyOf(item: string): readonly string[] | null {
  if (item === 'loopback') return LOOPBACK
  if (item === 'none') return []
  const [address = '', prefix, ...rest] = item.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return null
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
  return isPrefix ? [item] : null
}
export const proxies = v.pipe(
  listOf(proxyOf, 'addresses, ranges such as 10.0.0.0/8, loopback or none, separated by commas'),
  v.transform((lists) => lists.flat()),
)

export const networks = listOf(
  (item) => (item === 'loopback' || item === 'none' ? null : (proxyOf(item)?.[0] ?? null)),
  'addresses or ranges such as 10.1.0.0/16, separated by commas',
)

const hostOf = (item: string): string | null =>
  item === '*' || /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(item) ? item.toLowerCase() : null
export const hosts = listOf(
  hostOf,
  'host names such as app.example or *.app.example without a port, or *, separated by commas',
)

/** Whether a host, or the host of a URL, is this machine's own. */
export function isLoopback(at: string): boolean {
  const name = URL.canParse(at) && at.includes('//') ? new URL(at).hostname : at
  const host = name.replace(/^\[|\]$/g, '')
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\./.test(host)
}

/** The address that takes connections of both families where the machine has both. */
export function everyInterface(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return addresses.some((address) => address.family === 'IPv6') ? '::' : '0.0.0.0'
}
