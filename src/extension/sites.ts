import { canonicalHost } from '../browser/own-service.ts'
import { SITES_MAX } from './limits.ts'

/** Where tasks may act. An empty `allow` allows every site; what `deny` names is never allowed. */
export interface Sites {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
}
export const ALL_SITES: Sites = { allow: [], deny: [] }

/** Shops of browser extensions: the browser itself lets no extension act there. */
const CLOSED = ['chromewebstore.google.com', 'microsoftedge.microsoft.com']
const CLOSED_PATH = /^https:\/\/chrome\.google\.com\/webstore(\/|$)/

/**
 * Reads a list that a person wrote: a site a line, such as `example.com` (with all below it) or `shop.example.com:8080`.
 * Of URLs only the host is used. A line that is not a site is returned as `wrong`.
 */
export function parseSites(text: string): { readonly sites: readonly string[]; readonly wrong: string | null } {
  const sites = new Set<string>()
  for (const line of text.split('\n').map((each) => each.trim().toLowerCase())) {
    if (line === '') continue
    const site = siteOf(line)
    if (site === null || sites.size >= SITES_MAX) return { sites: [...sites], wrong: line }
    sites.add(site)
  }
  return { sites: [...sites], wrong: null }
}

function siteOf(line: string): string | null {
  const address = /^https?:\/\//.test(line) ? line : `http://${line.replace(/^\*\./, '')}`
  if (!URL.canParse(address)) return null
  const { hostname, port } = new URL(address)
  // A name of one label is a site of the local network; whatever has blanks or stars is a slip.
  return /^[\w.[\]:-]+$/.test(hostname) ? hostname + (port && `:${port}`) : null
}

/** A site of a list: its host in one spelling, and its port when it names one. */
function partsOf(site: string): { readonly host: string; readonly port: string } | null {
  const address = `http://${site}`
  if (!URL.canParse(address)) return null
  return { host: canonicalHost(new URL(address).hostname), port: /:(\d+)$/.exec(site.replace(/\[.*\]/, ''))?.[1] ?? '' }
}

/** [S14] Why a task may not act on this page, in a sentence for the model; `null` when it may. */
export function refusalOf({ allow, deny }: Sites, address: string): string | null {
  if (address === '' || address === 'about:blank') return null
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    // The browser's own error page belongs to no site.
    if (url?.protocol === 'chrome-error:') return null
    return `The browser does not let an extension act on ${url?.protocol ?? ''} pages. Use navigate to open an http or https page.`
  }
  if (CLOSED.includes(url.hostname) || CLOSED_PATH.test(url.href)) {
    return `The browser does not let an extension act on ${url.hostname}. Use another site.`
  }
  const { host, port } = {
    host: canonicalHost(url.hostname),
    port: url.port || (url.protocol === 'https:' ? '443' : '80'),
  }
  const isNamed = (site: string) => {
    const named = partsOf(site)
    if (!named || (named.port !== '' && named.port !== port)) return false
    return host === named.host || (named.port === '' && host.endsWith(`.${named.host}`))
  }
  if (deny.some(isNamed)) return `The user has blocked tasks on ${url.host}. Do not try another way to reach it.`
  if (allow.length > 0 && !allow.some(isNamed)) {
    return `The user allows tasks only on listed sites, and ${url.host} is not one of them. Do not try another way to reach it.`
  }
  return null
}
