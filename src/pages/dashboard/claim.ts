import type { KeyRecord } from '../../../machines/records.ts'
import type { Request, Response } from '../../http/transport.ts'
import { hashToken, isPublishable } from '../../tokens.ts'
import type { PagesDeps } from '../deps.ts'
import { html, page, redirect } from '../html.ts'
import { note } from '../noted.ts'
import { showsFreeKey, signInPage } from '../sign-in.ts'
import { dashboardUser, keySessionOf } from '../viewer.ts'

const PATH = '/dashboard/claim'
const TAKEN = 'This workspace has an owner already. Ask the owner to invite you.'

/** The secret key that a request proves to have: the one in the form, else the one that it is signed in with. */
async function keyOf(request: Request, given: string, deps: PagesDeps): Promise<KeyRecord | null> {
  const { cookie = '' } = request.headers
  const hash = given === '' ? await keySessionOf(cookie, deps) : hashToken(given)
  const record = hash === null ? null : await deps.store.keys.byHash(hash)
  return record && !isPublishable(record) ? record : null
}

/** [A38] Asks a user with an account whether to take over the workspace of a key; others to sign in or up first. */
export async function claimPage(request: Request, deps: PagesDeps, failed?: string): Promise<Response> {
  const viewer = await dashboardUser(request, deps)
  if (!viewer || !deps.accounts) return redirect('/dashboard')
  const key = await keyOf(request, '', deps)
  const workspace = key && (await deps.store.workspaces.get(key.workspaceId))
  if (viewer.kind !== 'member') {
    return signInPage({
      providers: deps.providers,
      signUp: deps.accounts.signUp || (await showsFreeKey(request, deps)),
      next: PATH,
      title: 'Create an account',
      intro: html`<p>Create an account, or sign in to yours, to take over the workspace <strong>${workspace?.name ?? ''}</strong>. Its keys, browsers and tasks stay as they are.</p>`,
    })
  }
  const isFree = workspace !== null && workspace.members.length === 0
  return page(
    'Take over a workspace',
    html`${failed === undefined ? null : html`<p role="alert">${failed}</p>`}
<p>A workspace that was used by its keys alone gets you as its owner. Its keys, browsers and tasks stay as they are.</p>
<div class="forms"><form class="card" method="post" action="${PATH}">
${
  isFree
    ? html`<p>Workspace <strong>${workspace.name}</strong></p>`
    : html`<label for="claim-key">A secret key of the workspace<input id="claim-key" name="key" type="password" autocomplete="off" placeholder="svc_live_…" required></label>`
}
<button class="main">Take over</button>
<p><a href="/dashboard">Not now</a></p>
</form></div>`,
    failed === undefined ? 200 : 400,
  )
}

/** [A38] Makes the user the owner. */
export async function claim(request: Request, form: URLSearchParams, deps: PagesDeps): Promise<Response> {
  const viewer = await dashboardUser(request, deps)
  if (viewer?.kind !== 'member' || viewer.userId === null) return redirect(PATH, 303)
  const key = await keyOf(request, (form.get('key') ?? '').trim(), deps)
  if (key === null) return claimPage(request, deps, 'Invalid secret key. It begins with svc_live_.')
  const claimed = await deps.members.claim(key.workspaceId, viewer.userId)
  if (claimed !== 'done') return claimPage(request, deps, TAKEN)
  const workspace = { id: key.workspaceId, members: [viewer.userId] }
  note(deps, { viewer, workspace, request }, 'claimWorkspace', { details: { key_id: key.id } })
  return redirect(`/dashboard?workspace=${key.workspaceId}`, 303)
}
