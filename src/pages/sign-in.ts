import { PASSWORD_CHARS_MIN } from '../../machines/limits.ts'
import type { Accounts } from '../http/deps.ts'
import type { Request, Response } from '../http/transport.ts'
import type { PagesDeps } from './deps.ts'
import { type Html, html, page, redirect } from './html.ts'
import { note } from './noted.ts'
import { dashboardUser, keyViewer, namedWorkspace, signedIn } from './viewer.ts'

const DASHBOARD = '/dashboard'
const DASHBOARD_PAGES = '/dashboard/'
const INVITE = '/invite/'
const CLAIM = '/dashboard/claim'

/** Our forms, and what of the sign-in library each one asks, with which of its fields. */
const FORMS: Readonly<Record<string, { readonly endpoint: string; readonly fields: readonly string[] }>> = {
  '/dashboard/sign-in': { endpoint: 'sign-in/email', fields: ['email', 'password'] },
  '/dashboard/sign-up': { endpoint: 'sign-up/email', fields: ['name', 'email', 'password'] },
  '/dashboard/sign-out': { endpoint: 'sign-out', fields: [] },
}

/** A way to sign in elsewhere: its id in the sign-in library, and its name. */
export interface Provider {
  readonly id: 'google' | 'oidc'
  readonly name: string
}

export interface SignInOptions {
  /** Whether to offer making an account. */
  readonly signUp: boolean
  /** [A40] The address that is invited: an account is made for it alone. */
  readonly invited?: string
  readonly providers: readonly Provider[]
  readonly failed?: string
  /** What happened before. */
  readonly said?: string
  readonly status?: number
  readonly title?: string
  /** Why to sign in. */
  readonly intro?: Html
  /** The path of this service to go on to. */
  readonly next?: string
}

/** Where the form leads to. */
const goingOn = (next: string | undefined): Html | null =>
  next === undefined ? null : html`<input type="hidden" name="next" value="${next}">`

/** What this is, for who has just found it. */
const LEAD = html`<p class="quiet">Say in plain language what should be done on the web, and watch it done in your own browser.</p>`

/** Asks who is there: one form to sign in, one to sign up. */
export function signInPage(options: SignInOptions) {
  const { providers, signUp, invited, failed, said, intro, next, title = 'Sign in', status = 200 } = options
  const goOn = goingOn(next)
  const back = next === undefined ? '' : `&callbackURL=${encodeURIComponent(next)}`
  return page(
    title,
    html`${failed ? html`<p role="alert">${failed}</p>` : null}${said ? html`<p class="said" role="status">${said}</p>` : null}${intro ?? LEAD}
${providers.map(({ id, name }) => html`<p><a class="button" href="/api/auth/sign-in/social?provider=${id}${back}">Sign in with ${name}</a></p>`)}
<div class="forms">
${form(
  'sign-in',
  'Sign in with email',
  'Sign in',
  html`${goOn}${email('sign-in')}${password('current-password', 'sign-in')}`,
  html`<p><a href="/forgot">Forgot your password?</a></p>`,
)}
${
  signUp
    ? form(
        'sign-up',
        'Create an account',
        'Sign up',
        html`${goOn}<label for="sign-up-name">Name<input id="sign-up-name" name="name" autocomplete="name" required></label>
${email('sign-up', invited)}${password('new-password', 'sign-up')}`,
        null,
        invited === undefined ? 'plain' : 'main',
      )
    : html`<div class="card"><h2>No account yet?</h2><p>This service accepts no new accounts by itself. Ask an owner of a workspace to invite you: the link lets you sign up.</p></div>`
}
${next === undefined || next.startsWith(DASHBOARD_PAGES) ? keyForm(next) : null}
</div>`,
    status,
  )
}

/** [A39] Why a sign-in elsewhere came back without one. */
export function failedElsewhere({ query }: Pick<Request, 'query'>): { failed?: string } {
  const code = new URLSearchParams(query).get('error')
  if (code === null) return {}
  return { failed: ELSEWHERE[code] ?? 'Signing in there did not work. Try again.' }
}
const ELSEWHERE: Readonly<Record<string, string>> = {
  account_not_linked:
    'There is an account with this address already, which nobody proved to be yours. Sign in with its password.',
  signup_disabled: 'This service does not accept new accounts.',
  access_denied: 'Signing in there was cancelled.',
}

const form = (
  action: string,
  heading: string,
  button: string,
  fields: Html,
  below: Html | null = null,
  kind: 'main' | 'plain' = 'main',
) => html`<form class="card" method="post" action="/dashboard/${action}">
<h2>${heading}</h2>
${fields}
<button class="${kind}">${button}</button>
${below}
</form>`
export const email = (of: string, fixed?: string) =>
  html`<label for="${of}-email">Email<input id="${of}-email" name="email" type="email" autocomplete="email" required${fixed === undefined ? null : html` value="${fixed}" readonly`}></label>
`
export const password = (
  kind: 'current-password' | 'new-password',
  of: string,
  label = 'Password',
  name = 'password',
) =>
  html`<label for="${of}-password">${label}${kind === 'new-password' ? ` (at least ${PASSWORD_CHARS_MIN} characters)` : null}<input id="${of}-password" name="${name}" type="password" autocomplete="${kind}" minlength="${PASSWORD_CHARS_MIN}" required></label>
`

