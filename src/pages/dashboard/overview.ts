import { REFUSALS } from '../../../machines/failures.ts'
import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../http/transport.ts'
import type { PagesDeps } from '../deps.ts'
import { html } from '../html.ts'
import type { Viewer } from '../viewer.ts'
import { app } from './app.ts'
import { framed } from './frame.ts'
import { disabledAlert } from './webhooks.ts'

/** [P10] The tasks of a workspace and a form to start one: the page reads the API and follows the log of events. */
export async function overview(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  { modelConfigured, endpoints }: Pick<PagesDeps, 'modelConfigured' | 'endpoints'>,
): Promise<Response> {
  const hooks = await endpoints.list(workspace.id)
  return framed(
    'Dashboard',
    { viewer, workspace, tab: '/dashboard', script: 'dashboard.js' },
    html`${modelConfigured ? null : html`<p role="alert">${REFUSALS.model_not_configured}</p>`}
${disabledAlert(hooks, workspace)}
${app({ page: 'tasks', workspaceId: workspace.id })}`,
  )
}
