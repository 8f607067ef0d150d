import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Request, Response } from '../../http/transport.ts'
import type { Right } from '../../roles.ts'
import { isUuid } from '../../wire/fields.ts'
import { removeKey } from '../../workspaces.ts'
import type { PagesDeps } from '../deps.ts'
import { html, page, redirect } from '../html.ts'
import { note } from '../noted.ts'
import { get, type PageRoute, post } from '../page-route.ts'
import { failedElsewhere, nextOf, notConfigured, signInPage, takeForm, takeKey } from '../sign-in.ts'
import { plain } from '../streams.ts'
import { dashboardUser, isOurs, may, namedWorkspace, signedOut, type Viewer, workspaceOf } from '../viewer.ts'
import { account as accountPage, changePassword } from './account.ts'
import { audit } from './audit.ts'
import { browsers, pairing } from './browsers.ts'
import { claim, claimPage } from './claim.ts'
import { notAllowed } from './frame.ts'
import { keys, makeKey } from './keys.ts'
import { limits, saveLimits } from './limits.ts'
import { memberForms } from './member-forms.ts'
import { members } from './members.ts'
import { overview } from './overview.ts'
import { taskPage } from './task.ts'
import { usage } from './usage.ts'
import { endpointPage, webhooks } from './webhooks.ts'

/** The newest picture of a task is looked for among so many. */
const EVENTS_LOOKED_AT = 100

/** Who sent a form, and what is in it. */
interface Submitted {
  readonly viewer: Viewer
  readonly workspace: WorkspaceRecord
  readonly form: URLSearchParams
  readonly request: Request
}
type View = (viewer: Viewer, workspace: WorkspaceRecord, ...params: string[]) => Promise<Response>
type Action = (submitted: Submitted, ...params: string[]) => Promise<Response | null>

