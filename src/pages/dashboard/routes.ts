import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Request, Response } from '../../http/transport.ts'
import { createPairings } from '../../pairings.ts'
import { isUuid } from '../../wire/fields.ts'
import { parseBody } from '../../wire/parse.ts'
import { CreateTaskBody } from '../../wire/tasks.ts'
import { removeKey } from '../../workspaces.ts'
import type { PagesDeps } from '../deps.ts'
import { html, isRead, page, redirect } from '../html.ts'
import { isForm, notConfigured, signInPage, takeForm, takeKey } from '../sign-in.ts'
import { eventStream, plain } from '../streams.ts'
import { accessScopeOf, isOurs, signedOut, type Viewer, workerOf, workspaceOf } from '../viewer.ts'
import { browsers, pairing } from './browsers.ts'
import { keys, makeKey } from './keys.ts'
import { overview } from './overview.ts'
import { taskPage } from './task.ts'
import { usage } from './usage.ts'

const TASK = /^\/dashboard\/tasks\/([^/]+)(?:\/(cancel|screenshots\/(\d{1,6})))?$/
const REMOVE = /^\/dashboard\/(browsers|keys)\/([^/]+)\/remove$/
const ALLOW = /^\/dashboard\/browsers\/([^/]+)\/(allow|deny)-tasks$/