/** For people with a key and no account. */
const keyForm = (next?: string) => html`<form class="card" method="post" action="/dashboard/key">
<h2>Use a secret key</h2>
${goingOn(next)}<label for="key">Secret key<input id="key" name="key" type="password" autocomplete="off" placeholder="svc_live_…" required></label>
<button class="plain">Open workspace</button>
</form>`

/** Signs in with a pasted key. The cookie, which no script can read, holds a random value instead of the key. */
export async function takeKey(
  request: Request,
  form: URLSearchParams,
  deps: Pick<PagesDeps, 'accounts' | 'audit' | 'foundAt' | 'store' | 'providers' | 'sessions' | 'production'>,
): Promise<Response> {
  const key = (form.get('key') ?? '').trim()
  const viewer = await keyViewer(key, deps)
  if (viewer) {
    note(deps, { viewer, workspace: namedWorkspace(viewer, null), request }, 'signIn')
    return redirect(nextOf(form.get('next')) ?? DASHBOARD, 303, [await signedIn(request, 'key', key, deps)])
  }
  const next = nextOf(form.get('next'))
  const failed = 'Invalid secret key. It begins with svc_live_.'
  const { accounts, providers } = deps
  if (!accounts) return notConfigured(failed, next)
  return signInPage({ providers, signUp: accounts.signUp, failed, status: 401, ...(next === null ? {} : { next }) })
}

export const notConfigured = (failed: string | null = null, next: string | null = null): Response =>
  page(
    'Dashboard',
    html`${failed === null ? null : html`<p role="alert">${failed}</p>`}
${LEAD}
<div class="forms">${keyForm(next ?? undefined)}</div>
<p>Sign-in is not configured on this service. The operator can enable it by setting <code>BETTER_AUTH_SECRET</code>. The API accepts keys in the meantime (<a href="/docs">guide</a>).</p>`,
    failed === null ? 200 : 401,
  )

/** Takes one of our forms to the sign-in library. */
export async function takeForm(request: Request, accounts: Accounts, deps: PagesDeps): Promise<Response> {
  const { providers, members } = deps
  const { endpoint, fields } = FORMS[request.path] ?? { endpoint: '', fields: [] }
  const sent = new URLSearchParams(new TextDecoder().decode(request.body))
  const body = Object.fromEntries(fields.map((field) => [field, sent.get(field) ?? '']))
  const next = nextOf(sent.get('next'))
  const token = next?.startsWith(INVITE) && !accounts.signUp ? next.slice(INVITE.length) : null
  const invited = token === null ? undefined : (await members.find(token))?.invitation.email
  const mayClaim = next === CLAIM && !accounts.signUp && (await showsFreeKey(request, deps))
  // An invitation is for one address: its link makes no other accounts.
  const isInvited = mayClaim || (invited !== undefined && invited === body.email?.trim().toLowerCase())
  const answer = await askLibrary(request, accounts, endpoint, body, isInvited)
  if (answer.status < 400) return redirect(next ?? DASHBOARD, 303, cookiesIn(answer))
  return signInPage({
    providers,
    signUp: accounts.signUp || mayClaim || invited !== undefined,
    failed: complaintOf(answer),
    status: answer.status,
    ...(next === null ? {} : { next }),
    ...(invited === undefined ? {} : { invited }),
  })
}

/** [A27] Whether the request was signed in with a secret key of a workspace that nobody owns yet: its first account is its holder's. */
export async function showsFreeKey(request: Request, deps: PagesDeps): Promise<boolean> {
  const viewer = await dashboardUser(request, deps)
  return viewer?.kind === 'key' && viewer.workspaces[0]?.members.length === 0
}

/** Where a form may lead to after a sign-in: pages of this service alone, since a link from elsewhere chooses it. */
export const nextOf = (asked: string | null): string | null => {
  if (asked === null) return null
  const isPage = /^\/dashboard(\/[\w-]+)*(\?[\w.~%&=+:-]*)?$/.test(asked) && !/^\/dashboard(\?|$)/.test(asked)
  return isPage || /^\/invite\/svc_inv_[\da-f]{64}$/.test(asked) ? asked : null
}

/**
 * Asks the sign-in library, which knows neither forms nor pages, what a page asks for. The client's own headers go along:
 * its checks of origin and address hold here too.
 */
export const askLibrary = (
  request: Request,
  accounts: Accounts,
  endpoint: string,
  body: object,
  isInvited = false,
): Promise<Response> =>
  accounts.handle(
    {
      method: request.method,
      ip: request.ip,
      bodyTooLarge: request.bodyTooLarge,
      signal: request.signal,
      path: `/api/auth/${endpoint}`,
      query: '',
      headers: { ...request.headers, 'content-type': 'application/json' },
      body: new TextEncoder().encode(JSON.stringify(body)),
    },
    isInvited,
  )

export const cookiesIn = ({ headers }: Response): Response['headers'] =>
  headers.filter(([name]) => name.toLowerCase() === 'set-cookie')

/** What the sign-in library refused, as a sentence. */
export function complaintOf(answer: Response): string {
  try {
    const { message, code } = JSON.parse(
      typeof answer.body === 'string' ? answer.body : new TextDecoder().decode(answer.body ?? undefined),
    )
    if (answer.status === 429 && code !== 'TOO_MANY_PASSWORDS')
      return 'Too many attempts. Wait a minute, then try again.'
    if (typeof message === 'string' && message !== '') return message
  } catch {
    // Said below.
  }
  return 'The request failed. Try again.'
}