/** Everything under `/dashboard`: pages for GET, and forms for POST, which are accepted from pages of this service only. */
export function dashboardRoutes(deps: PagesDeps): readonly PageRoute[] {
  const { accounts, providers, taskService, store, pairings } = deps

  const view = (path: string, run: View) =>
    get(path, async (request, ...params) => {
      const viewer = await dashboardUser(request, deps)
      return viewer ? run(viewer, workspaceOf(viewer, request), ...params) : signIn(request)
    })
  const form = (
    path: string,
    run: (request: Request, form: URLSearchParams, ...params: string[]) => ReturnType<Action>,
  ) =>
    post(path, async (request, ...params) => {
      if (!isOurs(request, deps.config.publicUrl)) return plain(403, 'This request did not come from this site.\n')
      return run(request, new URLSearchParams(new TextDecoder().decode(request.body)), ...params)
    })
  const action = (path: string, right: Right, run: Action) =>
    form(path, async (request, form, ...params) => {
      const viewer = await dashboardUser(request, deps)
      if (!viewer) return redirect('/dashboard', 303)
      const workspace = namedWorkspace(viewer, form.get('workspace'))
      if (!may(viewer, workspace, right)) return notAllowed(viewer, workspace)
      return run({ viewer, workspace, form, request }, ...params)
    })
  // The sign-in library checks the origin of these itself.
  const account = (path: string) => post(path, (request) => (accounts ? takeForm(request, accounts, deps) : null))

  /** The link that was opened is gone on to after the sign-in. */
  const signIn = (request: Request): Response => {
    const { path, query } = request
    if (path === '/dashboard') {
      const next = nextOf(new URLSearchParams(query).get('next'))
      const options = { ...failedElsewhere(request), ...(next === null ? {} : { next }) }
      return accounts ? signInPage({ providers, signUp: accounts.signUp, ...options }) : notConfigured(null, next)
    }
    const next = nextOf(query === '' ? path : `${path}?${query}`)
    return redirect(next === null ? '/dashboard' : `/dashboard?next=${encodeURIComponent(next)}`)
  }

  /** A task is looked for in all workspaces of the viewer: a link to it need not name one. */
  async function findTask(viewer: Viewer, taskId: string) {
    for (const workspace of isUuid(taskId) ? viewer.workspaces : []) {
      const task = await taskService.task(workspace.id, taskId)
      if (task) return { workspace, task }
    }
    return null
  }

  async function showTask(viewer: Viewer, _: WorkspaceRecord, taskId = ''): Promise<Response> {
    const found = await findTask(viewer, taskId)
    return found ? taskPage(viewer, found.workspace, found.task, deps) : noTask
  }

  async function showScreenshot(viewer: Viewer, _: WorkspaceRecord, taskId = '', number = ''): Promise<Response> {
    const found = /^\d{1,6}$/.test(number) ? await findTask(viewer, taskId) : null
    const image = found && (await store.image(taskId, Number(number)))
    return image ? picture(image) : noTask
  }

  /** The newest picture of a task. */
  async function showPicture(viewer: Viewer, _: WorkspaceRecord, taskId = ''): Promise<Response> {
    const found = await findTask(viewer, taskId)
    const number = found && ((await newestPicture(taskId)) ?? (await newestScreenshot(found.workspace.id, taskId)))
    const image = number === null ? null : await store.image(taskId, number)
    return image ? picture(image) : noPicture
  }

  /** Among its last events: each call that acts has one. */
  async function newestPicture(taskId: string): Promise<number | null> {
    const { events } = taskService
    const after = Math.max(0, (await events.lastOfTask(taskId)) - EVENTS_LOOKED_AT)
    const last = (await events.ofTask(taskId, after, EVENTS_LOOKED_AT)).findLast(
      ({ event }) => event.type === 'picture.taken',
    )
    return last?.event.type === 'picture.taken' ? last.event.picture : null
  }

  /** Of a browser that sends no pictures. */
  async function newestScreenshot(workspaceId: string, taskId: string): Promise<number | null> {
    const steps = await taskService.steps(workspaceId, taskId)
    return steps?.findLast(({ screenshot }) => screenshot !== null)?.screenshot ?? null
  }

  /** Like a task, an endpoint is looked for in all workspaces of the viewer. */
  async function showEndpoint(viewer: Viewer, _: WorkspaceRecord, id = ''): Promise<Response> {
    for (const workspace of isUuid(id) ? viewer.workspaces : []) {
      const shown = await endpointPage(viewer, workspace, id, deps)
      if (shown) return shown
    }
    return noEndpoint
  }

  async function deleteKey(submitted: Submitted, id = ''): Promise<Response | null> {
    const { workspace } = submitted
    if (!isUuid(id)) return null
    if (await removeKey(deps, workspace.id, id)) note(deps, submitted, 'deleteApiKey', { resource: id })
    return redirect(`/dashboard/keys?workspace=${workspace.id}`, 303)
  }

  async function signOut(request: Request): Promise<Response> {
    const viewer = await dashboardUser(request, deps)
    const forgotten = await signedOut(request, 'key', deps)
    // What users with an account do is noted where the library does it.
    if (viewer?.kind === 'key') note(deps, { viewer, workspace: namedWorkspace(viewer, null), request }, 'signOut')
    const answer = accounts ? await takeForm(request, accounts, deps) : redirect('/dashboard', 303)
    return { ...answer, headers: [...answer.headers, forgotten] }
  }

  return [
    view('/dashboard', (viewer, workspace) => overview(viewer, workspace, deps)),
    view('/dashboard/browsers', (viewer, workspace) => browsers(viewer, workspace, deps)),
    view('/dashboard/keys', (viewer, workspace) => keys(viewer, workspace, deps)),
    view('/dashboard/webhooks', (viewer, workspace) => webhooks(viewer, workspace, deps)),
    view('/dashboard/webhooks/:id', showEndpoint),
    view('/dashboard/usage', (viewer, workspace) => usage(viewer, workspace, deps)),
    view('/dashboard/tasks/:id', showTask),
    view('/dashboard/tasks/:id/screenshots/:number', showScreenshot),
    view('/dashboard/tasks/:id/picture', showPicture),
    view('/dashboard/limits', (viewer, workspace) => limits(viewer, workspace, deps)),
    action('/dashboard/limits', 'manage', (submitted) => saveLimits(submitted, deps)),
    get('/dashboard/audit', async (request) => {
      const viewer = await dashboardUser(request, deps)
      return viewer ? audit(viewer, workspaceOf(viewer, request), request.query, deps) : signIn(request)
    }),
    get('/dashboard/account', async (request) => {
      const viewer = await dashboardUser(request, deps)
      if (!viewer) return signIn(request)
      const said =
        request.query === 'changed' ? { done: 'Your password is changed. All other devices are signed out.' } : {}
      return accountPage(viewer, workspaceOf(viewer, request), request, deps, said)
    }),
    action('/dashboard/account/password', 'read', ({ viewer, workspace, form, request }) =>
      changePassword(viewer, workspace, form, request, deps),
    ),
    view('/dashboard/members', (viewer, workspace) => members(viewer, workspace, deps)),
    ...Object.entries(memberForms(deps)).map(([path, [right, run]]) => action(`/dashboard/members${path}`, right, run)),
    get('/dashboard/claim', (request) => claimPage(request, deps)),
    form('/dashboard/claim', (request, fields) => claim(request, fields, deps)),
    account('/dashboard/sign-in'),
    account('/dashboard/sign-up'),
    form('/dashboard/sign-out', signOut),
    form('/dashboard/key', (request, fields) => takeKey(request, fields, deps)),
    action('/dashboard/pair', 'act', async (submitted) => {
      const { viewer, workspace, form, request } = submitted
      const made = await pairing(viewer, workspace, form.get('label') ?? '', deps.foundAt(request).origin, pairings)
      if (made.status === 200) note(deps, submitted, 'createPairing')
      return made
    }),
    action('/dashboard/keys', 'manage', ({ viewer, workspace, form, request }) =>
      makeKey(viewer, workspace, form, request, deps),
    ),
    action('/dashboard/keys/:id/remove', 'manage', deleteKey),
  ]
}

const picture = (image: Uint8Array): Response => ({
  status: 200,
  headers: [
    ['Content-Type', 'image/jpeg'],
    ['Cache-Control', 'private, max-age=3600'],
    ['X-Content-Type-Options', 'nosniff'],
  ],
  body: image,
})

const noEndpoint = page(
  'Webhooks',
  html`<p class="empty">Webhook endpoint not found in your workspace. <a href="/dashboard/webhooks">All endpoints</a></p>`,
  404,
)

/** Of a task without pictures: an empty one, so that no reader's console complains. */
const noPicture = plain(200, '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml')

const noTask = page(
  'Task',
  html`<p class="empty">Task not found in your workspace. <a href="/dashboard">All tasks</a></p>`,
  404,
)
