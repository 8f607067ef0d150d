/**
 * [F1] The domains that a task is confined to, as clients write them: `example.com` (with www), `*.example.com` (with all
 * below it), an address such as `10.1.2.3` or `[::1]`, each with a port where it is not that of the scheme.
 * Service, headless browser and extension decide by this one file.
 */
/** Announced by a browser, beside its tools, if it can confine tasks to their domains. */
export const CONFINES = 'allowed_domains'
/** [Z8] Announced by a browser that can give a task a context of its own, with options. */
export const HAS_CONTEXTS = 'contexts'

const PATTERN = /^(\*\.)?(\[[\da-f:.]+\]|[a-z\d_-]+(?:\.[a-z\d_-]+)*)(?::(\d{1,5}))?$/
const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443' }
const MAPPED = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/

interface Domain {
  readonly host: string
  readonly below: boolean
  /** Empty: the port of the scheme. */
  readonly port: string
}

/** The canonical spelling of a domain; `null` if the text is not a domain. */
export function domainOf(text: string): string | null {
  const domain = parsed(text.trim().toLowerCase())
  return domain && `${domain.below ? '*.' : ''}${domain.host}${domain.port && `:${domain.port}`}`
}

function parsed(text: string): Domain | null {
  const [, star = '', name = '', port = ''] = PATTERN.exec(text) ?? []
  if (name === '' || Number(port) > 65_535 || port === '0' || !URL.canParse(`http://${name}/`)) return null
  const host = canonical(new URL(`http://${name}/`).hostname)
  const isAddress = host.startsWith('[') || /^[\d.]+$/.test(host)
  // Below an address is nothing, and below a top-level domain is everybody.
  if (star !== '' && (isAddress || !host.includes('.'))) return null
  return { host, below: star !== '', port }
}

/** One spelling of a host that URL has normalised: no dot at its end, and an IPv4 address as itself. */
function canonical(hostname: string): string {
  const host = hostname.toLowerCase().replace(/\.+$/, '')
  const [, high = '', low = ''] = MAPPED.exec(host) ?? []
  if (high === '') return host
  const bytes = [high, low].map((part) => Number.parseInt(part, 16)).flatMap((part) => [part >> 8, part & 255])
  return bytes.join('.')
}

/** Whether an address is within these domains: http, https, ws or wss, on a host and port of theirs. */
export function isWithin(domains: readonly string[], address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, port } = new URL(address)
  const standard = PORTS[protocol]
  return standard !== undefined && isHostWithin(domains, hostname, port || standard, standard)
}

/** The same of a host and port that are connected to. `standard`: the port of a domain that names none. */
export function isHostWithin(domains: readonly string[], hostname: string, port: string, standard = port): boolean {
  const host = canonical(hostname)
  return domains.some((each) => {
    const domain = parsed(each)
    if (!domain || (domain.port || standard) !== port) return false
    if (host === domain.host) return true
    return domain.below ? host.endsWith(`.${domain.host}`) : host === `www.${domain.host}`
  })
}

/** What the model reads of an address that is not within the domains. */
export const outsideDomains = (domains: readonly string[]): string =>
  `This task may only open pages of ${domains.join(', ')}. Do not try another way to reach other addresses.`

/** The hosts of the domains, without stars and ports. */
export const hostsOf = (domains: readonly string[]): string[] => [
  ...new Set(domains.flatMap((each) => parsed(each)?.host ?? [])),
]

/** The domains as regular expressions for normalised addresses, in the syntax of RE2. */
export const expressionsOf = (domains: readonly string[]): string[] =>
  domains.flatMap((each) => {
    const domain = parsed(each)
    if (!domain) return []
    const host = domain.host.replace(/[.[\]]/g, '\\$&')
    const name = domain.below ? `(?:[^/?#@:]+\\.)?${host}` : `(?:www\\.)?${host}`
    const rest = (port: string) => `(?:[^/?#@]*@)?${name}\\.?${port}[/?#]`
    return domain.port === ''
      ? [`^https?://${rest('')}`, `^wss?://${rest('')}`]
      : [
          `^(?:https?|wss?)://${rest(domain.port === '80' || domain.port === '443' ? `(?::${domain.port})?` : `:${domain.port}`)}`,
        ]
  })

/** The domains as sources of a content security policy, which knows no IPv6 addresses: of those there is none. */
export const sourcesOf = (domains: readonly string[]): string[] =>
  domains.flatMap((each) => {
    const domain = parsed(each)
    if (!domain || domain.host.startsWith('[')) return []
    const names = [domain.host, `${domain.below ? '*' : 'www'}.${domain.host}`]
    const port = domain.port && `:${domain.port}`
    return names.flatMap((name) => [`http://${name}${port}`, `ws://${name}${port}`])
  })

/** [F2] Why an input is not sent: it opens an address outside of the task's domains. The browser checks what it leads to. */
export function domainRefusal(
  { url }: Readonly<Record<string, unknown>>,
  domains: readonly string[] | null,
): string | null {
  if (domains === null || typeof url !== 'string' || /^\s*(back|forward|about:blank)\s*$/i.test(url)) return null
  const wanted = url.trim()
  const isAddress = /^[a-z][a-z\d+.-]*:(?!\d+(?:[/?#]|$))/i.test(wanted)
  return isWithin(domains, isAddress ? wanted : `https://${wanted.replace(/^\/\//, '')}`)
    ? null
    : outsideDomains(domains)
}
