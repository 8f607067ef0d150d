import type { SessionView, TaskView } from '../../../actors/task-service.ts'
import { REFUSALS } from '../../../machines/failures.ts'
import { STEPS_MAX } from '../../../machines/limits.ts'
import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../http/transport.ts'
import { PAGE_SIZE_DEFAULT, TASK_CHARS_MAX } from '../../wire/limits.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html, time } from '../html.ts'
import type { Viewer } from '../viewer.ts'
import { action, framed, workspaceField } from './frame.ts'
import { disabledAlert } from './webhooks.ts'

const SHOWN_CHARS_MAX = 300

/** The tasks of a workspace, newest first, and a form to start one. */
export async function overview(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  { taskService, modelConfigured, endpoints }: Pick<PagesDeps, 'taskService' | 'modelConfigured' | 'endpoints'>,
  failed: { readonly message: string; readonly status: number } | null = null,
): Promise<Response> {
  const [tasks, sessions, hooks] = await Promise.all([
    taskService.tasks({
      workspaceId: workspace.id,
      status: null,
      browserSessionId: null,
      after: null,
      limit: PAGE_SIZE_DEFAULT,
    }),
    taskService.sessions(workspace.id, null),
    endpoints.list(workspace.id),
  ])
  const connected = sessions.filter(({ status }) => status === 'connected')
  return framed(
    'Dashboard',
    { viewer, workspace, tab: '/dashboard', live: true, status: failed?.status ?? 200 },
    html`${failed ? html`<p role="alert">${failed.message}</p>` : null}${modelConfigured || failed?.message === REFUSALS.model_not_configured ? null : html`<p role="alert">${REFUSALS.model_not_configured}</p>`}
${disabledAlert(hooks, workspace)}
<section id="start" data-live>
<h2>New task</h2>
${connected.length === 0 ? noBrowser(workspace, sessions.length) : startForm(workspace, connected)}
</section>
<section id="tasks" data-live aria-labelledby="tasks-title">
<h2 id="tasks-title">Tasks</h2>
${tasks.length === 0 ? noTasks : taskList(tasks, workspace)}
</section>`,
  )
}

const noTasks = html`<p class="empty">No tasks yet. Describe one above, or start one through the API (<a href="/docs#quick-start">guide</a>).</p>`

const noBrowser = (workspace: WorkspaceRecord, paired: number) => html`<div class="empty">
<p>${paired === 0 ? 'Tasks run in your own browser. No browsers paired yet.' : 'None of your browsers is connected.'}</p>
${action('/dashboard/pair', workspace, 'Pair a browser', 'with this workspace', 'main')}
</div>`

function startForm(workspace: WorkspaceRecord, connected: readonly SessionView[]): Html {
  const options = connected.map(
    ({ id, label }) => html`<option value="${id}">${label ?? `Browser ${id.slice(0, 8)}`}</option>`,
  )
  return html`<form class="start" method="post" action="/dashboard/tasks">
${workspaceField(workspace)}
<label for="task">What should be done?<textarea id="task" name="task" rows="2" maxlength="${TASK_CHARS_MAX}" required></textarea></label>
<div class="row">
<label for="url">Start page (optional)<input id="url" name="url" type="url" placeholder="https://…"></label>
<label for="browser">Browser<select id="browser" name="browser_session_id">${options}</select></label>
<button class="main">Start</button>
</div>
</form>`
}

function taskList(tasks: readonly TaskView[], workspace: WorkspaceRecord): Html {
  const items = tasks.map(
    (task) => html`<li class="task">
<a href="/dashboard/tasks/${task.id}?workspace=${workspace.id}">${shortened(task.task)}</a>
<span class="badge ${task.status}">${task.status === 'running' ? task.state : task.status}</span>
<span class="quiet">${task.status === 'running' ? html`<progress max="${STEPS_MAX}" value="${task.steps}" aria-label="Steps of ${STEPS_MAX}">${task.steps}</progress> ` : null}${task.steps} ${task.steps === 1 ? 'step' : 'steps'} · ${time(task.createdAt)}</span>
${task.answer === null || task.answer === '' ? null : html`<p class="words">${shortened(task.answer)}</p>`}
</li>
`,
  )
  return html`<ol class="tasks" reversed>
${items}</ol>`
}

const shortened = (text: string): string =>
  text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}…`
