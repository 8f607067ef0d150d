import { MINUTE_MS, PAIRING_TOKEN_MS } from '../../../machines/limits.ts'
import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../http/transport.ts'
import type { PairingRefusal, Pairings } from '../../pairings.ts'
import { LABEL_CHARS_MAX } from '../../wire/limits.ts'
import type { PagesDeps } from '../deps.ts'
import { html } from '../html.ts'
import { may, type Viewer } from '../viewer.ts'
import { app } from './app.ts'
import { framed } from './frame.ts'
import { qrSvg } from './qr.ts'

/** The paired browsers of a workspace: the page reads the API. */
export async function browsers(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  { store }: Pick<PagesDeps, 'store'>,
): Promise<Response> {
  const keys = await store.keys.list(workspace.id)
  return framed(
    'Browsers',
    { viewer, workspace, tab: '/dashboard/browsers', script: 'dashboard.js' },
    app({
      page: 'browsers',
      workspaceId: workspace.id,
      mayAct: may(viewer, workspace, 'act'),
      keys: Object.fromEntries(keys.map(({ id, name }) => [id, name])),
    }),
  )
}

/** Makes a pairing link and shows it, as text and as a QR code; it is shown once. */
export async function pairing(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  label: string,
  address: string,
  pairings: Pick<Pairings, 'create'>,
): Promise<Response> {
  const made = await pairings.create({
    workspaceId: workspace.id,
    keyId: viewer.keyId,
    publishable: false,
    createdBy: viewer.kind === 'key' ? `the key “${viewer.name.replace(/^Key /, '')}”` : viewer.name,
    label: label.trim().slice(0, LABEL_CHARS_MAX) || null,
    externalUserId: null,
    allowTasks: true,
  })
  if (typeof made === 'string') return refused(made, viewer, workspace)
  const link = `${address}/pair/${made.token}`
  return framed(
    'Pair a browser',
    { viewer, workspace, tab: '/dashboard/browsers' },
    html`<p>Open this link in the browser that should carry out your tasks. It works once, within ${PAIRING_TOKEN_MS / MINUTE_MS} minutes.</p>
<div class="pairing">
<figure>${qrSvg(link)}<figcaption class="quiet">The same link as a QR code</figcaption></figure>
<div>
<p><a class="button main" href="${link}" target="_blank">Open the pairing page in this browser</a></p>
<pre tabindex="0" aria-label="The link" data-copy><code>${link}</code></pre>
<p class="quiet">Anyone with this link can pair a browser with this workspace. Do not share it.</p>
</div>
</div>
<p data-until-paired data-workspace="${workspace.id}" role="status"><span class="pulse"></span> Waiting for the browser … Once it is paired, this page continues by itself.</p>
<p><a href="/dashboard/browsers?workspace=${workspace.id}">Back to browsers</a></p>`,
  )
}

const REFUSED: Readonly<Record<PairingRefusal, string>> = {
  too_many_pairings: 'Too many pairing links were created in the last minute. Wait a minute, then try again.',
  too_many_browsers: 'This workspace has reached its limit of paired browsers. Remove one first.',
}

const refused = (why: PairingRefusal, viewer: Viewer, workspace: WorkspaceRecord): Response =>
  framed(
    'Pair a browser',
    { viewer, workspace, tab: '/dashboard/browsers', status: 409 },
    html`<p role="alert">${REFUSED[why]}</p>`,
  )
