import { REFUSALS } from '../../../machines/failures.ts'
import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../http/transport.ts'
import type { PagesDeps } from '../deps.ts'
import { html } from '../html.ts'
import { may, type Viewer } from '../viewer.ts'
import { app } from './app.ts'
import { framed } from './frame.ts'
import { disabledAlert } from './webhooks.ts'

/** [P10] The tasks of a workspace and a form to start one: the page reads the API and follows the log of events. */
export async function overview(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  {
    modelConfigured,
    endpoints,
    accounts,
    taskService,
  }: Pick<PagesDeps, 'modelConfigured' | 'endpoints' | 'accounts' | 'taskService'>,
): Promise<Response> {
  const hooks = await endpoints.list(workspace.id)
  return framed(
    'Tasks',
    { viewer, workspace, tab: '/dashboard', script: 'dashboard.js' },
    html`${modelConfigured ? null : html`<p role="alert">${REFUSALS.model_not_configured}</p>`}
${viewer.kind === 'key' && accounts && workspace.members.length === 0 ? CLAIM : null}${disabledAlert(hooks, workspace)}
${app({ page: 'tasks', workspaceId: workspace.id, mayAct: may(viewer, workspace, 'act'), models: taskService.models() })}`,
  )
}

/** [A38] For who is signed in with a key of a workspace that has no members. */
const CLAIM = html`<p class="notice">This workspace is opened by its keys alone. <a href="/dashboard/claim">Create an account</a> to sign in without a key, and to invite others.</p>`
