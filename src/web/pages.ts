import type { PagesPort } from '../api/deps.ts'
import { routerOf } from '../api/router.ts'
import type { Response } from '../net/transport.ts'
import { errorBody } from '../wire/errors.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import type { PagesDeps } from './deps.ts'
import { docsRoutes } from './docs/docs.ts'
import { LLMS_TXT } from './docs/frame.ts'
import { html, isRead, page, redirect } from './html.ts'
import { inspectorRoutes } from './inspector/routes.ts'
import { inviteRoutes } from './invite.ts'
import { get } from './page-route.ts'
import { pairRoutes } from './pair.ts'
import { passwordRoutes } from './password.ts'
import { isStaticPath, openStatic } from './static.ts'
import { plain } from './streams.ts'

export type { PagesDeps } from './deps.ts'

/** [P1–P3] The pages: dashboard with sign-in, inspector, docs, pairing, static files, metrics. */
export async function openPages(deps: PagesDeps): Promise<PagesPort> {
  const [docs, files] = await Promise.all([docsRoutes(deps), openStatic()])
  const { pairings, workspaces } = deps.store
  const extension = extensionRoute(deps.extensionZip)
  const router = routerOf([
    get('/', () => redirect('/dashboard')),
    get('/favicon.ico', () => redirect('/static/icon.svg')),
    get('/robots.txt', () => plain(200, 'User-agent: *\nDisallow: /\nAllow: /docs\n')),
    get('/llms.txt', () => plain(200, LLMS_TXT)),
    extension,
    ...dashboardRoutes(deps),
    ...passwordRoutes(deps),
    ...inviteRoutes(deps),
    ...inspectorRoutes(deps),
    ...docs,
    ...pairRoutes({ pairings, workspaces, clock: deps.clock, foundAt: deps.foundAt }),
  ])
  return async (request) => {
    const { method, path } = request
    const found = router.find(isRead(request) ? 'GET' : method, path)
    const route = isStaticPath(path) ? '/static/*' : (found?.route.path ?? 'other')
    try {
      if (isStaticPath(path)) return { response: (isRead(request) ? await files(request) : null) ?? notFound, route }
      const answer = found && (await found.route.run(request, ...found.params))
      const response = answer ?? (isRead(request) && isPagePath(path) ? noPage : null)
      return response && { response, route }
    } catch (err) {
      deps.log.error({ err, path: path.replace(/^\/(pair|reset|invite)\/.*/, '/$1/…') }, 'A page failed')
      return { response: failed, route }
    }
  }
}

/** [P15] Made when it is first asked for. */
function extensionRoute(make: PagesDeps['extensionZip']) {
  let zip: Promise<Uint8Array> | null = null
  return get('/extension.zip', async () => {
    zip ??= make()
    zip.catch(() => {
      zip = null
    })
    const headers = [
      ['Content-Type', 'application/zip'],
      ['Content-Disposition', 'attachment; filename="browser-task-extension.zip"'],
      ['Cache-Control', 'no-cache'],
      ['X-Content-Type-Options', 'nosniff'],
    ] as const
    return { status: 200, headers, body: await zip }
  })
}

/** Paths under which there is nothing but pages: who asks there is a person. */
const isPagePath = (path: string): boolean => /^\/(docs|dashboard|pair|invite|reset)(\/|$)/.test(path)

const noPage = page(
  'Page not found',
  html`<p>This service has no page at this address. Check the link, or go on from the <a href="/dashboard">dashboard</a> or the <a href="/docs">docs</a>.</p>`,
  404,
)
const failed = page('Something went wrong', html`<p>This page could not be made. Try again in a moment.</p>`, 500)

/** Answered here, because the next handler would require a key first. */
const notFound: Response = {
  status: 404,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify(errorBody('not_found', 'Not found')),
}
