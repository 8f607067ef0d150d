import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../net/transport.ts'
import { type Html, html, page } from '../html.ts'
import type { Viewer } from '../viewer.ts'

const TABS = [
  ['/dashboard', 'Tasks'],
  ['/dashboard/browsers', 'Browsers'],
  ['/dashboard/profiles', 'Profiles'],
  ['/dashboard/recipes', 'Recipes'],
  ['/dashboard/keys', 'Keys'],
  ['/dashboard/webhooks', 'Webhooks'],
  ['/dashboard/usage', 'Usage'],
  ['/dashboard/members', 'Members'],
  ['/dashboard/limits', 'Limits'],
  ['/dashboard/audit', 'Audit log'],
] as const

export interface Frame {
  readonly viewer: Viewer
  readonly workspace: WorkspaceRecord
  /** The page above this one: its address and its name. */
  readonly parent?: readonly [path: string, name: string]
  /** The tab that this page belongs to; `null`: to none. */
  readonly tab: (typeof TABS)[number][0] | null
  readonly status?: number
  /** The module that makes the page live. */
  readonly script?: 'tasks.js' | 'task.js' | 'settings.js'
}

/** A page of the dashboard: tabs, workspaces, who is signed in. */
export function framed(
  title: string,
  { viewer, workspace, tab, parent, status = 200, script = 'settings.js' }: Frame,
  content: Html,
): Response {
  const query = workspace.id === viewer.workspaces[0]?.id ? '' : `?workspace=${workspace.id}`
  const tabs = TABS.map(([path, name]) =>
    path === tab
      ? html`<a href="${path}${query}" aria-current="page">${name}</a>`
      : html`<a href="${path}${query}">${name}</a>`,
  )
  return page(title, content, {
    status,
    script,
    area: '/dashboard',
    above: html`<nav class="tabs" aria-label="Dashboard">${tabs}</nav>${parent === undefined ? null : html`<nav class="crumbs" aria-label="Breadcrumb"><a href="${parent[0]}?workspace=${workspace.id}">${parent[1]}</a></nav>`}`,
    beside: html`<div id="title-actions" class="actions"></div>`,
    account: accountMenu(viewer, workspace),
  })
}

/** Who is signed in, in which workspace, and the ways out; opened and closed by the browser itself. */
export function accountMenu(viewer: Viewer, shown: WorkspaceRecord): Html {
  const { workspaces: all, kind, name } = viewer
  const workspaces = all.map(
    ({ id, name, plan }) =>
      html`<li><a href="/dashboard?workspace=${id}"${id === shown.id ? CURRENT : null}><span class="words">${name}</span><span class="quiet">${plan}</span></a></li>`,
  )
  return html`<button class="plain menu" type="button" popovertarget="account" aria-label="Account and workspaces: ${shown.name}"><svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2.5a2.7 2.7 0 1 0 0 5.4a2.7 2.7 0 0 0 0-5.4zM2.8 13.5a5.2 4.6 0 0 1 10.4 0"/></svg><span>${shown.name}</span></button>
<div id="account" popover>
<p class="words quiet">${name}</p>
<nav class="workspaces" aria-label="Workspaces"><ul>${workspaces}</ul></nav>
${kind === 'member' ? html`<a href="/dashboard/account">Account and password</a>` : null}
<form method="post" action="/dashboard/sign-out"><button class="plain">Sign out</button></form>
</div>`
}

const CURRENT = html` aria-current="true"`

/** [A33] */
export const notAllowed = (viewer: Viewer, workspace: WorkspaceRecord): Response =>
  framed(
    'Not allowed',
    { viewer, workspace, tab: null, status: 403 },
    html`<p role="alert">Your role in this workspace does not allow this. Ask an <a href="/dashboard/members?workspace=${workspace.id}">owner</a> of the workspace.</p>`,
  )

const MISSING = {
  task: ['/dashboard', 'Task not found', 'All tasks'],
  picture: ['/dashboard', 'Picture not found', 'All tasks'],
  recipe: ['/dashboard/recipes', 'Recipe not found', 'All recipes'],
  endpoint: ['/dashboard/webhooks', 'Webhook endpoint not found', 'All endpoints'],
} as const

/** [P41] What a link leads to that is not there, or not for this viewer: nobody learns which of the two. */
export function notFound(viewer: Viewer, workspace: WorkspaceRecord, what: keyof typeof MISSING): Response {
  const [path, title, all] = MISSING[what]
  return framed(
    title,
    { viewer, workspace, tab: path, status: 404 },
    html`<p>It was deleted, or belongs to a workspace that you are not a member of. You are signed in as ${viewer.name}.</p>
<p><a class="button" href="${path}?workspace=${workspace.id}">${all}</a></p>`,
  )
}
