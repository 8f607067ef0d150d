import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { DeliveryRecord, EndpointRecord } from '../../../machines/webhook-records.ts'
import type { EndpointsPort } from '../../http/deps.ts'
import type { Response } from '../../http/transport.ts'
import { PAGE_SIZE_DEFAULT, URL_CHARS_MAX } from '../../wire/limits.ts'
import { type Html, html, time } from '../html.ts'
import type { Viewer } from '../viewer.ts'
import { action, framed, heads, workspaceField } from './frame.ts'

interface Deps {
  readonly endpoints: EndpointsPort
}
const PATH = '/dashboard/webhooks'

/** What is shown above the page once: a secret that was made just now, or what failed. */
export interface Said {
  readonly secret?: string
  readonly failed?: string
}

/** The webhook endpoints of a workspace. */
export async function webhooks(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  { endpoints }: Deps,
  said: Said = {},
): Promise<Response> {
  const all = await endpoints.list(workspace.id)
  return framed(
    'Webhooks',
    { viewer, workspace, tab: PATH, status: said.failed === undefined ? 200 : 400 },
    html`${spoken(said)}${disabledAlert(all, workspace)}
${all.length === 0 ? html`<p class="empty">No webhook endpoints yet. An endpoint is a URL of yours that is told what happens to your tasks. <a href="/docs/webhooks">How webhooks work</a></p>` : endpointTable(all, workspace)}
<h2>New endpoint</h2>
<form class="row" method="post" action="${PATH}">
${workspaceField(workspace)}
<label for="url">URL<input id="url" name="url" type="url" maxlength="${URL_CHARS_MAX}" placeholder="https://…" required></label>
<label for="description">Description (optional)<input id="description" name="description" maxlength="500"></label>
<button class="main">Create endpoint</button>
</form>`,
  )
}

const spoken = ({ secret, failed }: Said): Html | null => {
  if (failed !== undefined) return html`<p role="alert">${failed}</p>`
  return secret === undefined
    ? null
    : html`<div class="made" role="status">
<p><strong>The endpoint's new secret.</strong> Copy it now: it is not shown again.</p>
<pre tabindex="0" aria-label="The new secret"><code>${secret}</code></pre>
</div>`
}

