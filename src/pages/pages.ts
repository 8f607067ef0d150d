import type { Desk } from '../../actors/front.ts'
import type { Store } from '../../actors/ports.ts'
import type { HttpConfig, HttpDeps, PagesPort } from '../http/deps.ts'
import type { Request, Response } from '../http/transport.ts'
import { dashboard } from './dashboard.ts'
import { openDocs } from './docs.ts'
import { html, isRead, page, redirect } from './html.ts'
import { isPairPath, pairPage } from './pair.ts'
import { isForm, notConfigured, signInPage, takeForm } from './sign-in.ts'
import { isStaticPath, openStatic } from './static.ts'

export interface PagesDeps extends Pick<HttpDeps, 'accounts' | 'log'> {
  readonly clock: Pick<HttpDeps['clock'], 'now'>
  readonly desk: Pick<Desk, 'tasks' | 'sessions'>
  readonly store: { readonly pairings: Pick<Store['pairings'], 'get'> }
  readonly config: Pick<HttpConfig, 'publicUrl'>
  /** Whether Google is a way to sign in. */
  readonly google: boolean
}

/** [P1–P3] The pages: dashboard with sign-in, docs, pairing, static files. No script runs in any of them. */
export async function openPages(deps: PagesDeps): Promise<PagesPort> {
  const [docs, files] = await Promise.all([openDocs(), openStatic()])
  const { accounts, google } = deps
  const pairing = { pairings: deps.store.pairings, clock: deps.clock, publicUrl: deps.config.publicUrl }

  async function dashboardPage(request: Request): Promise<Response> {
    if (!accounts) return notConfigured()
    const member = await accounts.principalOf(request.headers)
    return member ? dashboard(request, member, deps.desk) : signInPage({ google })
  }

  function answer(request: Request): Response | Promise<Response> | null {
    const { path } = request
    if (isStaticPath(path)) return (isRead(request) ? files(request) : null) ?? notFound
    if (request.method === 'POST') return accounts && isForm(path) ? takeForm(request, accounts, google) : null
    if (!isRead(request)) return null
    if (path === '/') return redirect('/dashboard')
    if (path === '/dashboard') return dashboardPage(request)
    if (path === '/docs') return docs()
    return isPairPath(path) ? pairPage(request, pairing) : null
  }

  return (request) => {
    const answered = answer(request)
    if (!(answered instanceof Promise)) return answered
    return answered.catch((err: unknown) => {
      deps.log.error({ err, path: request.path.replace(/^\/pair\/.*/, '/pair/…') }, 'A page failed')
      return failed
    })
  }
}

const failed = page('Something went wrong', html`<p>This page could not be made. Try again in a moment.</p>`, 500)

/** Said here, because whoever is asked next would want a key first. */
const notFound: Response = {
  status: 404,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({ error: 'Not found', code: 'not_found' }),
}
