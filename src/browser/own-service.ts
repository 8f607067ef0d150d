/**
 * Where tasks may go, decided from an address alone. The headless browser and the extension share it: both refuse the
 * service that they are paired with, where a task could use the user's own dashboard.
 */

/** Why a task may not open an address, in a sentence for the model; `null` when it may. */
export type Refusal = (address: string) => string | null

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443' }
const IPV4_MAPPED = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/

/**
 * One spelling for every spelling of a host, of those that URL has normalised already: without the dot at its end, an
 * IPv4 address that is written as an IPv6 one as itself, and `localhost` for all that leads to this machine.
 */
export function canonicalHost(hostname: string): string {
  const host = hostname.toLowerCase().replace(/\.+$/, '')
  const mapped = IPV4_MAPPED.exec(host)
  const plain = mapped ? ipv4Of(mapped[1] ?? '', mapped[2] ?? '') : host
  const isThisMachine =
    /^(127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/.test(plain) || plain === 'localhost' || plain.endsWith('.localhost')
  return isThisMachine ? 'localhost' : plain
}

function ipv4Of(high: string, low: string): string {
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [first >> 8, first & 255, second >> 8, second & 255].join('.')
}

/** Host and port of an address, in one spelling; `null` for what has none. */
export function hostAndPort(address: string): { readonly host: string; readonly port: string } | null {
  // A blob belongs to the origin that made it.
  const url = parsed(address.replace(/^(blob|filesystem|view-source):/i, ''))
  if (url === null || url.hostname === '') return null
  return { host: canonicalHost(url.hostname), port: url.port || (DEFAULT_PORTS[url.protocol] ?? '') }
}

const parsed = (address: string): URL | null => (URL.canParse(address) ? new URL(address) : null)

/** The addresses that tasks may not open. */
export interface Reach {
  readonly refusalOf: Refusal
  /** URL patterns (`*` is any text) of all that may be refused, and of little else. */
  readonly patterns: readonly string[]
  /** The same as regular expressions for normalised URLs, in the syntax of RE2, each small enough for Chrome's limit of 2 KB. */
  readonly expressions: readonly string[]
}

/** [S13] Refuses the service at these addresses, on each of these ports, under every spelling of its host. */
export function serviceReach(addresses: readonly string[], morePorts: readonly (number | null)[] = []): Reach {
  const own = addresses.flatMap((address) => hostAndPort(address) ?? [])
  const hosts = new Set(own.map(({ host }) => host))
  const ports = new Set([...own.map(({ port }) => port), ...morePorts.flatMap((port) => port ?? []).map(String)])
  // An address on the default port of its scheme does not name the port.
  const plain = addresses.flatMap((address) => (parsed(address)?.port === '' ? (parsed(address)?.hostname ?? []) : []))
  return {
    refusalOf(address) {
      const wanted = hostAndPort(address)
      return wanted && hosts.has(wanted.host) && ports.has(wanted.port) ? SERVICE_REFUSED : null
    },
    patterns: [
      ...[...ports].map((port) => `*:${port}/*`),
      ...plain.flatMap((hostname) => [`*://${hostname}/*`, `*://${hostname}./*`]),
    ],
    expressions: [...hosts].flatMap((host) => expressionsOf(host, [...ports])),
  }
}

const THIS_MACHINE = [
  '(?:[^/?#@]*\\.)?localhost',
  '127\\.[\\d.]+',
  '0\\.0\\.0\\.0',
  '\\[::1?\\]',
  '\\[::ffff:7f[\\da-f:]+\\]',
  '\\[::ffff:0:0\\]',
]

function expressionsOf(host: string, ports: readonly string[]): string[] {
  const names = host === 'localhost' ? THIS_MACHINE : [host.replace(/[.[\]]/g, '\\$&')]
  const ends = ports.map((port) => (port === '80' || port === '443' ? `(?::${port})?` : `:${port}`))
  return names.map((name) => `^[a-z]+://(?:[^/?#@]*@)?${name}\\.?(?:${ends.join('|')})[/?#]`)
}

export const SERVICE_REFUSED = 'Tasks may not open the service that runs them. Do not try another way to reach it.'
