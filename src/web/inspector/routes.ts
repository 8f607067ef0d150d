import { isUuid } from '../../../machines/uuid.ts'
import { bearerOf } from '../../identity/bearer.ts'
import { hashToken } from '../../identity/tokens.ts'
import type { Request, Response } from '../../net/transport.ts'
import type { PagesDeps } from '../deps.ts'
import { html, page, redirect, shortened } from '../html.ts'
import { get, type PageRoute } from '../page-route.ts'
import { eventStream, plain } from '../streams.ts'
import { accessScopeOf, signedIn, type Viewer, viewerOf } from '../viewer.ts'
import { accountOf, askWho, drawingOf, forOperator, inspectorPage } from './inspector.ts'
import { examplePage, replayPage, traceOf } from './replay.ts'

const LOOPBACK = /^(127\.|::1$)/

/** `/inspector`, its event stream and drawings, and `/metrics`. Members see the actors of their workspaces, the owner sees all. */
export function inspectorRoutes(deps: PagesDeps): readonly PageRoute[] {
  const { inspector } = deps

  async function taskOf(viewer: Viewer, taskId: string) {
    if (!isUuid(taskId)) return null
    for (const { id } of viewer.workspaces) {
      const task = await deps.taskService.task(id, taskId)
      if (task) return task
    }
    return null
  }

  async function mainPage(request: Request, viewer: Viewer): Promise<Response> {
    const taskId = new URLSearchParams(request.query).get('task')
    if (taskId === null) return inspectorPage(request, viewer, deps)
    const task = await taskOf(viewer, taskId)
    if (!task)
      return viewer.kind === 'owner'
        ? redirect(`/inspector?actor=task:${encodeURIComponent(taskId)}`)
        : unknownTask(taskId, viewer)
    if (task.status === 'running') return redirect(`/inspector?actor=task:${task.id}`)
    return replayPage(task, viewer, deps)
  }

  /** [O5] Compares hashes, so that the time it takes says nothing about the token. */
  const isScraper = ({ headers }: Request): boolean => {
    const bearer = bearerOf(headers.authorization)
    return bearer !== null && deps.metricsToken !== null && hashToken(bearer) === hashToken(deps.metricsToken)
  }

  async function metrics(request: Request): Promise<Response> {
    // A proxy on this machine forwards what comes from elsewhere.
    const near =
      LOOPBACK.test(deps.requestOriginOf(request).address) && request.headers['x-forwarded-for'] === undefined
    if (!near && !isScraper(request) && (await viewerOf(request, deps))?.kind !== 'owner')
      return plain(403, "Metrics can be read on this machine, with METRICS_TOKEN, or with the owner's key.\n")
    const { type, text } = await deps.metrics()
    return plain(200, text, type)
  }

  /** The owner's link: a session's cookie takes the place of its key, which leaves the address. */
  async function enter(request: Request, key: string): Promise<Response> {
    if (!(await deps.sessions.isOwner(key))) return notOwner
    const { address } = deps.requestOriginOf(request)
    const actor = { kind: 'owner', id: null, name: 'service owner', role: null } as const
    deps.audit?.note({ workspaceId: null, action: 'signIn', actor, address })
    return redirect('/inspector', 303, [await signedIn(request, 'owner', key, deps)])
  }

  return [
    get('/inspector', async (request) => {
      const ownerKey = new URLSearchParams(request.query).get('owner')
      if (ownerKey !== null) return enter(request, ownerKey)
      const viewer = await viewerOf(request, deps)
      return viewer ? mainPage(request, viewer) : askWho(request)
    }),
    get('/inspector/example', () => examplePage(deps)),
    get('/inspector/events', async (request) => {
      const viewer = await viewerOf(request, deps)
      if (!viewer) return plain(401, 'Sign in, or send a secret key.\n')
      const focus = new URLSearchParams(request.query).get('actor')
      const scope = accessScopeOf(viewer, request, deps)
      return eventStream(focus === null ? inspector.actors(scope) : inspector.actor(scope, focus))
    }),
    get('/inspector/traces/:id', async (request, id = '') => {
      const viewer = await viewerOf(request, deps)
      const task = viewer && (await taskOf(viewer, id))
      return task ? traceOf(task.id, deps) : plain(404, 'Task not found.\n')
    }),
    get('/inspector/requests/:id/:step', async (request, id = '', step = '') => {
      const viewer = await viewerOf(request, deps)
      const task = viewer && (await taskOf(viewer, id))
      const sent = task && (await deps.requestOf(task, Number(step)))
      return sent ? plain(200, JSON.stringify(sent), 'application/json') : plain(404, 'Request not found.\n')
    }),
    // The docs show the drawings too, to everybody.
    get('/inspector/drawings/:name', (_, name = '') => drawingOf(name, deps)),
    get('/inspector/sentences', async () =>
      plain(200, JSON.stringify(await inspector.sentences()), 'application/json'),
    ),
    get('/metrics', metrics),
  ]
}

const signedInAs = ({ kind, name }: Viewer): string =>
  kind === 'key' ? `with the key “${name.replace(/^Key /, '')}”` : `as ${name}`

/** [P41] Nobody learns whether it is there. */
const unknownTask = (taskId: string, viewer: Viewer): Response =>
  page(
    'Task not found',
    html`<p>There is no task <code>${shortened(taskId)}</code>, or it belongs to a workspace that you are not a member of. You are signed in ${signedInAs(viewer)}.</p>
<p class="actions"><a class="button" href="/dashboard">All tasks</a> <a class="button plain" href="/inspector">All actors</a></p>`,
    { status: 404, narrow: true, area: '/inspector', account: accountOf(viewer) },
  )

const notOwner = page(
  'This link does not open the inspector',
  html`<p>Sign in to see your own workspace.</p>
<p><a class="button" href="/dashboard?next=%2Finspector">Sign in</a></p>
${forOperator}`,
  { status: 403, narrow: true, stranger: true, script: 'copy.js' },
)
