import type { HeldApprovals } from '../../../machines/held.ts'
import { fieldsOf } from './fields.ts'
import type { PausedRequest } from './paused.ts'
import { graphqlOf } from './shape.ts'
import { addressNamesAct, isActionKey, namesAct, tokensOf } from './words.ts'

/** [I6] What a request is judged by, beside itself. */
export interface Circumstances {
  readonly approvals: HeldApprovals
  /** What was pressed is named like an act that cannot be undone. */
  readonly isArmed: boolean
  /** The task has pressed nothing in the document that it has opened: what this sends is its own. */
  readonly isQuiet: boolean
  /** It submits a form by GET, as the page said. */
  readonly isForm: boolean
  /** The address of the tab's page. */
  readonly page: string
  /** Values of secrets that the task has typed. */
  readonly secrets: readonly string[]
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
const ASSET = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|js|mjs|css|woff2?|ttf|map|wasm|mp[34]|webm)$/i
/** Types that a page reads data or documents by. */
const LEADS = new Set(['Document', 'XHR', 'Fetch', 'EventSource'])
const TELEMETRY_HOST =
  /(?:^|\.)(?:google-analytics|googletagmanager|doubleclick|analytics\.google|segment|mixpanel|amplitude|hotjar|clarity|sentry|datadoghq|newrelic|nr-data|bugsnag|fullstory|matomo|plausible|posthog|rudderstack|appsflyer|optimizely|launchdarkly|browser-intake-datadoghq)\.\w/i
const TELEMETRY_PATH =
  /^\/(?:g\/)?(?:collect|beacon|telemetry|analytics|metrics|rum|pixel|track|tracking|csp-report|vitals|log|logs|events?\/track)(?:[/.]|$)|\/envelope\/?$/i

/** Whether the request waits for its user's approval. */
export function isHeld(request: PausedRequest, given: Circumstances): boolean {
  const { url, method, type } = request
  if (!/^https?:/.test(url) || isPreflight(request)) return false
  if (SAFE.has(method) && !overrides(request)) return isReadHeld(request, given)
  if (type === 'Ping' || type === 'CSPViolationReport') return isBeaconHeld(request, given)
  if (type !== 'Document' && method === 'POST' && isTelemetry(url, given.page)) return false
  return given.approvals === 'always' || !isHarmless(request, given)
}

/** The browser asks whether the page may send what it is about to; that waits. A preflight cannot be led back to its address. */
const isPreflight = ({ method, headers }: PausedRequest): boolean =>
  method === 'OPTIONS' && 'access-control-request-method' in headers

/** GET: an address, or what was pressed, says that it does something; or a form that is no search. */
function isReadHeld({ url, type, isRedirect }: PausedRequest, given: Circumstances): boolean {
  const { isArmed, isForm, isQuiet, page } = given
  if (isRedirect || ASSET.test(new URL(url).pathname) || isTelemetry(url, page)) return false
  if (type === 'Document' && isForm) return !isSearch(url) || isArmed || addressNamesAct(url)
  if (isArmed && LEADS.has(type)) return true
  // A page that was just opened loads what it needs; where the model goes is looked at all the same.
  if (isQuiet && type !== 'Document') return false
  return addressNamesAct(url)
}

/** A beacon cannot be what an act is for, unless it is named like one or goes to the page's own site for such an act. */
const isBeaconHeld = ({ url }: PausedRequest, { isArmed, page }: Circumstances): boolean =>
  !isTelemetry(url, page) && isSameSite(url, page) && (isArmed || addressNamesAct(url))

/** Who collects telemetry has pages of its own, on which things are done. */
function isTelemetry(address: string, page: string): boolean {
  const { hostname, origin, pathname } = new URL(address)
  if (TELEMETRY_HOST.test(hostname) && !isSameSite(address, page)) return true
  return TELEMETRY_PATH.test(pathname) && !addressNamesAct(origin + pathname)
}

/** Asks for another method than its own. */
const overrides = (request: PausedRequest): boolean =>
  ['x-http-method-override', 'x-http-method', 'x-method-override'].some((name) => name in request.headers) ||
  (/method/i.test(request.url) &&
    fieldsOf({ ...request, body: '' }).some(
      ({ name, value }) => /^_?(?:http_)?method$/i.test(name) && /^(?:post|put|patch|delete)$/i.test(value),
    ))

