import { ARTICLE } from '../identity/members.ts'
import { roleOf } from '../identity/roles.ts'
import { isToken } from '../identity/tokens.ts'
import type { Response } from '../net/transport.ts'
import { app } from './dashboard/app.ts'
import type { PagesDeps } from './deps.ts'
import { html, linkFault, page, redirect } from './html.ts'
import { get, type PageRoute } from './page-route.ts'
import { signInPage } from './sign-in.ts'
import { dashboardUser } from './viewer.ts'

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
${app({ page: 'join', workspaceId: viewer.workspaces[0]?.id ?? '', token })}`,
        { script: 'settings.js' },
      )
    }),
  ]
}

const noInvitation: Response = linkFault(
  'Invalid invitation',
  html`<p>This invitation was used already, taken back, or is older than a week; or its link is incomplete.</p>
<p>Have you joined with it? Then sign in. Otherwise ask for another one.</p>
<p><a class="button" href="/dashboard">Sign in</a></p>`,
  404,
)