/** Everything under `/dashboard`: it reads with GET, and does with forms that stood on a page of ours. */
export function dashboardRoutes(deps: PagesDeps): (request: Request) => Promise<Response | null> | null {
  const { accounts, google, taskService, store, config } = deps
  const pairings = createPairings(deps)
  const known = (path: string) =>
    READ.has(path) || DO.has(path) || TASK.test(path) || REMOVE.test(path) || ALLOW.test(path)

  async function read(request: Request): Promise<Response | null> {
    const { path } = request
    const viewer = await workerOf(request, deps)
    if (!viewer) return path === '/dashboard/events' ? plain(401, 'Sign in first.\n') : stranger(path)
    const workspace = workspaceOf(viewer, request)
    if (path === '/dashboard/events')
      return eventStream(deps.inspector.changes(accessScopeOf(viewer, request, deps), workspace.id))
    const [, taskId, , shot] = TASK.exec(path) ?? []
    if (taskId !== undefined) return aTask(viewer, taskId, shot ?? null)
    return (await READ.get(path)?.(viewer, workspace)) ?? null
  }

  const stranger = (path: string): Response => {
    if (path !== '/dashboard') return redirect('/dashboard')
    return accounts ? signInPage({ google }) : notConfigured()
  }

  /** A task is looked for in all workspaces of the viewer: a link to it need not name one. */
  async function aTask(viewer: Viewer, taskId: string, shot: string | null): Promise<Response> {
    for (const workspace of isUuid(taskId) ? viewer.workspaces : []) {
      const task = await taskService.task(workspace.id, taskId)
      if (!task) continue
      if (shot === null) return taskPage(viewer, workspace, task, deps)
      const image = await store.steps.screenshotNumbered(taskId, Number(shot))
      return image ? picture(image) : noTask
    }
    return noTask
  }

  const READ = new Map<string, (viewer: Viewer, workspace: WorkspaceRecord) => Promise<Response>>([
    ['/dashboard', (viewer, workspace) => overview(viewer, workspace, deps)],
    ['/dashboard/browsers', (viewer, workspace) => browsers(viewer, workspace, deps)],
    ['/dashboard/keys', (viewer, workspace) => keys(viewer, workspace, deps)],
    ['/dashboard/usage', (viewer, workspace) => usage(viewer, workspace, deps)],
    ['/dashboard/events', async () => noTask],
  ])

  type Doing = (
    viewer: Viewer,
    workspace: WorkspaceRecord,
    form: URLSearchParams,
    request: Request,
  ) => Promise<Response>
  const DO = new Map<string, Doing>([
    ['/dashboard/tasks', startTask],
    [
      '/dashboard/pair',
      (viewer, workspace, _, request) => pairing(viewer, workspace, deps.foundAt(request).origin, pairings),
    ],
    ['/dashboard/keys', (viewer, workspace, form, request) => makeKey(viewer, workspace, form, request, deps)],
  ])

  async function startTask(viewer: Viewer, workspace: WorkspaceRecord, form: URLSearchParams): Promise<Response> {
    const asked = {
      task: form.get('task'),
      url: form.get('url') || null,
      browser_session_id: form.get('browser_session_id'),
    }
    const parsed = parseBody(CreateTaskBody, asked)
    if (!parsed.ok) return overview(viewer, workspace, deps, { message: parsed.message, status: 400 })
    const { task, url, browser_session_id: browserSessionId } = parsed.value
    const answer = await taskService.startTask({
      door: 'http',
      workspaceId: workspace.id,
      apiKeyId: viewer.keyId ?? (await taskService.payingKey(workspace.id)),
      requestId: null,
      request: { task, url, context: null, browserSessionId, webhookUrl: null },
    })
    if (!answer.ok) return overview(viewer, workspace, deps, { message: answer.refusal.message, status: 409 })
    return redirect(`/dashboard/tasks/${answer.task.id}?workspace=${workspace.id}`, 303)
  }

  async function act(request: Request): Promise<Response | null> {
    const { path } = request
    const form = new URLSearchParams(new TextDecoder().decode(request.body))
    // The sign-in library looks itself where the other forms stood.
    if (path === '/dashboard/sign-out' && isOurs(request, config.publicUrl)) return signOut(request)
    if (isForm(path) && path !== '/dashboard/sign-out') return accounts ? takeForm(request, accounts, google) : null
    if (!isOurs(request, config.publicUrl)) return plain(403, 'This request did not come from this site.\n')
    if (path === '/dashboard/key') return takeKey(request, form, deps)
    if (!known(path)) return null
    const viewer = await workerOf(request, deps)
    if (!viewer) return redirect('/dashboard', 303)
    const workspace = workspaceOf(viewer, {
      query: new URLSearchParams({ workspace: form.get('workspace') ?? '' }).toString(),
    })
    const doing = DO.get(path)
    if (doing) return doing(viewer, workspace, form, request)
    const [, taskId, doingToTask] = TASK.exec(path) ?? []
    if (doingToTask === 'cancel' && isUuid(taskId ?? '')) return cancel(workspace, taskId ?? '')
    const [, sessionId = '', allow] = ALLOW.exec(path) ?? []
    if (allow !== undefined) return allowTasks(workspace, sessionId, allow === 'allow')
    const [, things, id = ''] = REMOVE.exec(path) ?? []
    if (things === undefined || !isUuid(id)) return null
    if (things === 'browsers') await taskService.removeSession(workspace.id, null, id)
    else await removeKey(deps, workspace.id, id)
    return redirect(`/dashboard/${things}?workspace=${workspace.id}`, 303)
  }

  /** [S18] */
  async function allowTasks(workspace: WorkspaceRecord, sessionId: string, allow: boolean): Promise<Response | null> {
    const session = isUuid(sessionId) ? await store.sessions.get(sessionId) : null
    if (session?.workspaceId !== workspace.id) return null
    await store.sessions.update(sessionId, { allowTasks: allow })
    return redirect(`/dashboard/browsers?workspace=${workspace.id}`, 303)
  }

  async function cancel(workspace: WorkspaceRecord, taskId: string): Promise<Response> {
    await taskService.cancelTask(workspace.id, taskId)
    return redirect(`/dashboard/tasks/${taskId}?workspace=${workspace.id}`, 303)
  }

  async function signOut(request: Request): Promise<Response> {
    const forgotten = await signedOut(request, 'key', deps)
    const answer = accounts ? await takeForm(request, accounts, google) : redirect('/dashboard', 303)
    return { ...answer, headers: [...answer.headers, forgotten] }
  }

  return (request) => {
    if (request.method === 'POST') return act(request)
    return isRead(request) && known(request.path) && !isDoingOnly(request.path) ? read(request) : null
  }

  function isDoingOnly(path: string): boolean {
    return (DO.has(path) && !READ.has(path)) || REMOVE.test(path) || ALLOW.test(path) || path.endsWith('/cancel')
  }
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

const noTask = page(
  'Task',
  html`<p class="empty">Task not found in your workspace. <a href="/dashboard">All tasks</a></p>`,
  404,
)
