import type { Desk, SessionView, TaskView } from '../../actors/front.ts'
import { PAGE_SIZE_DEFAULT } from '../../machines/limits.ts'
import type { WorkspaceRecord } from '../../machines/records.ts'
import type { Member } from '../http/deps.ts'
import type { Request, Response } from '../http/transport.ts'
import { type Html, html, page, time } from './html.ts'

const SHOWN_CHARS_MAX = 300

/** A signed-in user's tasks and browsers, of the workspace that the query names or of the first. */
export async function dashboard(
  request: Pick<Request, 'query'>,
  member: Member,
  desk: Pick<Desk, 'tasks' | 'sessions'>,
): Promise<Response> {
  const asked = new URLSearchParams(request.query).get('workspace')
  const workspace = member.workspaces.find(({ id }) => id === asked) ?? member.workspaces[0]
  if (!workspace) throw new Error('A signed-in user has no workspace')
  const [tasks, sessions] = await Promise.all([
    desk.tasks({
      workspaceId: workspace.id,
      status: null,
      browserSessionId: null,
      after: null,
      limit: PAGE_SIZE_DEFAULT,
    }),
    desk.sessions(workspace.id, null),
  ])
  return page(
    'Dashboard',
    html`<div class="account">
<p>${member.name} (${member.email}) in workspace <strong>${workspace.name}</strong>, plan ${workspace.plan}</p>
<form method="post" action="/dashboard/sign-out"><button>Sign out</button></form>
</div>
${workspaces(member.workspaces, workspace)}
<h2 id="tasks">Tasks</h2>
${tasks.length === 0 ? noTasks : taskTable(tasks)}
<h2 id="browsers">Browsers</h2>
${sessions.length === 0 ? noSessions : sessionTable(sessions)}`,
  )
}

function workspaces(all: readonly WorkspaceRecord[], shown: WorkspaceRecord): Html | null {
  if (all.length < 2) return null
  const items = all.map(({ id, name }) =>
    id === shown.id
      ? html`<li><a href="/dashboard?workspace=${id}" aria-current="true">${name}</a></li>`
      : html`<li><a href="/dashboard?workspace=${id}">${name}</a></li>`,
  )
  return html`<nav aria-label="Workspaces"><ul>${items}</ul></nav>`
}

const noTasks = html`<p class="quiet">No task yet. Start one with <code>POST /v1/tasks</code>: <a href="/docs">how to</a>.</p>`
const noSessions = html`<p class="quiet">No browser is paired yet. Get a pairing link with <code>POST /v1/browser-sessions/pair</code>: <a href="/docs">how to</a>.</p>`

function taskTable(tasks: readonly TaskView[]): Html {
  const rows = tasks.map(
    (task) => html`<tr>
<td class="words">${shortened(task.task)}</td>
<td><span class="${task.status === 'error' ? 'bad' : 'good'}">${task.status}</span>${task.status === 'running' ? html` <span class="quiet">${task.state}</span>` : null}</td>
<td>${task.steps}</td>
<td class="words">${shortened(task.answer ?? '')}</td>
<td>${time(task.createdAt)}</td>
</tr>
`,
  )
  return html`<div class="table" role="region" aria-labelledby="tasks" tabindex="0"><table>
<caption>The last tasks of this workspace, newest first</caption>
<thead><tr><th scope="col">Task</th><th scope="col">Status</th><th scope="col">Steps</th><th scope="col">Answer</th><th scope="col">Started</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>`
}

function sessionTable(sessions: readonly SessionView[]): Html {
  const rows = sessions.map(
    (session) => html`<tr>
<td class="words">${session.label ?? session.id}</td>
<td><span class="${session.status === 'connected' ? 'good' : 'quiet'}">${session.status}</span></td>
<td>${session.lastHeartbeat === null ? html`<span class="quiet">never</span>` : time(session.lastHeartbeat)}</td>
<td>${time(session.expiresAt)}</td>
</tr>
`,
  )
  return html`<div class="table" role="region" aria-labelledby="browsers" tabindex="0"><table>
<caption>The browsers that are paired with this workspace, newest first</caption>
<thead><tr><th scope="col">Browser</th><th scope="col">Status</th><th scope="col">Last heard</th><th scope="col">Paired until</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>`
}

const shortened = (text: string): string =>
  text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}…`
