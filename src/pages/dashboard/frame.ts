import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../http/transport.ts'
import { type Html, html, page } from '../html.ts'
import type { Viewer } from '../viewer.ts'

const TABS = [
  ['/dashboard', 'Tasks'],
  ['/dashboard/browsers', 'Browsers'],
  ['/dashboard/keys', 'Keys'],
  ['/dashboard/webhooks', 'Webhooks'],
  ['/dashboard/usage', 'Usage'],
  ['/dashboard/members', 'Members'],
] as const

export interface Frame {
  readonly viewer: Viewer
  readonly workspace: WorkspaceRecord
  /** The tab that this page belongs to; `null`: to none. */
  readonly tab: (typeof TABS)[number][0] | null
  /** Whether what is inside `[data-live]` follows what happens in the workspace. */
  readonly live?: boolean
  /** The module that makes the page live. */
  readonly script?: string
  readonly status?: number
}

/** A page of the dashboard: tabs, workspaces, who is signed in. */
export function framed(
  title: string,
  { viewer, workspace, tab, live = false, script = 'live.js', status = 200 }: Frame,
  content: Html,
): Response {
  const query = workspace.id === viewer.workspaces[0]?.id ? '' : `?workspace=${workspace.id}`
  const tabs = TABS.map(([path, name]) =>
    path === tab
      ? html`<a href="${path}${query}" aria-current="page">${name}</a>`
      : html`<a href="${path}${query}">${name}</a>`,
  )
  return page(
    title,
    html`${live ? html`<p class="stream quiet" data-events="/dashboard/events?workspace=${workspace.id}" role="status"></p>` : null}
${content}`,
    {
      status,
      script,
      above: html`<div class="tab-row"><nav class="tabs" aria-label="Dashboard">${tabs}</nav>
${workspaces(viewer, workspace)}</div>`,
      account: html`<form class="account" method="post" action="/dashboard/sign-out">
${viewer.kind === 'member' ? html`<a href="/dashboard/account">${viewer.name}</a>` : html`<span>${viewer.name}</span>`} <button class="plain">Sign out</button>
</form>`,
    },
  )
}

function workspaces({ workspaces: all }: Viewer, shown: WorkspaceRecord): Html {
  if (all.length < 2)
    return html`<p class="quiet workspace">Workspace <strong>${shown.name}</strong>, plan ${shown.plan}</p>`
  const items = all.map(({ id, name }) =>
    id === shown.id
      ? html`<li><a href="/dashboard?workspace=${id}" aria-current="true">${name}</a></li>`
      : html`<li><a href="/dashboard?workspace=${id}">${name}</a></li>`,
  )
  return html`<nav class="workspaces" aria-label="Workspaces"><ul>${items}</ul></nav>`
}

/** The workspace goes along with every form. */
export const workspaceField = ({ id }: WorkspaceRecord): Html =>
  html`<input type="hidden" name="workspace" value="${id}">`

/** The head of a table whose rows become cards on a phone: roles are said, for readers that go by the layout. */
export const heads = (names: readonly string[]): Html =>
  html`<thead role="rowgroup"><tr role="row">${names.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>`

export interface ActionOptions {
  readonly kind?: 'main' | 'plain'
  /** Asked before it is done. */
  readonly question?: string
}

/** A button that says what it does to what: one form, one thing. */
export function action(
  to: string,
  workspace: WorkspaceRecord,
  words: string,
  about: string,
  { kind = 'plain', question }: ActionOptions = {},
): Html {
  return html`<form method="post" action="${to}"${question === undefined ? null : html` data-confirm="${question}"`}>${workspaceField(workspace)}<button class="${kind}" aria-label="${words} ${about}">${words}</button></form>`
}

/** [A33] */
export const notAllowed = (viewer: Viewer, workspace: WorkspaceRecord): Response =>
  framed(
    'Not allowed',
    { viewer, workspace, tab: null, status: 403 },
    html`<p role="alert">Your role in this workspace does not allow this. Ask an <a href="/dashboard/members?workspace=${workspace.id}">owner</a> of the workspace.</p>`,
  )
