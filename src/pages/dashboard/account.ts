import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Request, Response } from '../../http/transport.ts'
import type { PagesDeps } from '../deps.ts'
import { html, redirect } from '../html.ts'
import { askLibrary, complaintOf, cookiesIn, password } from '../sign-in.ts'
import type { Viewer } from '../viewer.ts'
import { framed, workspaceField } from './frame.ts'

type Deps = Pick<PagesDeps, 'accounts'>

/** What the page says above its forms. */
interface Said {
  readonly failed?: string
  readonly done?: string
}

/** [A32] The account of who is signed in: who that is, and a form for another password. */
export async function account(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  request: Pick<Request, 'headers'>,
  { accounts }: Deps,
  { failed, done }: Said = {},
): Promise<Response> {
  const frame = { viewer, workspace, tab: null, status: failed === undefined ? 200 : 400 }
  if (viewer.kind !== 'member' || !accounts) {
    return framed(
      'Account',
      frame,
      html`<p>You are signed in with a secret key, which has no account. <a href="/dashboard/keys">Keys</a></p>`,
    )
  }
  const { hasPassword } = await accounts.confirm(request.headers, '')
  return framed(
    'Account',
    frame,
    html`${failed === undefined ? null : html`<p role="alert">${failed}</p>`}${done === undefined ? null : html`<p class="said" role="status">${done}</p>`}
<p>You are signed in as <strong>${viewer.name}</strong>.</p>
<h2>Password</h2>
${
  hasPassword
    ? html`<div class="forms"><form class="card" method="post" action="/dashboard/account/password">
${workspaceField(workspace)}
${password('current-password', 'now', 'Current password')}
${password('new-password', 'new', 'New password', 'new-password')}
<button class="main">Change password</button>
<p class="quiet">All other devices that are signed in to your account are signed out.</p>
</form></div>`
    : html`<p>You have no password here: you sign in elsewhere. To get one, ask for a <a href="/forgot">link to set a password</a>.</p>`
}
<h2>Workspaces</h2>
<p>To work in a workspace of others, ask one of its owners to invite you. <a href="/dashboard/claim">Take over a workspace by its secret key</a></p>`,
  )
}

/** [A32] Sets another password, and ends all other sign-ins of the user. */
export async function changePassword(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  form: URLSearchParams,
  request: Request,
  deps: Deps,
): Promise<Response | null> {
  if (viewer.kind !== 'member' || !deps.accounts) return null
  const answer = await askLibrary(request, deps.accounts, 'change-password', {
    currentPassword: form.get('password') ?? '',
    newPassword: form.get('new-password') ?? '',
    revokeOtherSessions: true,
  })
  if (answer.status >= 400) return account(viewer, workspace, request, deps, { failed: complaintOf(answer) })
  // The cookie of this request is no longer good: the page is asked for again with the new one.
  return redirect('/dashboard/account?changed', 303, cookiesIn(answer))
}