const SIGN_IN = new Set(
  'login signin sign logon session sessions auth oauth authenticate authentication token otp mfa totp verify sso'.split(
    ' ',
  ),
)
const CART = new Set(
  'cart basket bag warenkorb panier carrito trolley wishlist favorites favourites watchlist koszyk winkelwagen carrello'.split(
    ' ',
  ),
)
const CHOICE = new Set(
  'consent cookie cookies gdpr ccpa cmp language languages lang locale locales i18n currency theme timezone darkmode'.split(
    ' ',
  ),
)
const READ = new Set(
  'search suggest suggestion suggestions autocomplete typeahead filter filters facets lookup find query list listing browse page pages feed scroll more load read get fetch count view autosuggest complete match'.split(
    ' ',
  ),
)
const ENDS =
  /^(?:checkout|order|orders|ordering|pay|payment|payments|purchase|buy|place|submit|confirm|complete|finalize|transfer|merge|empty|clear|approve|publish|send)$/

/** Known to change nothing that cannot be changed back: reads by POST, cart and consent, choices of language, signing in with secrets. */
function isHarmless(request: PausedRequest, { isArmed, secrets }: Circumstances): boolean {
  if (overrides(request)) return false
  const { url, method } = request
  const operations = graphqlOf(request)
  if (operations) return operations.every(({ isRead }) => isRead)
  const fields = fieldsOf(request)
  const { pathname, searchParams } = new URL(url)
  const path = tokensOf(pathname)
  // No other part of a query: what is sent in a language, or with the id of a cart, is not for that.
  const words = new Set([...path, ...tokensOf(searchParams.get('wc-ajax') ?? '')])
  const has = (known: ReadonlySet<string>) => [...words].some((word) => known.has(word))
  if (path.some((word) => ENDS.test(word)) || fields.some(saysAct)) return false
  if (has(CHOICE)) return method !== 'DELETE'
  if (has(SIGN_IN))
    return method !== 'DELETE' && !addressNamesAct(url) && fields.some(({ value }) => secrets.includes(value))
  if (isArmed || addressNamesAct(url.replace(/\/(?:delete|remove)(?=[/?]|$)/gi, has(CART) ? '' : '$&'))) return false
  if (has(CART)) return true
  return method === 'POST' && path.slice(-2).some((word) => READ.has(word))
}

const saysAct = ({ name, value }: { name: string; value: string }): boolean =>
  (isActionKey(name) || /(?:^|\.)(?:_method|override)$/i.test(name)) &&
  value.length <= 60 &&
  (namesAct(value.replaceAll(/[._:-]|(?<=[a-z])(?=[A-Z])/g, ' ')) || /^(?:put|patch|delete)$/i.test(value))

/** A search or a filter, by its address. */
function isSearch(address: string): boolean {
  const { pathname, searchParams } = new URL(address)
  if (tokensOf(pathname).some((word) => READ.has(word) || CHOICE.has(word))) return true
  return [...searchParams.keys()].some((key) =>
    /^(?:q|query|search|s|k|keywords?|terms?|text|wd|filter.*|sort.*|page|p|lang|locale|category|cat|min.*|max.*|from|to|date.*)$/i.test(
      key,
    ),
  )
}

export function isSameSite(one: string, other: string): boolean {
  try {
    return siteOf(one) === siteOf(other)
  } catch {
    return false
  }
}

/** Below these anybody has a site; the whole list of such names is larger than the rest of the extension. */
const EVERYBODYS =
  /\.(?:(?:ac|co|com|edu|go|gob|gouv|gov|mil|ne|net|nom|or|org)\.[a-z]{2}|(?:github|gitlab)\.io|(?:pages|workers|deno)\.dev|(?:netlify|vercel|web|fly)\.app|(?:azurewebsites|cloudfront)\.net|(?:amazonaws|blogspot|firebaseapp|herokuapp|myshopify|onrender)\.com)$/

/** The last two labels of the host, or three: near enough to a site to take a page's own servers for its own. */
function siteOf(address: string): string {
  const { hostname, port } = new URL(address)
  if (/^[\d.]+$|^\[/.test(hostname)) return `${hostname}:${port}`
  return hostname
    .split('.')
    .slice(EVERYBODYS.test(hostname) ? -3 : -2)
    .join('.')
}
