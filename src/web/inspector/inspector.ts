import type { Request, Response } from '../../net/transport.ts'
import { command } from '../code-box.ts'
import { accountMenu } from '../dashboard/frame.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html, page } from '../html.ts'
import { may, type Viewer } from '../viewer.ts'
import { app } from './app.ts'

/** [P19] Everyone who lives, by kind, and in every detail the one that `?actor=` names. The page follows two streams. */
export async function inspectorPage(
  request: Pick<Request, 'query'>,
  viewer: Viewer,
  { inspector }: Pick<PagesDeps, 'inspector'>,
): Promise<Response> {
  const focus = new URLSearchParams(request.query).get('actor') ?? ''
  const kind = focus.split(':')[0] ?? ''
  const workspaces = viewer.workspaces.map((each) => ({
    id: each.id,
    name: each.name,
    mayAct: may(viewer, each, 'act'),
  }))
  const drawing = { kind, svg: focus === '' ? null : await inspector.svg(kind) }
  return page('Inspector', app({ page: 'inspector', focus, workspaces, nodes: inspector.nodes() }, drawing), {
    script: 'inspector.js',
    wide: true,
    area: '/inspector',
    account: accountOf(viewer),
  })
}

/** The signed-in part of the header; the operator of the service has none. */
export const accountOf = (viewer: Viewer): Html | null =>
  viewer.workspaces[0] ? accountMenu(viewer, viewer.workspaces[0]) : null

/** One drawing, for a page that shows another actor now. */
export async function drawingOf(name: string, { inspector }: Pick<PagesDeps, 'inspector'>): Promise<Response | null> {
  const svg = await inspector.svg(name)
  if (svg === null) return null
  return {
    status: 200,
    headers: [
      ['Content-Type', 'image/svg+xml'],
      ['Cache-Control', 'no-cache'],
    ],
    body: svg,
  }
}

/** The command that prints a link to all actors. */
const INSPECT = 'npx browser-task-service inspect'

/** How the operator comes in; nobody else can run it. */
export const forOperator = html`<details>
<summary class="quiet">Do you run this service?</summary>
<p>This command prints a link to all workspaces:</p>
${command(INSPECT)}
</details>`

/** What somebody reads who may not look; the sign-in leads back here. */
export function askWho({ path, query }: Pick<Request, 'path' | 'query'>): Response {
  const next = query === '' ? path : `${path}?${query}`
  return page(
    'Sign in to use the inspector',
    html`<p>The inspector shows what each task, browser and webhook delivery of your workspace does now, and replays tasks that have ended.</p>
<p class="actions"><a class="button" href="/dashboard?next=${encodeURIComponent(next)}">Sign in</a> <a class="button plain" href="/inspector/example">See a recorded task</a></p>
${forOperator}`,
    { status: 401, narrow: true, stranger: true, script: 'copy.js' },
  )
}
