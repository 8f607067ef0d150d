import type { Response } from '../http/transport.ts'
import { ARTICLE } from '../members.ts'
import { roleOf } from '../roles.ts'
import { isToken } from '../tokens.ts'
import type { PagesDeps } from './deps.ts'
import { html, page, redirect } from './html.ts'
import { note } from './noted.ts'
import { get, type PageRoute, post } from './page-route.ts'
import { signInPage } from './sign-in.ts'
import { dashboardUser, isOurs } from './viewer.ts'

/** [A35] What an invitation leads to: signing in or up, and the question whether to join. */
export function inviteRoutes(deps: PagesDeps): readonly PageRoute[] {
  const { accounts, members, providers } = deps
  if (!accounts) return []
  const find = async (token: string) => (isToken('invitation', token) ? members.find(token) : null)
  return [
    get('/invite/:token', async (request, token = '') => {
      const found = await find(token)
      if (!found) return noInvitation
      const { invitation, workspace } = found
      const what = html`${invitation.invitedBy} invites you to the workspace <strong>${workspace.name}</strong> as ${ARTICLE[invitation.role]}.`
      const viewer = await dashboardUser(request, deps)
      if (viewer?.kind !== 'member') {
        const next = `/invite/${token}`
        return signInPage({
          providers,
          // [A40] Who is invited may make an account where strangers may not.
          signUp: true,
          ...(accounts.signUp ? {} : { invited: invitation.email }),
          next,
          title: 'You are invited',
          intro: html`<p>${what} Sign in, or create an account, to join.</p>`,
        })
      }
      if (roleOf(workspace, viewer.userId ?? '') !== null) return redirect(`/dashboard?workspace=${workspace.id}`)
      return page(
        'You are invited',
        html`<p>${what}</p>
<p>You are signed in as <strong>${viewer.name}</strong>.</p>
<form method="post" action="/invite/${token}"><button class="main">Join the workspace</button></form>`,
      )
    }),
    post('/invite/:token', async (request, token = '') => {
      const viewer = isOurs(request, deps.config.publicUrl) ? await dashboardUser(request, deps) : null
      if (viewer?.kind !== 'member' || viewer.userId === null) return redirect(`/invite/${token}`, 303)
      const found = await find(token)
      const workspace = found && (await members.join(token, { userId: viewer.userId }))
      if (!workspace) return noInvitation
      note(deps, { viewer, workspace, request }, 'joinWorkspace')
      return redirect(`/dashboard?workspace=${workspace.id}`, 303)
    }),
  ]
}

const noInvitation: Response = page(
  'Invitation',
  html`<p role="alert">This invitation was used already, taken back, or is older than a week. Ask for another one.</p>
<p><a href="/dashboard">Dashboard</a></p>`,
  404,
)
