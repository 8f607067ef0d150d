import type { Request, Response } from '../../http/transport.ts'
import { isUuid } from '../../wire/fields.ts'
import type { PagesDeps } from '../deps.ts'
import { html, page, redirect } from '../html.ts'
import { eventStream, plain } from '../streams.ts'
import { accessScopeOf, signedIn, type Viewer, viewerOf } from '../viewer.ts'
import { askWho, drawingOf, inspectorPage } from './inspector.ts'
import { replayPage } from './replay.ts'

const DRAWING = /^\/inspector\/drawings\/([a-z]+)$/
const LOOPBACK = /^(127\.|::1$)/

/** `/inspector`, what is streamed to it, and `/metrics`. Each workspace's actors are its own; the owner sees all. */
export function inspectorRoutes(deps: PagesDeps): (request: Request) => Promise<Response | null> {
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
      return viewer.kind === 'owner' ? redirect(`/inspector?actor=task:${encodeURIComponent(taskId)}`) : unknownTask
    if (task.status === 'running') return redirect(`/inspector?actor=task:${task.id}`)
    return replayPage(task, deps)
  }

  async function metrics(request: Request): Promise<Response> {
    // A proxy on this machine forwards what comes from elsewhere.
    const near = LOOPBACK.test(deps.foundAt(request).address) && request.headers['x-forwarded-for'] === undefined
    const viewer = near ? null : await viewerOf(request, deps)
    if (!near && viewer?.kind !== 'owner')
      return plain(403, "Metrics can be read on this machine only, or with the owner's key.\n")
    const { type, text } = await deps.metrics()
    return plain(200, text, type)
  }

  /** The owner's link: a session's cookie takes the place of its key, which leaves the address. */
  async function enter(request: Request, key: string): Promise<Response> {
    return (await deps.sessions.isOwner(key))
      ? redirect('/inspector', 303, [await signedIn(request, 'owner', key, deps)])
      : page(
          'Inspector',
          html`<p role="alert">Invalid owner key. <code>npx browser-task inspect</code> prints a valid link.</p>`,
          403,
        )
  }

  return async (request) => {
    const { path, query } = request
    if (path === '/metrics') return metrics(request)
    const asked = new URLSearchParams(query)
    const ownerKey = asked.get('owner')
    if (path === '/inspector' && ownerKey !== null) return enter(request, ownerKey)
    const drawing = DRAWING.exec(path)?.[1]
    // The drawings are in the docs too: they are nobody's secret.
    if (drawing !== undefined) return drawingOf(drawing, deps)
    if (path !== '/inspector' && path !== '/inspector/events') return null
    const viewer = await viewerOf(request, deps)
    if (!viewer) return path === '/inspector' ? askWho(401) : plain(401, 'Sign in, or send a secret key.\n')
    if (path === '/inspector') return mainPage(request, viewer)
    return eventStream(inspector.actors(accessScopeOf(viewer, request, deps), asked.get('actor') || null))
  }
}

const unknownTask = page('Replay', html`<p class="empty">Task not found in your workspace.</p>`, 404)