/** [W14] What the service disabled by itself is said on the overview, too. */
export function disabledAlert(all: readonly EndpointRecord[], workspace: WorkspaceRecord): Html | null {
  const disabled = all.filter(({ disabledReason }) => disabledReason !== null)
  if (disabled.length === 0) return null
  const items = disabled.map(
    ({ id, url, disabledReason, disabledAt }) =>
      html`<li><a href="${PATH}/${id}?workspace=${workspace.id}">${hostOf(url)}</a> ${disabledReason === 'gone' ? 'answered 410 Gone' : 'failed for 5 days'}${disabledAt === null ? null : html`, ${time(disabledAt)}`}</li>`,
  )
  return html`<div role="alert"><p>Webhook endpoints were disabled. Nothing is sent to them until you enable them again.</p><ul>${items}</ul></div>`
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

function statusOf({ disabled, failingSince }: EndpointRecord): Html {
  if (disabled) return html`<span class="badge error">disabled</span>`
  if (failingSince !== null) return html`<span class="badge running">failing</span> since ${time(failingSince)}`
  return html`<span class="badge complete">enabled</span>`
}

function endpointTable(all: readonly EndpointRecord[], workspace: WorkspaceRecord): Html {
  const rows = all.map((endpoint) => {
    const { id, url, types, description, disabled, createdAt } = endpoint
    return html`<tr role="row">
<th role="rowheader" scope="row" class="words"><a href="${PATH}/${id}?workspace=${workspace.id}">${url}</a>${description ? html` <span class="quiet">${description}</span>` : null}</th>
<td role="cell" data-label="Status">${statusOf(endpoint)}</td>
<td role="cell" data-label="Types">${types.length === 0 ? 'all' : types.join(', ')}</td>
<td role="cell" data-label="Created">${time(createdAt)}</td>
<td role="cell">${action(`${PATH}/${id}/test`, workspace, 'Send test', `to ${url}`)}
${action(`${PATH}/${id}/rotate`, workspace, 'New secret', `for ${url}`)}
${action(`${PATH}/${id}/${disabled ? 'enable' : 'disable'}`, workspace, disabled ? 'Enable' : 'Disable', url)}
${action(`${PATH}/${id}/remove`, workspace, 'Delete', url, { question: `Delete the endpoint ${url} with the log of its deliveries?` })}</td>
</tr>
`
  })
  return html`<div class="table cards" role="region" aria-label="Webhook endpoints" tabindex="0"><table role="table">
<caption>The webhook endpoints of this workspace, oldest first</caption>
${heads(['URL', 'Status', 'Types', 'Created', 'Actions'])}
<tbody role="rowgroup">
${rows}</tbody>
</table></div>`
}

/** [W15] What was sent to an endpoint, newest first, with every attempt. `null`: there is no such endpoint. */
export async function endpointPage(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  id: string,
  { endpoints }: Deps,
  said: Said = {},
): Promise<Response | null> {
  const endpoint = await endpoints.get(workspace.id, id)
  const page = { status: null, after: null, limit: PAGE_SIZE_DEFAULT }
  const deliveries = await endpoints.deliveries(workspace.id, id, page)
  if (!endpoint || !deliveries) return null
  return framed(
    'Webhook deliveries',
    { viewer, workspace, tab: PATH, status: said.failed === undefined ? 200 : 409 },
    html`${spoken(said)}<p class="words">${endpoint.url} ${statusOf(endpoint)}</p>
${action(`${PATH}/${id}/test`, workspace, 'Send test', `to ${endpoint.url}`)}
${action(`${PATH}/${id}/recover`, workspace, 'Send all that failed again', `to ${endpoint.url}`)}
${deliveries.length === 0 ? html`<p class="empty">Nothing was sent yet.</p>` : deliveryTable(deliveries, workspace)}
<p><a href="${PATH}?workspace=${workspace.id}">All endpoints</a></p>`,
  )
}

function deliveryTable(deliveries: readonly DeliveryRecord[], workspace: WorkspaceRecord): Html {
  const rows = deliveries.map(
    ({ id, type, taskId, status, attempts, nextAttemptAt, createdAt, messageId }) => html`<tr role="row">
<th role="rowheader" scope="row" class="words">${type}${taskId === null ? null : html` <a href="/dashboard/tasks/${taskId}?workspace=${workspace.id}">task</a>`}<br><code class="quiet">${messageId}</code></th>
<td role="cell" data-label="Status"><span class="badge ${BADGE[status]}">${status}</span>${nextAttemptAt === null ? null : html` next attempt ${time(nextAttemptAt)}`}</td>
<td role="cell" data-label="Created">${time(createdAt)}</td>
<td role="cell" data-label="Attempts" class="words">${attempts.length === 0 ? html`<span class="quiet">none</span>` : attemptList(attempts)}</td>
<td role="cell">${action(`${PATH}/deliveries/${id}/redeliver`, workspace, 'Redeliver', messageId)}</td>
</tr>
`,
  )
  return html`<div class="table cards" role="region" aria-label="Deliveries" tabindex="0"><table role="table">
<caption>The last ${PAGE_SIZE_DEFAULT} deliveries, newest first</caption>
${heads(['Event', 'Status', 'Created', 'Attempts', 'Action'])}
<tbody role="rowgroup">
${rows}</tbody>
</table></div>`
}

const BADGE = { pending: 'running', delivered: 'complete', failed: 'error', skipped: 'error' } as const

const attemptList = (attempts: DeliveryRecord['attempts']): Html =>
  html`<ul>${attempts.map(
    ({ at, status, reason, durationMs, answer }) =>
      html`<li>${time(at)}: <strong>${status ?? reason ?? 'no answer'}</strong> after ${durationMs} ms${answer === '' ? null : html`<details><summary>Answer</summary><pre>${answer}</pre></details>`}</li>`,
  )}</ul>`
