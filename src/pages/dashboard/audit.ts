import type { AuditRecord } from '../../../machines/audit-records.ts'
import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../http/transport.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html, time } from '../html.ts'
import { may, type Viewer } from '../viewer.ts'
import { framed, heads, notAllowed } from './frame.ts'

export const PATH = '/dashboard/audit'
const SHOWN = 50

/** [O11] What was done in a workspace, newest first, for those who manage it. `before` is where the page before ended: `<time>-<id>`. */
export async function audit(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  query: string,
  { store }: Pick<PagesDeps, 'store'>,
): Promise<Response> {
  if (!may(viewer, workspace, 'manage')) return notAllowed(viewer, workspace)
  const [, createdAt, id = ''] =
    /^(\d{1,15})-([\da-f-]{36})$/.exec(new URLSearchParams(query).get('before') ?? '') ?? []
  const after = createdAt === undefined ? null : { createdAt: Number(createdAt), id }
  const records = await store.audit.list({ workspaceId: workspace.id, after, limit: SHOWN + 1 })
  const shown = records.slice(0, SHOWN)
  const last = shown.at(-1)
  const older = records.length > SHOWN && last ? `${PATH}?workspace=${workspace.id}&before=${last.at}-${last.id}` : null
  return framed(
    'Audit log',
    { viewer, workspace, tab: PATH },
    html`<p>Who did what in this workspace, by which key and from where. <a href="/docs/security#audit-log">What is in it</a></p>
${shown.length === 0 ? html`<p class="empty">Nothing has been done yet.</p>` : entries(shown)}
${older === null ? null : html`<p><a class="button" href="${older}">Older entries</a></p>`}`,
  )
}

const quiet = (text: string): Html => html`<span class="quiet">${text}</span>`

function entries(records: readonly AuditRecord[]): Html {
  const rows = records.map(
    ({ at, action, outcome, actor, address, resource, details }) => html`<tr role="row">
<th role="rowheader" scope="row">${time(at, true)}</th>
<td role="cell" data-label="Action"><code>${action}</code>${outcome === 'refused' ? html` <strong>refused</strong>` : null}</td>
<td role="cell" data-label="By" class="words">${actor.name} ${quiet(`(${actor.role ?? actor.kind})`)}</td>
<td role="cell" data-label="From">${address ?? quiet('–')}</td>
<td role="cell" data-label="On" class="words">${resource ?? quiet('–')}</td>
<td role="cell" data-label="Details" class="words">${details === null ? quiet('–') : Object.entries(details).map(([name, value]) => html`${name}: ${String(value)} `)}</td>
</tr>
`,
  )
  return html`<div class="table cards" role="region" aria-label="Audit log" tabindex="0"><table role="table">
<caption>The audit log, newest first</caption>
${heads(['Time', 'Action', 'By', 'From', 'On', 'Details'])}
<tbody role="rowgroup">
${rows}</tbody>
</table></div>`
}
