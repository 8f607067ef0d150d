import type { Request, Response } from '../net/transport.ts'

/** Markup that is safe to send: made by `html` alone. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
type Part = string | number | null | Html | readonly Html[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
/** A text so that it means itself in markup and in a quoted attribute. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char)

/** Markup from a template: whatever is put into it is escaped, but for markup itself. `null` is nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + textOf(parts[index - 1] ?? null) + string))
}
function textOf(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return escaped(String(part))
}

/** Only the service's own files: no inline script or style, no other origin. Pages must not be framed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS: Response['headers'] = [
  ['Content-Type', 'text/html; charset=utf-8'],
  ['X-Content-Type-Options', 'nosniff'],
  // Not `no-referrer`: the pages' own forms would be sent with the origin `null` and be refused.
  ['Referrer-Policy', 'same-origin'],
  ['Cache-Control', 'no-store'],
]

const AREAS = [
  ['/dashboard', 'Dashboard'],
  ['/inspector', 'Inspector'],
  ['/docs', 'Docs'],
] as const
const STRANGERS_AREAS = [
  ['/docs', 'Docs'],
  ['/dashboard', 'Sign in'],
] as const

export interface PageOptions {
  readonly status?: number
  /** The module under `/static/client/` that makes the page live. A page works without it as far as it can. */
  readonly script?: string
  /** Uses the whole width of the window. */
  readonly wide?: boolean
  /** One column in the middle: what has little to read, such as a sign-in or a fault. */
  readonly narrow?: boolean
  /** A sign above the title, drawn with this path; a narrow page of an error has one of its own. */
  readonly sign?: string | null
  /** For who is not signed in, or need not be: leads to the docs and to sign-in alone. */
  readonly stranger?: boolean
  /** What stands before the title, such as tabs. */
  readonly above?: Html | null
  /** What stands beside the title. */
  readonly beside?: Html | null
  /** Puts the title and the content into a frame, such as that of the docs. */
  readonly around?: (article: Html) => Html
  /** Which part of the service the page belongs to: the header marks it. */
  readonly area?: (typeof AREAS)[number][0]
  /** The signed-in part of the header. */
  readonly account?: Html | null
  readonly headers?: Response['headers']
  /** Where a form of the page may lead beside this service: an origin or a scheme. */
  readonly formsTo?: string
}

const LOCK = 'M4 7h8v6.5H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2M8 9.6v1.6'
const LOOKING_GLASS = 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14'
const CLOCK = 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.2l2.2 1.4'
const LINK =
  'M6.8 9.2a2.4 2.4 0 0 0 3.4 0l2.1-2.1a2.4 2.4 0 0 0-3.4-3.4M9.2 6.8a2.4 2.4 0 0 0-3.4 0L3.7 8.9a2.4 2.4 0 0 0 3.4 3.4'
const WARNING = 'M8 2.2L14.5 13.5h-13zM8 6.5v3.2M8 11.6v.2'
const SIGNS: Readonly<Record<number, string>> = {
  401: LOCK,
  403: LOCK,
  404: LOOKING_GLASS,
  410: CLOCK,
  429: CLOCK,
}
/** The page of a link that leads nowhere, whoever opens it. */
export const linkFault = (title: string, content: Html, status: number): Response =>
  page(title, content, { status, narrow: true, stranger: true, sign: status === 410 ? CLOCK : LINK })

/** What a page of an error shows above its title; `null` for one that is none. */
const signOf = (status: number): string | null => (status < 400 ? null : (SIGNS[status] ?? WARNING))

/** The title of a task is all that was asked for: a long one is written smaller. */
const LONG_TITLE_CHARS = 100

/** A whole page around its content. */
export function page(title: string, content: Html, how: number | PageOptions = 200): Response {
  const {
    status = 200,
    script,
    wide = false,
    narrow = false,
    sign = narrow ? signOf(status) : null,
    stranger = false,
    above = null,
    beside = null,
    around = (article) => article,
    area,
    account = null,
    headers = [],
    formsTo,
  }: PageOptions = typeof how === 'number' ? { status: how, narrow: true } : how
  const heading = html`<h1${title.length > LONG_TITLE_CHARS ? html` class="long"` : null}>${title}</h1>`
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${shortened(title)} · Browser Task Service</title>
<link rel="stylesheet" href="/static/style.css">
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
${script === undefined ? null : html`<script type="module" src="/static/client/${script}"></script>`}
</head>
<body${wide ? html` class="wide"` : narrow ? html` class="narrow"` : null}>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="name" href="/"><img src="/static/icon.svg" alt="" width="24" height="24"> Browser Task Service</a>
<nav aria-label="Main">${(stranger ? STRANGERS_AREAS : AREAS).map(
    ([path, name]) => html`<a href="${path}"${path === area ? html` aria-current="true"` : null}>${name}</a> `,
  )}</nav>
${account}
</header>
<main id="content">
${above}
${around(html`${sign === null ? null : html`<svg class="sign" viewBox="0 0 16 16" aria-hidden="true"><path d="${sign}"/></svg>`}${beside === null ? heading : html`<div class="page-title">${heading}${beside}</div>`}
${content}`)}
</main>
</body>
</html>
`
  const policy = `${POLICY}; form-action 'self'${formsTo === undefined ? '' : ` ${formsTo.replaceAll(';', '%3B').replaceAll(',', '%2C')}`}`
  return { status, headers: [...PAGE_HEADERS, ['Content-Security-Policy', policy], ...headers], body: text }
}

export const TITLE_CHARS_MAX = 80
export const shortened = (title: string): string =>
  title.length <= TITLE_CHARS_MAX ? title : `${title.slice(0, TITLE_CHARS_MAX - 1)}…`

/** Sends the browser on, with GET. */
export function redirect(to: string, status: 302 | 303 = 302, headers: Response['headers'] = []): Response {
  return { status, headers: [['Location', to], ['Cache-Control', 'no-store'], ...headers], body: null }
}

/** A moment, for people and machines. The page's script says how long ago it was, unless the `exact` time matters. */
export function time(at: number, exact = false): Html {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}"${exact ? html` data-exact` : null}>${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}

/** Markup that was made elsewhere and is known to be safe, such as a drawing. */
export const trusted = (markup: string): Html => new Html(markup)

export const isRead = (request: Pick<Request, 'method'>): boolean =>
  request.method === 'GET' || request.method === 'HEAD'
