import type { SessionView } from '../../../actors/task-service.ts'
import { MINUTE_MS, PAIRING_TOKEN_MS } from '../../../machines/limits.ts'
import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../http/transport.ts'
import type { PairingRefusal, Pairings } from '../../pairings.ts'
import { LABEL_CHARS_MAX } from '../../wire/limits.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html, time } from '../html.ts'
import { may, type Viewer } from '../viewer.ts'
import { action, framed, heads, workspaceField } from './frame.ts'
import { qrSvg } from './qr.ts'

/** The paired browsers of a workspace with their connection, newest first. */
export async function browsers(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  { taskService, store }: Pick<PagesDeps, 'taskService' | 'store'>,
): Promise<Response> {
  const [sessions, keys] = await Promise.all([taskService.sessions(workspace.id, null), store.keys.list(workspace.id)])
  const keyNames = new Map(keys.map(({ id, name }) => [id, name]))
  return framed(
    'Browsers',
    { viewer, workspace, tab: '/dashboard/browsers', live: true },
    html`<section id="browsers" data-live>
${sessions.length === 0 ? html`<p class="empty">No browsers paired yet. Tasks run in your own browser, where you are already signed in. Pair one to begin.</p>` : sessionTable(sessions, workspace, keyNames, may(viewer, workspace, 'act'))}
</section>
${may(viewer, workspace, 'act') ? pairForm(workspace) : null}`,
  )
}

/** Whether the browser's own side panel may start tasks, and the button that changes it. */
function allowing({ id, allowTasks }: SessionView, workspace: WorkspaceRecord, name: string, mayAct: boolean): Html {
  const [is, to, word] = allowTasks === false ? ['no', 'allow', 'Allow'] : ['yes', 'deny', 'Disallow']
  const change = action(`/dashboard/browsers/${id}/${to}-tasks`, workspace, word, `tasks that ${name} starts`)
  return html`${is} ${mayAct ? change : null}`
}

function sessionTable(
  sessions: readonly SessionView[],
  workspace: WorkspaceRecord,
  keyNames: ReadonlyMap<string, string>,
  mayAct: boolean,
) {
  const rows = sessions.map((session) => {
    const name = session.label ?? `Browser ${session.id.slice(0, 8)}`
    return html`<tr role="row">
<th role="rowheader" scope="row" class="words">${name}</th>
<td role="cell" data-label="Status"><span class="badge ${session.status}">${session.status}</span></td>
<td role="cell" data-label="Paired by">${keyNames.get(session.keyId ?? '') ?? html`<span class="quiet">a user</span>`}</td>
<td role="cell" data-label="May start tasks">${allowing(session, workspace, name, mayAct)}</td>
<td role="cell" data-label="Last seen">${session.lastHeartbeat === null ? html`<span class="quiet">never</span>` : time(session.lastHeartbeat)}</td>
<td role="cell" data-label="Paired until">${time(session.expiresAt)}</td>
<td role="cell">${mayAct ? action(`/dashboard/browsers/${session.id}/remove`, workspace, 'Remove', name, { question: `Remove ${name}? Its tasks lose their browser, and it has to be paired again.` }) : null}</td>
</tr>
`
  })
  return html`<div class="table cards" role="region" aria-label="Browsers" tabindex="0"><table role="table">
<caption>The browsers that are paired with this workspace, newest first</caption>
${heads(['Browser', 'Status', 'Paired by', 'May start tasks', 'Last seen', 'Paired until', 'Action'])}
<tbody role="rowgroup">
${rows}</tbody>
</table></div>`
}

const pairForm = (
  workspace: WorkspaceRecord,
): Html => html`<form class="row pair" method="post" action="/dashboard/pair">
${workspaceField(workspace)}
<label for="label">Name (optional)<input id="label" name="label" maxlength="${LABEL_CHARS_MAX}" placeholder="Office laptop"></label>
<button class="main">Pair a browser</button>
</form>`

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
<pre tabindex="0" aria-label="The link"><code>${link}</code></pre>
<p class="quiet">Anyone with this link can pair a browser with this workspace. Do not share it.</p>
</div>
</div>
<p data-until-paired data-workspace="${workspace.id}" role="status">Waiting for the browser … This page goes on by itself.</p>
<p>Once paired, the browser appears in your list. <a href="/dashboard/browsers?workspace=${workspace.id}">Back to browsers</a></p>`,
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
