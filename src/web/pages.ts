import type { PagesPort } from '../api/deps.ts'
import { routerOf } from '../api/path-match.ts'
import type { Request, Response } from '../net/transport.ts'
import { errorBody } from '../wire/errors.ts'
import { typosBetween } from '../wire/nearest.ts'
import { archiveRoutes } from './archives.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import type { PagesDeps } from './deps.ts'
import { docsRoutes } from './docs/docs.ts'
import { LLMS_TXT } from './docs/frame.ts'
import { errorPage } from './error-page.ts'
import { html, isRead, page, redirect, shortened, TITLE_CHARS_MAX } from './html.ts'
import { inspectorRoutes } from './inspector/routes.ts'
import { inviteRoutes } from './invite.ts'
import { get, type PageRoute } from './page-route.ts'
import { pairRoutes } from './pair.ts'
import { passwordRoutes } from './password.ts'
import { sharedRoutes } from './shared.ts'
import { isStaticPath, openStatic } from './static.ts'
import { plain } from './streams.ts'

export type { PagesDeps } from './deps.ts'

/** [P1–P3] The pages: dashboard with sign-in, inspector, docs, pairing, static files, metrics. */
export async function openPages(deps: PagesDeps): Promise<PagesPort> {
  const [docs, files] = await Promise.all([docsRoutes(deps), openStatic()])
  const { pairings, workspaces } = deps.store
  const extension = extensionRoute(deps.extensionZip)
  const routes: readonly PageRoute[] = [
    get('/', () => redirect('/dashboard')),
    get('/favicon.ico', () => redirect('/static/icon.svg')),
    get('/icon/:count', (_, name = '') => markedIcon(name)),
    get('/robots.txt', () => plain(200, 'User-agent: *\nDisallow: /\nAllow: /docs\n')),
    get('/llms.txt', () => plain(200, LLMS_TXT)),
    extension,
    ...archiveRoutes(deps),
    ...dashboardRoutes(deps),
    ...passwordRoutes(deps),
    ...inviteRoutes(deps),
    ...sharedRoutes(deps),
    ...inspectorRoutes(deps),
    ...docs,
    ...pairRoutes({ pairings, workspaces, clock: deps.clock, requestOriginOf: deps.requestOriginOf }),
  ]
  const withHashes = async (response: Response): Promise<Response> => {
    const { body, headers } = response
    const isPage = typeof body === 'string' && headers.some(([, value]) => value.startsWith('text/html'))
    return isPage ? { ...response, body: await files.withHashes(body) } : response
  }
  const router = routerOf(routes)
  const addresses = routes
    .filter(({ method, path }) => method === 'GET' && /^\/(docs|dashboard|inspector)[a-z/-]*$/.test(path))
    .map(({ path }) => path)
  return {
    async answer(request, onRoute) {
      const { method, path } = request
      if (isStaticPath(path)) {
        onRoute('/static/*')
        return (isRead(request) ? await files.answer(request) : null) ?? notFound
      }
      const found = router.find(isRead(request) ? 'GET' : method, path)
      if (found) onRoute(found.route.path)
      const answer = found && (await found.route.run(request, ...found.params))
      const response = answer ?? (isRead(request) && isOpenedByPerson(request) ? noPage(path, addresses) : null)
      return response && withHashes(response)
    },
    refusal: (request, refused) => (takesPages(request) ? withHashes(errorPage(refused)) : null),
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

/** The icon with the number of tasks that need a person: `3.svg`. */
function markedIcon(name: string): Response | null {
  const count = /^(\d{1,2})\.svg$/.exec(name)?.[1]
  if (count === undefined) return null
  const body = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="2" y="5" width="28" height="22" rx="4" fill="#2457d6"/><path d="M2 11h28" stroke="#fff" stroke-width="2"/><circle cx="21" cy="21" r="11" fill="#a3201d"/><text x="21" y="26" text-anchor="middle" font-family="sans-serif" font-size="${count.length > 1 ? 13 : 16}" font-weight="700" fill="#fff">${count}</text></svg>`
  const headers = [
    ['Content-Type', 'image/svg+xml'],
    ['Cache-Control', 'max-age=86400'],
    ['X-Content-Type-Options', 'nosniff'],
  ] as const
  return { status: 200, headers, body }
}

/** [P34] Paths under which there is nothing but pages, and what a browser opens as a page: who asks is a person. */
const isOpenedByPerson = (request: Request): boolean =>
  /^\/(docs|dashboard|pair|invite|reset|shared)(\/|$)/.test(request.path) || takesPages(request)

const takesPages = ({ headers }: Request): boolean => /\btext\/html\b/.test(headers.accept ?? '')

const DASHBOARD = '/dashboard'

/** A page that says so, with the address that was most likely meant. */
function noPage(path: string, addresses: readonly string[]): Response {
  const meant = nearestTo(path.replace(/\/+$/, ''), addresses)
  return page(
    'Page not found',
    html`<p>This service has no page at <code>${shortened(path)}</code>.${meant === null ? null : html` Did you mean <code>${meant}</code>?`}</p>
<p class="actions"><a class="button" href="${meant ?? DASHBOARD}">Go to ${(meant ?? DASHBOARD) === DASHBOARD ? 'the dashboard' : meant}</a> <a class="button plain" href="/docs/search">Search the docs</a></p>`,
    404,
  )
}

/** Letters that may be wrong in an address that is recognised. */
const TYPOS_MAX = 3

function nearestTo(path: string, addresses: readonly string[]): string | null {
  if (path.length > TITLE_CHARS_MAX) return null
  const name = path.split('/').at(-1) ?? ''
  const [nearest] = addresses
    .map((address) => ({ address, typos: typosBetween(path, address) }))
    .sort((one, other) => one.typos - other.typos)
  if (nearest?.typos === 1) return nearest.address
  // A page of that name under another folder, as for `/webhooks`, is meant more likely than one with more other letters.
  const elsewhere = addresses.find((address) => address.endsWith(`/${name}`))
  return elsewhere ?? (nearest !== undefined && nearest.typos <= TYPOS_MAX ? nearest.address : null)
}

/** Answered here, because the next handler would require a key first. */
const notFound: Response = {
  status: 404,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify(errorBody('not_found', 'Not found')),
}
