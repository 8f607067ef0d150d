import type { AuditAction } from '../../machines/audit-records.ts'
import { PASSWORD_CHARS_MIN } from '../../machines/limits.ts'
import type { Accounts } from '../api/deps.ts'
import { askAccounts } from '../identity/ask-accounts.ts'
import type { Request, Response } from '../net/transport.ts'
import type { PagesDeps } from './deps.ts'
import { type Html, html, page, redirect } from './html.ts'
import { dashboardUser, keyViewer, signedIn, type Viewer } from './viewer.ts'

const DASHBOARD = '/dashboard'
const INVITE = '/invite/'
const CLAIM = '/dashboard/claim'

const SIGN_UP = 'sign-up/email'

/** Our forms, and what of the sign-in library each one asks, with which of its fields. */
const FORMS: Readonly<Record<string, { readonly endpoint: string; readonly fields: readonly string[] }>> = {
  '/dashboard/sign-in': { endpoint: 'sign-in/email', fields: ['email', 'password'] },
  '/dashboard/sign-up': { endpoint: SIGN_UP, fields: ['name', 'email', 'password'] },
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
  /** What was sent and refused is open again. */
  readonly open?: 'sign-in' | 'sign-up' | 'key'
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

/** Asks who is there, in one card: to sign in, and, opened when they are wanted, to sign up and to use a key. */
export function signInPage(options: SignInOptions) {
  const { providers, signUp, invited, failed, said, intro, next, title = 'Sign in', status = 200 } = options
  const { open = invited === undefined ? 'sign-in' : 'sign-up' } = options
  const goOn = goingOn(next)
  const back = next === undefined ? '' : `&callbackURL=${encodeURIComponent(next)}`
  return page(
    title,
    html`${failed ? html`<p role="alert">${failed}</p>` : null}${said ? html`<p class="said" role="status">${said}</p>` : null}${intro ?? LEAD}
<div class="card forms">
${providers.map(({ id, name }) => html`<a class="button plain" href="/api/auth/sign-in/social?provider=${id}${back}">Sign in with ${name}</a>`)}
${form('sign-in', 'Sign in', html`${goOn}${email('sign-in')}${password('current-password', 'sign-in')}<p class="forgot"><a href="/forgot">Forgot your password?</a></p>`)}
${
  signUp
    ? folded(
        html`<span class="quiet">New here?</span> <u>Create an account</u>`,
        open === 'sign-up',
        form(
          'sign-up',
          'Sign up',
          html`${goOn}<label for="sign-up-name">Name<input id="sign-up-name" name="name" autocomplete="name" required></label>
${email('sign-up', invited)}${password('new-password', 'sign-up')}`,
          invited === undefined ? 'plain' : 'main',
        ),
      )
    : folded(
        html`<u>No account yet?</u>`,
        false,
        html`<p>This service accepts no new accounts by itself. Ask an owner of a workspace to invite you: the link lets you sign up.</p>`,
      )
}
${next?.startsWith(INVITE) || next === CLAIM ? null : folded(html`<span class="quiet">Developers:</span> <u>use a secret key</u>`, open === 'key', keyForm(next))}
</div>`,
    { status, narrow: true, stranger: true },
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

const form = (action: string, button: string, fields: Html, kind: 'main' | 'plain' = 'main') =>
  html`<form method="post" action="/dashboard/${action}">
${fields}
<button class="${kind}">${button}</button>
</form>`
const folded = (summary: Html, isOpen: boolean, content: Html) =>
  html`<details${isOpen ? html` open` : null}>
<summary>${summary}</summary>
${content}
</details>`
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
const keyForm = (next?: string) =>
  form(
    'key',
    'Open workspace',
    html`${goingOn(next)}<label for="key">Secret key<input id="key" name="key" type="password" autocomplete="off" placeholder="svc_live_…" required></label>
`,
    'plain',
  )

/** The fields of a form that was sent. */
export const formOf = ({ body }: Pick<Request, 'body'>): URLSearchParams =>
  new URLSearchParams(new TextDecoder().decode(body))

/** [O11] Who signs in or out with an account is noted where the library does it. */
export function noteKey(
  action: AuditAction,
  { kind, keyId, name, workspaces }: Viewer,
  request: Request,
  { audit, requestOriginOf }: Pick<PagesDeps, 'audit' | 'requestOriginOf'>,
): void {
  if (kind !== 'key') return
  const actor = { kind, id: keyId, name: name.replace(/^Key /, ''), role: null }
  const workspaceId = workspaces[0]?.id ?? null
  audit?.note({ workspaceId, action, actor, keyId, address: requestOriginOf(request).address })
}

/** Signs in with a pasted key. The cookie, which no script can read, holds a random value instead of the key. */
export async function takeKey(
  request: Request,
  deps: Pick<PagesDeps, 'accounts' | 'audit' | 'requestOriginOf' | 'store' | 'providers' | 'sessions' | 'production'>,
): Promise<Response> {
  const form = formOf(request)
  const key = (form.get('key') ?? '').trim()
  const viewer = await keyViewer(key, deps)
  if (viewer) {
    noteKey('signIn', viewer, request, deps)
    return redirect(nextOf(form.get('next')) ?? DASHBOARD, 303, [await signedIn(request, 'key', key, deps)])
  }
  const next = nextOf(form.get('next'))
  const failed = 'Invalid secret key. It begins with svc_live_.'
  const { accounts, providers } = deps
  if (!accounts) return notConfigured(failed, next)
  return signInPage({
    ...{ providers, signUp: accounts.signUp, failed, status: 401, open: 'key' },
    ...(next === null ? {} : { next }),
  })
}

export const notConfigured = (failed: string | null = null, next: string | null = null): Response =>
  page(
    'Dashboard',
    html`${failed === null ? null : html`<p role="alert">${failed}</p>`}
${LEAD}
<div class="card forms">${keyForm(next ?? undefined)}</div>
<p>Sign-in is not configured on this service. The operator can enable it by setting <code>BETTER_AUTH_SECRET</code>. The API accepts keys in the meantime (<a href="/docs">guide</a>).</p>`,
    { status: failed === null ? 200 : 401, narrow: true },
  )

/** Takes one of our forms to the sign-in library. */
export async function takeForm(request: Request, accounts: Accounts, deps: PagesDeps): Promise<Response> {
  const { providers, members } = deps
  const { endpoint, fields } = FORMS[request.path] ?? { endpoint: '', fields: [] }
  const sent = formOf(request)
  const body = Object.fromEntries(fields.map((field) => [field, sent.get(field) ?? '']))
  const next = nextOf(sent.get('next'))
  const token = next?.startsWith(INVITE) && !accounts.signUp ? next.slice(INVITE.length) : null
  const invited = token === null ? undefined : (await members.find(token))?.invitation.email
  const mayClaim = next === CLAIM && !accounts.signUp && (await showsFreeKey(request, deps))
  // An invitation is for one address: its link makes no other accounts.
  const isInvited = mayClaim || (invited !== undefined && invited === body.email?.trim().toLowerCase())
  const asked = { ...body, ...(accounts.confirms ? { callbackURL: next ?? DASHBOARD } : {}) }
  const { status, message, cookies } = await askAccounts(request, accounts, endpoint, asked, isInvited)
  if (status < 400 && accounts.confirms && endpoint === SIGN_UP) return checkMail
  if (status < 400) return redirect(next ?? DASHBOARD, 303, cookies)
  return signInPage({
    providers,
    signUp: accounts.signUp || mayClaim || invited !== undefined,
    failed: message,
    status,
    ...(endpoint === SIGN_UP ? { open: 'sign-up' } : {}),
    ...(next === null ? {} : { next }),
    ...(invited === undefined ? {} : { invited }),
  })
}

/** [A42] Said whether there was such an account or not. */
const checkMail = page(
  'Check your e-mail',
  html`<p role="status">A letter is on its way to this address. If it has no account yet, the link in it makes yours, within an hour.</p>
<p><a href="/dashboard">Back to sign-in</a></p>`,
)

/** [A27] Whether the request was signed in with a secret key of a workspace that nobody owns yet: its first account is its holder's. */
export async function showsFreeKey(request: Request, deps: PagesDeps): Promise<boolean> {
  const viewer = await dashboardUser(request, deps)
  return viewer?.kind === 'key' && viewer.workspaces[0]?.members.length === 0
}

/** Where a form may lead to after a sign-in: pages of this service alone, since a link from elsewhere chooses it. */
export const nextOf = (asked: string | null): string | null => {
  if (asked === null) return null
  const isPage = /^\/(dashboard|inspector)(\/[\w-]+)*(\?[\w.~%&=+:-]*)?$/.test(asked)
  // The list of tasks with a search, but not the sign-in itself, with what it was told.
  const isSignIn = /^\/dashboard(\?.*\b(next|error)=.*)?$/.test(asked)
  return (isPage && !isSignIn) || /^\/invite\/svc_inv_[\da-f]{64}$/.test(asked) ? asked : null
}
