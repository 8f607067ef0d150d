import type { KeyRecord, WorkspaceRecord } from '../../../machines/records.ts'
import type { Request, Response } from '../../http/transport.ts'
import { KEY_NAME_CHARS_MAX } from '../../wire/limits.ts'
import { confirmationOf, makeKey as createKey, hasKeysEnough } from '../../workspaces.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html, time } from '../html.ts'
import { note } from '../noted.ts'
import { may, type Viewer } from '../viewer.ts'
import { action, framed, heads, workspaceField } from './frame.ts'

type Deps = Pick<PagesDeps, 'store' | 'ids' | 'clock' | 'accounts' | 'audit' | 'foundAt'>

/** The keys of a workspace. `made` is the plain text of a key that was made just now. */
export async function keys(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  { store }: Pick<Deps, 'store'>,
  said: { readonly made?: string; readonly failed?: string } = {},
): Promise<Response> {
  const all = await store.keys.list(workspace.id)
  return framed(
    'Keys',
    { viewer, workspace, tab: '/dashboard/keys', status: said.failed === undefined ? 200 : 400 },
    html`${said.failed === undefined ? null : html`<p role="alert">${said.failed}</p>`}
${said.made === undefined ? null : made(said.made)}
${all.length === 0 ? html`<p class="empty">No keys yet. Programs need a key to start tasks: create one below, then see the <a href="/docs#a-first-task">first task</a>.</p>` : keyTable(all, viewer, workspace)}
${may(viewer, workspace, 'manage') ? keyForm(viewer, workspace) : null}`,
  )
}

const keyForm = (viewer: Viewer, workspace: WorkspaceRecord): Html => html`<h2>New key</h2>
<form class="start row" method="post" action="/dashboard/keys">
${workspaceField(workspace)}
<label for="name">Name<input id="name" name="name" maxlength="${KEY_NAME_CHARS_MAX}" required></label>
<label for="type">Type<select id="type" name="type"><option value="secret">secret: for your servers</option><option value="publishable">publishable: can only pair browsers</option></select></label>
<label for="confirm">${viewer.kind === 'key' ? 'Confirm with your secret key' : 'Confirm with your password'}<input id="confirm" name="confirm" type="password" autocomplete="${viewer.kind === 'key' ? 'off' : 'current-password'}"></label>
<button class="main">Create key</button>
</form>`

const made = (key: string): Html => html`<div class="made" role="status">
<p><strong>Your new key.</strong> Copy it now: it is not shown again.</p>
<pre tabindex="0" aria-label="The new key" data-copy><code>${key}</code></pre>
</div>`

function keyTable(all: readonly KeyRecord[], viewer: Viewer, workspace: WorkspaceRecord): Html {
  const mayManage = may(viewer, workspace, 'manage')
  const rows = all.map(
    (key) => html`<tr role="row">
<th role="rowheader" scope="row" class="words">${key.name}${key.id === viewer.keyId ? html` <span class="quiet">(signed in with this key)</span>` : null}</th>
<td role="cell" data-label="Type">${key.type}</td>
<td role="cell" data-label="Begins with"><code>${key.keyPrefix}…</code></td>
<td role="cell" data-label="Created">${time(key.createdAt)}</td>
<td role="cell" data-label="Last used">${key.lastUsedAt === null ? html`<span class="quiet">never</span>` : time(key.lastUsedAt)}</td>
<td role="cell">${mayManage ? action(`/dashboard/keys/${key.id}/remove`, workspace, 'Delete', `the key ${key.name}`, { question: `Delete the key ${key.name}? Programs that use it stop working at once, and the browsers that it paired are removed.` }) : null}</td>
</tr>
`,
  )
  return html`<div class="table cards" role="region" aria-label="Keys" tabindex="0"><table role="table">
<caption>The keys of this workspace, oldest first</caption>
${heads(['Name', 'Type', 'Begins with', 'Created', 'Last used', 'Action'])}
<tbody role="rowgroup">
${rows}</tbody>
</table></div>`
}

/** Makes a key as the form asks for it, and shows it this once. */
export async function makeKey(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  form: URLSearchParams,
  request: Pick<Request, 'headers' | 'ip'>,
  deps: Deps,
): Promise<Response> {
  const confirming = {
    signedInWith: viewer.kind === 'key' ? 'key' : 'account',
    workspaceId: workspace.id,
    given: form.get('confirm') ?? '',
    headers: request.headers,
  } as const
  const confirmation = await confirmationOf(confirming, deps)
  if (confirmation !== 'confirmed') {
    const failed =
      confirmation === 'waiting'
        ? 'Too many wrong passwords. Wait a minute, then try again.'
        : viewer.kind === 'key'
          ? 'To create a key, enter the secret key that you signed in with.'
          : 'To create a key, enter your password. If you have none, sign out and sign in again first.'
    return keys(viewer, workspace, deps, { failed })
  }
  const name = (form.get('name') ?? '').trim()
  if (name === '' || name.length > KEY_NAME_CHARS_MAX) {
    return keys(viewer, workspace, deps, { failed: `The name must have 1 to ${KEY_NAME_CHARS_MAX} characters.` })
  }
  const type = form.get('type') === 'publishable' ? 'publishable' : 'secret'
  if (await hasKeysEnough(deps.store, workspace.id)) {
    return keys(viewer, workspace, deps, {
      failed: 'This workspace has reached its limit of 100 keys. Delete one first.',
    })
  }
  const { key, record } = await createKey(deps.store, { workspaceId: workspace.id, name, type }, deps.clock, deps.ids)
  note(deps, { viewer, workspace, request }, 'createApiKey', { resource: record.id, details: { name, type } })
  return keys(viewer, workspace, deps, { made: key })
}
