import type { WorkspaceRecord } from '../../../machines/records.ts'
import { type AllLimits, allLimits, type SetLimits } from '../../../machines/workspace-limits.ts'
import type { Request, Response } from '../../http/transport.ts'
import {
  LIMIT_NAMES,
  LIMITS,
  type LimitChanges,
  type LimitName,
  loweredLimits,
  OWNER_LIMITS,
} from '../../wire/workspace-limits.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html, redirect } from '../html.ts'
import { note } from '../noted.ts'
import { may, type Viewer } from '../viewer.ts'
import { framed, heads, workspaceField } from './frame.ts'

export const PATH = '/dashboard/limits'
type Deps = Pick<PagesDeps, 'store' | 'taskService' | 'clock' | 'audit' | 'foundAt'>

/** What each limit is called, and what it means that there is none. */
const WORDS: Readonly<Record<LimitName, readonly [name: string, none: string]>> = {
  starts_per_minute: ['Task starts per minute', ''],
  running_tasks: ['Running tasks', ''],
  queued_tasks: ['Queued tasks', ''],
  browser_sessions: ['Paired browsers', ''],
  retention_days: ['Ended tasks are kept (days)', 'as long as the service keeps them'],
  retention_days_files: ['Screenshots and files are kept (days)', 'as long as their task'],
  retention_days_events: ['Events are kept (days)', 'as long as their task'],
  retention_days_audit: ['The audit log is kept (days)', 'as long as the service keeps it'],
  max_cost_usd_default: ['Cost of a task without a limit of its own (USD)', 'no limit'],
  max_cost_usd_max: ['Highest cost of a task (USD)', 'no limit'],
}

/** [O14] The limits of a workspace, how much of them is used, and a form in which its owners lower them. */
export async function limits(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  { store, taskService, clock }: Deps,
  failed?: string,
): Promise<Response> {
  const [set, left, sessions] = await Promise.all([
    store.limits.get(workspace.id),
    taskService.limitsLeft(workspace.id),
    taskService.sessions(workspace.id, null),
  ])
  const used: Partial<Record<LimitName, number>> = {
    starts_per_minute: left.startsPerMinute - left.starts,
    running_tasks: Math.max(0, left.runningTasks - left.slots),
    browser_sessions: sessions.filter(({ expiresAt }) => expiresAt > clock.now()).length,
  }
  const mayManage = may(viewer, workspace, 'manage')
  const content = html`${limitTable(set, used, mayManage)}`
  return framed(
    'Limits',
    { viewer, workspace, tab: PATH, status: failed === undefined ? 200 : 400 },
    html`${failed === undefined ? null : html`<p role="alert">${failed}</p>`}
<p>The operator of the service sets the limits of this workspace. Its owners can lower them, but not raise them.</p>
${
  mayManage
    ? html`<form method="post" action="${PATH}">${workspaceField(workspace)}
${content}
<p class="actions"><button class="main">Save</button> <span class="quiet">An empty field leaves the operator’s limit in force.</span></p>
</form>`
    : content
}`,
  )
}

function limitTable(set: SetLimits, used: Partial<Record<LimitName, number>>, mayManage: boolean): Html {
  const { own = {}, ...operators } = set
  const [allowed, inForce] = [allLimits(operators), allLimits(set)]
  const shown = (name: LimitName, value: AllLimits[keyof AllLimits]) =>
    value === null ? html`<span class="quiet">${WORDS[name][1]}</span>` : html`${value.toLocaleString('en')}`
  const rows = LIMIT_NAMES.map((name) => {
    const { field } = LIMITS[name]
    const [words] = WORDS[name]
    const cell = !OWNER_LIMITS.includes(name)
      ? html`<span class="quiet">set by the operator</span>`
      : mayManage
        ? html`<input name="${name}" inputmode="decimal" size="8" aria-label="${words}: own limit" value="${own[field] ?? ''}">`
        : html`${own[field] ?? html`<span class="quiet">not lowered</span>`}`
    return html`<tr role="row">
<th role="rowheader" scope="row" class="words">${words}</th>
<td role="cell" data-label="In force">${shown(name, inForce[field])}</td>
<td role="cell" data-label="In use">${used[name] ?? html`<span class="quiet">–</span>`}</td>
<td role="cell" data-label="Operator allows">${shown(name, allowed[field])}${field in operators ? null : html` <span class="quiet">(default)</span>`}</td>
<td role="cell" data-label="Own limit">${cell}</td>
</tr>
`
  })
  return html`<div class="table cards" role="region" aria-label="Limits" tabindex="0"><table role="table">
<caption>The limits of this workspace</caption>
${heads(['Limit', 'In force', 'In use', 'Operator allows', 'Own limit'])}
<tbody role="rowgroup">
${rows}</tbody>
</table></div>`
}

/** [O14] Saves the limits as the form has them. What an empty field stood for stays the operator's. */
export async function saveLimits(
  submitted: {
    readonly viewer: Viewer
    readonly workspace: WorkspaceRecord
    readonly form: URLSearchParams
    readonly request: Request
  },
  deps: Deps,
): Promise<Response> {
  const { viewer, workspace, form } = submitted
  const changes: LimitChanges = {}
  for (const name of OWNER_LIMITS) {
    const text = form.get(name)?.trim()
    if (text !== undefined) changes[name] = text === '' ? null : Number(text)
  }
  const own = loweredLimits(await deps.store.limits.get(workspace.id), changes)
  if (typeof own === 'string') {
    const [name = '', ...rest] = own.split(' ')
    const [words] = WORDS[name as LimitName]
    return limits(viewer, workspace, deps, `${words}: ${rest.join(' ')}.`)
  }
  await deps.store.limits.putOwn(workspace.id, own)
  const given = Object.entries(changes).filter(([, value]) => value !== null)
  note(deps, submitted, 'updateLimits', { details: Object.fromEntries(given) as Record<string, number> })
  return redirect(`${PATH}?workspace=${workspace.id}`, 303)
}
