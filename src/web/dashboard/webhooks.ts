import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { EndpointRecord } from '../../../machines/webhook-records.ts'
import type { EndpointsPort } from '../../api/deps.ts'
import type { Response } from '../../net/transport.ts'
import { type Html, html, time } from '../html.ts'
import { may, type Viewer } from '../viewer.ts'
import { app } from './app.ts'
import { framed } from './frame.ts'

interface Deps {
  readonly endpoints: EndpointsPort
}
const PATH = '/dashboard/webhooks'

/** The webhook endpoints of a workspace: the page reads the API. */
export async function webhooks(viewer: Viewer, workspace: WorkspaceRecord, { endpoints }: Deps): Promise<Response> {
  return framed(
    'Webhooks',
    { viewer, workspace, tab: PATH },
    html`${disabledAlert(await endpoints.list(workspace.id), workspace)}
${app({ page: 'webhooks', workspaceId: workspace.id, mayManage: may(viewer, workspace, 'manage') })}`,
  )
}

/** [W15] What was sent to an endpoint. `null`: there is no such endpoint. */
export async function endpointPage(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  id: string,
  { endpoints }: Deps,
): Promise<Response | null> {
  if ((await endpoints.get(workspace.id, id)) === null) return null
  return framed(
    'Webhook deliveries',
    { viewer, workspace, tab: PATH, parent: [PATH, 'Webhooks'] },
    app({ page: 'endpoint', workspaceId: workspace.id, mayManage: may(viewer, workspace, 'manage'), endpointId: id }),
  )
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
