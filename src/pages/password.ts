import type { Response } from '../http/transport.ts'
import type { PagesDeps } from './deps.ts'
import { type Html, html, page, redirect } from './html.ts'
import { get, type PageRoute, post } from './page-route.ts'
import { askLibrary, complaintOf, email, password, signInPage } from './sign-in.ts'
import { isOurs } from './viewer.ts'

/** Said whether there is such an account or not. */
const SENT =
  'If there is an account with this address, a link to set a new password is on its way. It is good for an hour.'

/** [A31] A forgotten password: asking for a link, and setting a new one by it. */
export function passwordRoutes({ accounts, providers, config }: PagesDeps): readonly PageRoute[] {
  if (!accounts) return []
  const form = (path: string, run: PageRoute['run']) =>
    post(path, (request, ...params) =>
      isOurs(request, config.publicUrl) ? run(request, ...params) : redirect('/', 303),
    )
  return [
    get('/forgot', () => (accounts.sendsLinks ? forgotPage() : notSent)),
    form('/forgot', async (request) => {
      if (!accounts.sendsLinks) return notSent
      const fields = new URLSearchParams(new TextDecoder().decode(request.body))
      const asked = await askLibrary(request, accounts, 'request-password-reset', { email: fields.get('email') ?? '' })
      if (asked.status >= 400) return forgotPage({ failed: complaintOf(asked), status: asked.status })
      return page(
        'Check your e-mail',
        html`<p role="status">${SENT}</p><p><a href="/dashboard">Back to sign-in</a></p>`,
      )
    }),
    get('/reset/:token', (_, token = '') => resetPage(token)),
    form('/reset/:token', async (request, token = '') => {
      const newPassword = new URLSearchParams(new TextDecoder().decode(request.body)).get('password') ?? ''
      const set = await askLibrary(request, accounts, 'reset-password', { token, newPassword })
      if (set.status < 400)
        return signInPage({ providers, signUp: accounts.signUp, said: 'Your new password is set. Sign in with it.' })
      const failed = /token/i.test(complaintOf(set))
        ? html`This link was used already or is older than an hour. <a href="/forgot">Ask for another one</a>.`
        : html`${complaintOf(set)}`
      return resetPage(token, { failed, status: set.status })
    }),
  ]
}

const forgotPage = ({ failed, status = 200 }: { failed?: string; status?: number } = {}): Response =>
  page(
    'Forgot your password?',
    html`${failed === undefined ? null : html`<p role="alert">${failed}</p>`}
<p>Enter the address of your account. You get a link by which you can set a new password.</p>
<div class="forms"><form class="card" method="post" action="/forgot">
${email('forgot')}
<button class="main">Send the link</button>
<p><a href="/dashboard">Back to sign-in</a></p>
</form></div>`,
    status,
  )

const notSent = page(
  'Forgot your password?',
  html`<p>This service does not send e-mail. Ask its operator for a link by which you can set a new password: <code>npx browser-task-service reset-password &lt;address&gt;</code> prints one.</p>
<p><a href="/dashboard">Back to sign-in</a></p>`,
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
    status,
  )
