import type { PagesPort } from '../http/deps.ts'
import type { Request, Response } from '../http/transport.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import type { PagesDeps } from './deps.ts'
import { isDocsPath, openDocs } from './docs/docs.ts'
import { html, isRead, page, redirect } from './html.ts'
import { inspectorRoutes } from './inspector/routes.ts'
import { isPairPath, pairPage } from './pair.ts'
import { isStaticPath, openStatic } from './static.ts'

export type { PagesDeps } from './deps.ts'

/** Answers a path of its own, or `null`. */
export type Pages = (request: Request) => Response | Promise<Response | null> | null

/** [P1–P3] The pages: dashboard with sign-in, inspector, docs, pairing, static files, metrics. */
export async function openPages(deps: PagesDeps): Promise<PagesPort> {
  const [docs, files] = await Promise.all([openDocs(deps), openStatic()])
  const { pairings, workspaces } = deps.store
  const pairing = { pairings, workspaces, clock: deps.clock, foundAt: deps.foundAt }
  const dashboard = dashboardRoutes(deps)
  const inspector = inspectorRoutes(deps)

  function answer(request: Request): ReturnType<Pages> {
    const { path } = request
    if (isStaticPath(path)) return (isRead(request) ? files(request) : null) ?? notFound
    if (path.startsWith('/dashboard')) return dashboard(request)
    if (!isRead(request)) return null
    if (path === '/') return redirect('/dashboard')
    if (path === '/inspector' || path.startsWith('/inspector/') || path === '/metrics') return inspector(request)
    if (isDocsPath(path)) return docs(path)
    return isPairPath(path) ? pairPage(request, pairing) : null
  }

  return async (request) => {
    try {
      return await answer(request)
    } catch (err) {
      deps.log.error({ err, path: request.path.replace(/^\/pair\/.*/, '/pair/…') }, 'A page failed')
      return failed
    }
  }
}

const failed = page('Something went wrong', html`<p>This page could not be made. Try again in a moment.</p>`, 500)

/** Answered here, because the next handler would require a key first. */
const notFound: Response = {
  status: 404,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({ error: 'Not found', code: 'not_found' }),
}
