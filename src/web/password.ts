import type { Accounts } from '../api/deps.ts'
import { askAccounts } from '../identity/ask-accounts.ts'
import type { Response } from '../net/transport.ts'
import { command } from './code-box.ts'
import type { PagesDeps } from './deps.ts'
import { type Html, html, page } from './html.ts'
import { get, type PageRoute, post } from './page-route.ts'
import { email, formOf, password, signInPage } from './sign-in.ts'

/** Said whether there is such an account or not. */
const SENT =
  'If there is an account with this address, a link to set a new password is on its way. It is good for an hour.'
const LOGGED =
  'This service sends no e-mail. If there is an account with this address, a link to set a new password is now in the log of the service: ask its operator for it. It is good for an hour.'

/** Who reads these pages is not signed in. */
const ALONE = { narrow: true, stranger: true } as const

/** [A31] A forgotten password: asking for a link, and setting a new one by it. */
export function passwordRoutes({ accounts, providers }: PagesDeps): readonly PageRoute[] {
  if (!accounts) return []
  return [
    get('/forgot', () => (accounts.sendsLinks ? forgotPage(accounts) : notSent)),
    post('/forgot', async (request) => {
      if (!accounts.sendsLinks) return notSent
      const email = formOf(request).get('email') ?? ''
      const asked = await askAccounts(request, accounts, 'request-password-reset', { email })
      if (asked.status >= 400) return forgotPage(accounts, { failed: asked.message, status: asked.status })
      return page(
        accounts.sendsMail ? 'Check your e-mail' : 'Ask the operator',
        html`<p role="status">${accounts.sendsMail ? SENT : LOGGED}</p><p><a class="button" href="/dashboard">Back to sign-in</a></p>`,
        ALONE,
      )
    }),
    get('/reset/:token', (_, token = '') => resetPage(token)),
    post('/reset/:token', async (request, token = '') => {
      const newPassword = formOf(request).get('password') ?? ''
      const set = await askAccounts(request, accounts, 'reset-password', { token, newPassword })
      if (set.status < 400)
        return signInPage({ providers, signUp: accounts.signUp, said: 'Your new password is set. Sign in with it.' })
      const failed = /token/i.test(set.message)
        ? html`This link was used already or is older than an hour. <a href="/forgot">Ask for another one</a>.`
        : html`${set.message}`
      return resetPage(token, { failed, status: set.status })
    }),
  ]
}

const forgotPage = (
  { sendsMail }: Pick<Accounts, 'sendsMail'>,
  { failed, status = 200 }: { failed?: string; status?: number } = {},
): Response =>
  page(
    'Forgot your password?',
    html`${failed === undefined ? null : html`<p role="alert">${failed}</p>`}
<p>Enter the address of your account. ${sendsMail ? 'You get a link by which you can set a new password.' : 'This service sends no e-mail: its operator finds a link in its log by which you can set a new password.'}</p>
<div class="forms"><form class="card" method="post" action="/forgot">
${email('forgot')}
<button class="main">${sendsMail ? 'Send the link' : 'Create the link'}</button>
<p><a href="/dashboard">Back to sign-in</a></p>
</form></div>`,
    { ...ALONE, status },
  )

const notSent = page(
  'Forgot your password?',
  html`<p>This service does not send e-mail. Ask its operator for a link by which you can set a new password.</p>
<p><a class="button" href="/dashboard">Back to sign-in</a></p>
<p class="quiet">The operator gets the link by this, with your address:</p>
${command('npx browser-task-service reset-password <address>')}`,
  { ...ALONE, script: 'copy.js' },
)

const resetPage = (token: string, { failed, status = 200 }: { failed?: Html; status?: number } = {}): Response =>
  page(
    'Set a new password',
    html`${failed === undefined ? null : html`<p role="alert">${failed}</p>`}
<p>All devices that are signed in to your account are signed out.</p>
<div class="forms"><form class="card" method="post" action="/reset/${encodeURIComponent(token)}">
${password('new-password', 'reset', 'New password')}
<button class="main">Set password</button>
</form></div>`,
    { ...ALONE, status },
  )
