import type { WorkspaceRecord } from '../../../machines/records.ts'
import { REFUSALS } from '../../../machines/texts.ts'
import { isUuid } from '../../../machines/uuid.ts'
import { once } from '../../config/once.ts'
import { roleOf } from '../../identity/roles.ts'
import type { Request, Response } from '../../net/transport.ts'
import { connectRoutes } from '../connect.ts'
import type { PagesDeps } from '../deps.ts'
import { html, redirect } from '../html.ts'
import { get, type PageRoute, post } from '../page-route.ts'
import { failedElsewhere, nextOf, notConfigured, noteKey, signInPage, takeForm, takeKey } from '../sign-in.ts'
import { dashboardUser, may, signedOut, type Viewer, workspaceOf } from '../viewer.ts'
import { type AppProps, app } from './app.ts'
import { claimPage } from './claim.ts'
import { type Frame, framed, notAllowed, notFound } from './frame.ts'
import { taskPage } from './task.ts'
import { disabledAlert, endpointPage, webhooks } from './webhooks.ts'

/** The newest picture of a task is looked for among so many. */
const EVENTS_LOOKED_AT = 100

type View = (viewer: Viewer, workspace: WorkspaceRecord, ...params: string[]) => Promise<Response> | Response

/** Everything under `/dashboard`: pages over the API, and the forms by which people sign in and out. */
export function dashboardRoutes(deps: PagesDeps): readonly PageRoute[] {
  const { accounts, providers, taskService, store, endpoints } = deps
  const operations = once(() => operationsOf(deps.openApi()))

  const view = (path: string, run: View) =>
    get(path, async (request, ...params) => {
      const viewer = await dashboardUser(request, deps)
      return viewer ? run(viewer, workspaceOf(viewer, request), ...params) : signIn(request)
    })
  /** A page that reads the API, with what the API does not tell of its reader; `instead`: another one for some. */
  const live = (
    path: Extract<Frame['tab'], string>,
    title: string,
    name: AppProps['page'],
    instead: (viewer: Viewer, workspace: WorkspaceRecord) => Response | null = () => null,
  ) =>
    view(path, (viewer, workspace) => {
      const { id: workspaceId, name: workspaceName } = workspace
      const mayManage = may(viewer, workspace, 'manage')
      const mayAct = may(viewer, workspace, 'act')
      const props = { page: name, workspaceId, workspaceName, mayManage, mayAct, keyId: viewer.keyId }
      return instead(viewer, workspace) ?? framed(title, { viewer, workspace, tab: path }, app(props))
    })
  const account = (path: string) => post(path, (request) => (accounts ? takeForm(request, accounts, deps) : null))

  /** The link that was opened is gone on to after the sign-in. */
  const signIn = (request: Request): Response => {
    const { path, query } = request
    if (path === '/dashboard') {
      const next = nextOf(new URLSearchParams(query).get('next') ?? (query === '' ? null : `${path}?${query}`))
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

  async function showTask(viewer: Viewer, workspace: WorkspaceRecord, taskId = ''): Promise<Response> {
    const found = await findTask(viewer, taskId)
    return found ? taskPage(viewer, found.workspace, found.task, deps) : notFound(viewer, workspace, 'task')
  }

  async function showScreenshot(viewer: Viewer, workspace: WorkspaceRecord, taskId = '', number = '') {
    const found = /^\d{1,6}$/.test(number) ? await findTask(viewer, taskId) : null
    const image = found && (await store.image(taskId, Number(number)))
    return image ? picture(image) : notFound(viewer, workspace, 'picture')
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
  async function showEndpoint(viewer: Viewer, shownIn: WorkspaceRecord, id = ''): Promise<Response> {
    for (const workspace of isUuid(id) ? viewer.workspaces : []) {
      const shown = await endpointPage(viewer, workspace, id, deps)
      if (shown) return shown
    }
    return notFound(viewer, shownIn, 'endpoint')
  }

  async function showRecipe(viewer: Viewer, shownIn: WorkspaceRecord, id = ''): Promise<Response> {
    const recipe = isUuid(id) ? await store.recipes.get(id) : null
    const workspace = viewer.workspaces.find((each) => each.id === recipe?.workspaceId)
    if (!recipe || !workspace) return notFound(viewer, shownIn, 'recipe')
    const props = { workspaceId: workspace.id, recipeId: id, mayAct: may(viewer, workspace, 'act') }
    const path = '/dashboard/recipes'
    const frame = { viewer, workspace, tab: path, parent: [path, 'Recipes'] } as const
    return framed(recipe.task, frame, app({ page: 'recipe', ...props }))
  }

  /** [P10] The tasks of a workspace and a form to start one. */
  async function overview(viewer: Viewer, workspace: WorkspaceRecord): Promise<Response> {
    const hooks = await endpoints.list(workspace.id)
    const mayAct = may(viewer, workspace, 'act')
    const offer = mayAct ? ((await deps.tryOut?.offer()) ?? null) : null
    const models = taskService.models().filter((id) => id !== offer?.model)
    return framed(
      'Tasks',
      { viewer, workspace, tab: '/dashboard', script: 'tasks.js' },
      html`${deps.modelConfigured ? null : html`<p role="alert">${REFUSALS.model_not_configured}</p>`}
${viewer.kind === 'key' && accounts && workspace.members.length === 0 ? CLAIM : null}${disabledAlert(hooks, workspace)}
${app({ page: 'tasks', workspaceId: workspace.id, mayAct, models, offer, ownPool: deps.ownPool })}`,
    )
  }

  async function browsers(viewer: Viewer, workspace: WorkspaceRecord): Promise<Response> {
    const names = Object.fromEntries((await store.keys.list(workspace.id)).map(({ id, name }) => [id, name]))
    const props = { page: 'browsers', workspaceId: workspace.id, mayAct: may(viewer, workspace, 'act') } as const
    return framed('Browsers', { viewer, workspace, tab: '/dashboard/browsers' }, app({ ...props, keys: names }))
  }

  /** [A32] The account of who is signed in. */
  async function showAccount(request: Request, viewer: Viewer, workspace: WorkspaceRecord): Promise<Response> {
    const frame = { viewer, workspace, tab: null }
    if (viewer.kind !== 'member' || !accounts) {
      return framed(
        'Account',
        frame,
        html`<p>You are signed in with a secret key, which has no account. <a href="/dashboard/keys">Keys</a></p>`,
      )
    }
    const { hasPassword } = await accounts.confirm(request.headers, '')
    const { name, userId, workspaces: all } = viewer
    const workspaces = all.map((each) => ({ id: each.id, name: each.name, role: roleOf(each, userId ?? '') }))
    const props = { page: 'account', workspaceId: workspace.id, hasPassword, name, workspaces } as const
    return framed('Account', frame, app(props))
  }

  async function signOut(request: Request): Promise<Response> {
    const viewer = await dashboardUser(request, deps)
    const forgotten = await signedOut(request, 'key', deps)
    if (viewer) noteKey('signOut', viewer, request, deps)
    const answer = accounts ? await takeForm(request, accounts, deps) : redirect('/dashboard', 303)
    return { ...answer, headers: [...answer.headers, forgotten] }
  }

  return [
    view('/dashboard', overview),
    view('/dashboard/browsers', browsers),
    live('/dashboard/profiles', 'Profiles', 'profiles'),
    live('/dashboard/keys', 'Keys', 'keys'),
    view('/dashboard/webhooks', (viewer, workspace) => webhooks(viewer, workspace, deps)),
    view('/dashboard/webhooks/:id', showEndpoint),
    live('/dashboard/recipes', 'Recipes', 'recipes'),
    view('/dashboard/recipes/:id', showRecipe),
    live('/dashboard/usage', 'Usage', 'usage'),
    view('/dashboard/tasks/:id', showTask),
    view('/dashboard/tasks/:id/screenshots/:number', showScreenshot),
    view('/dashboard/tasks/:id/picture', showPicture),
    live('/dashboard/limits', 'Limits', 'limits'),
    view('/dashboard/audit', (viewer, workspace) =>
      may(viewer, workspace, 'manage')
        ? framed(
            'Audit log',
            { viewer, workspace, tab: '/dashboard/audit' },
            app({ page: 'audit', workspaceId: workspace.id, operations: operations() }),
          )
        : notAllowed(viewer, workspace),
    ),
    get('/dashboard/account', async (request) => {
      const viewer = await dashboardUser(request, deps)
      return viewer ? showAccount(request, viewer, workspaceOf(viewer, request)) : signIn(request)
    }),
    live('/dashboard/members', 'Members', 'members', (viewer, workspace) =>
      viewer.kind === 'member' ? null : membersForKeys(viewer, workspace),
    ),
    get('/dashboard/claim', (request) => claimPage(request, deps)),
    ...connectRoutes(deps, signIn),
    account('/dashboard/sign-in'),
    account('/dashboard/sign-up'),
    post('/dashboard/sign-out', signOut),
    post('/dashboard/key', (request) => takeKey(request, deps)),
  ]
}

/** [A38] For who is signed in with a key of a workspace that has no members. */
const CLAIM = html`<p class="notice">This workspace is opened by its keys alone. <a href="/dashboard/claim">Create an account</a> to sign in without a key, and to invite others.</p>`

const membersForKeys = (viewer: Viewer, workspace: WorkspaceRecord): Response =>
  framed(
    'Members',
    { viewer, workspace, tab: '/dashboard/members' },
    workspace.members.length === 0
      ? html`<p>Nobody has an account in this workspace yet: it is used by its keys alone. Create an account to sign in without a key and to invite others.</p>
<p><a class="button" href="/dashboard/claim?workspace=${workspace.id}">Create an account for this workspace</a></p>`
      : html`<p>You are signed in with a key. Members are managed by owners who sign in with their account.</p>`,
  )

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>

/** The names of what changes something over the API. */
const operationsOf = ({ paths }: { readonly paths?: unknown }): readonly string[] =>
  Object.values((paths ?? {}) as Paths)
    .flatMap((methods) => Object.entries(methods))
    .flatMap(([method, { operationId }]) => (method === 'get' ? [] : (operationId ?? [])))

const picture = (image: Uint8Array | string, type = 'image/jpeg'): Response => ({
  status: 200,
  headers: [
    ['Content-Type', type],
    ['Cache-Control', 'private, max-age=3600'],
    ['X-Content-Type-Options', 'nosniff'],
  ],
  body: image,
})

/** Of a task without pictures: an empty one, so that no reader's console complains. */
const noPicture = picture('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml')
