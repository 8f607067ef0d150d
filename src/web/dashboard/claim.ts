import type { Request, Response } from '../../net/transport.ts'
import type { PagesDeps } from '../deps.ts'
import { html, page, redirect } from '../html.ts'
import { showsFreeKey, signInPage } from '../sign-in.ts'
import { dashboardUser, keySessionOf } from '../viewer.ts'
import { app } from './app.ts'

/** [A38] Asks a user with an account whether to take over the workspace of a key; others to sign in or up first. */
export async function claimPage(request: Request, deps: PagesDeps): Promise<Response> {
  const viewer = await dashboardUser(request, deps)
  if (!viewer || !deps.accounts) return redirect('/dashboard')
  const keyHash = await keySessionOf(request.headers.cookie ?? '', deps)
  const key = keyHash === null ? null : await deps.store.keys.byHash(keyHash)
  const workspace = key && (await deps.store.workspaces.get(key.workspaceId))
  if (viewer.kind !== 'member') {
    return signInPage({
      providers: deps.providers,
      signUp: deps.accounts.signUp || (await showsFreeKey(request, deps)),
      next: '/dashboard/claim',
      open: 'sign-up',
      title: 'Create an account',
      intro: html`<p>Create an account, or sign in to yours, to take over the workspace <strong>${workspace?.name ?? ''}</strong>. Its keys, browsers and tasks stay as they are.</p>`,
    })
  }
  const free = workspace !== null && workspace.members.length === 0 ? workspace.name : null
  return page(
    'Take over a workspace',
    html`<p>A workspace that was used by its keys alone gets you as its owner. Its keys, browsers and tasks stay as they are.</p>
${app({ page: 'claim', workspaceId: viewer.workspaces[0]?.id ?? '', free })}`,
    { script: 'settings.js' },
  )
}
