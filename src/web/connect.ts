import { type CodeRequest, type Grantor, isRedirectOf, type OAuthClient } from '../identity/oauth.ts'
import type { Request, Response } from '../net/transport.ts'
import { CONNECT, resourceAt } from '../wire/oauth.ts'
import type { PagesDeps } from './deps.ts'
import { type Html, html, page, redirect } from './html.ts'
import { get, type PageRoute, post } from './page-route.ts'
import { formOf } from './sign-in.ts'
import { dashboardUser, may, type Viewer } from './viewer.ts'

/** What an assistant asks for, with the address to which the answer goes. */
interface Asked extends CodeRequest {
  readonly state: string | null
}

/**
 * [A43] Where a person lets an assistant in. What is wrong with the request is said here, and goes nowhere: the
 * application hears what a person has decided.
 *
 * @param signIn leads to the sign-in and back
 */
export function connectRoutes(deps: PagesDeps, signIn: (request: Request) => Response): readonly PageRoute[] {
  const { oauth, requestOriginOf } = deps

  /** Only for who is signed in: strangers could have this service fetch what they like. */
  async function askedBy(request: Request, viewer: Viewer): Promise<Asked | Response> {
    const query = new URLSearchParams(request.query)
    const client = await oauth.client(query.get('client_id') ?? '', viewer.userId ?? viewer.keyId ?? '', request.signal)
    if (client === 'busy') return refused('Too many applications were looked up. Wait a minute, then try again.', 429)
    if (client === null)
      return refused('This service does not know the application, or could not read its description.')
    const redirectUri =
      query.get('redirect_uri') ?? (client.redirectUris.length === 1 ? client.redirectUris[0] : '') ?? ''
    if (!isRedirectOf(client, redirectUri)) return refused('The address to go back to is not one of the application.')
    const { origin } = requestOriginOf(request)
    const resource = query.get('resource') ?? resourceAt(origin)
    const challenge = query.get('code_challenge') ?? ''
    const asked = { client, redirectUri, challenge, resource, state: query.get('state') }
    // Nowhere but here: anybody can register an address, and a link to this service must not lead on by itself.
    if (query.get('response_type') !== 'code') return refused('response_type must be code.')
    if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge))
      return refused('PKCE is required: code_challenge, with code_challenge_method S256.')
    if (resource !== resourceAt(origin)) return refused(`resource must be ${resourceAt(origin)}.`)
    return asked
  }

  return [
    get(CONNECT, async (request) => {
      const viewer = await dashboardUser(request, deps)
      if (!viewer) return signIn(request)
      const asked = await askedBy(request, viewer)
      return 'status' in asked ? asked : consentPage(asked, viewer, request.query)
    }),
    post(CONNECT, async (request) => {
      const viewer = await dashboardUser(request, deps)
      if (!viewer) return signIn(request)
      const asked = await askedBy(request, viewer)
      if ('status' in asked) return asked
      const form = formOf(request)
      const { origin } = requestOriginOf(request)
      const workspace = workspacesOf(viewer).find(({ id }) => id === form.get('workspace'))
      if (form.get('decision') !== 'allow' || !workspace) return answer(asked, origin, { error: 'access_denied' })
      const { userId, keyId } = viewer
      const record = keyId === null ? null : (await deps.store.keys.list(workspace.id)).find(({ id }) => id === keyId)
      const grantor: Grantor = { workspaceId: workspace.id, userId, keyHash: record?.keyHash ?? null }
      const actor = {
        kind: viewer.kind === 'key' ? 'key' : 'user',
        id: userId ?? keyId,
        name: viewer.name,
        role: null,
      } as const
      const details = { name: asked.client.name, goes_back_to: hostOf(asked.redirectUri) }
      const { address } = requestOriginOf(request)
      deps.audit?.note({ workspaceId: workspace.id, action: 'connectApp', actor, keyId, address, details })
      return answer(asked, origin, { code: await oauth.createCode(asked, grantor) })
    }),
  ]
}

/** Back to the application. */
function answer({ redirectUri, state }: Asked, issuer: string, fields: Readonly<Record<string, string>>): Response {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...fields, iss: issuer })) url.searchParams.set(name, value)
  if (state !== null) url.searchParams.set('state', state)
  return redirect(url.href, 303)
}

/** Whose address that is: a host, or the scheme of an application. */
function hostOf(redirectUri: string): string {
  const { protocol, origin, host } = new URL(redirectUri)
  return origin === 'null' ? protocol : host
}

const workspacesOf = (viewer: Viewer) => viewer.workspaces.filter((workspace) => may(viewer, workspace, 'act'))

function consentPage({ client, redirectUri }: Asked, viewer: Viewer, query: string): Response {
  const { protocol, origin } = new URL(redirectUri)
  const back = origin === 'null' ? protocol : origin
  const workspaces = workspacesOf(viewer)
  return page(
    'Connect an application',
    html`<p><strong><bdi>${client.name}</bdi></strong> ${whoSays(client)} wants to use this service as you, <strong>${viewer.name}</strong>.</p>
<form class="card" method="post" action="${CONNECT}?${query}">
<p>It will be able to:</p>
<ul><li>start tasks in the paired browsers of the workspace, where these are signed in</li><li>read, answer, stop and continue tasks of the workspace</li><li>make links that pair more browsers</li></ul>
<label for="workspace">Workspace<select id="workspace" name="workspace">${workspaces.map(
      ({ id, name }) => html`<option value="${id}">${name}</option>`,
    )}</select></label>
<p class="quiet">Your answer goes to <strong>${hostOf(redirectUri)}</strong>. You can disconnect it at any time: <a href="/dashboard/account#apps">connected applications</a>.</p>
<p><button class="main" name="decision" value="allow"${workspaces.length === 0 ? html` disabled` : null}>Allow</button> <button class="plain" name="decision" value="deny">Deny</button></p>
</form>`,
    { formsTo: back },
  )
}

const whoSays = ({ verifiedHost }: OAuthClient): Html =>
  verifiedHost === null
    ? html`<span class="quiet">(its own words: nobody has verified the name)</span>`
    : html`<span class="quiet">(of ${verifiedHost})</span>`

const refused = (why: string, status = 400): Response =>
  page('Connect an application', html`<p role="alert">${why} Nothing was sent to it.</p>`, status)
