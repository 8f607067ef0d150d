import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StoreUnwritable } from '../../actors/runtime/ports.ts'
import { createHandle } from '../../src/api/handle.ts'
import { hashToken } from '../../src/identity/tokens.ts'
import { openPages } from '../../src/web/pages.ts'
import { makeSurface, requestOf } from '../support/http-surface.ts'
import { ask, depsOf, type Fakes, isPage, NOW, serve } from './world.ts'

const test = suite('pages of errors')
const HTML = { accept: 'text/html,application/xhtml+xml' }

/** The whole surface with these pages. */
async function surfaceOf(fakes: Fakes = {}) {
  const { deps } = await makeSurface()
  const pages = await openPages(depsOf(fakes))
  const handle = createHandle({ ...deps, accounts: null, pages })
  return async (method: string, path: string, headers: Record<string, string>) => {
    const answer = await handle(requestOf(method, path, { headers: { host: 'svc.test', ...headers } }))
    const text = typeof answer.body === 'string' ? answer.body : new TextDecoder().decode(answer.body ?? undefined)
    const answered = Object.fromEntries(answer.headers.map(([name, value]) => [name.toLowerCase(), value]))
    return { status: answer.status, headers: answered, text }
  }
}

for (const [name, method, path, headers, status, next] of [
  ['a host that is not allowed', 'GET', '/dashboard', { host: 'evil.example' }, 421, 'HOSTS'],
  [
    'a form of another site',
    'POST',
    '/dashboard/sign-in',
    { origin: 'https://evil.example' },
    403,
    'href="/dashboard"',
  ],
  ['an address without a page', 'GET', '/nowhere', {}, 404, 'href="/docs/search"'],
  ['a sign-in that is not configured', 'GET', '/api/auth/get-session', {}, 503, 'href="/dashboard"'],
] as const)
  test(`[P41] ${name}: ${status} as a page for a person, as JSON for a program`, async () => {
    const surface = await surfaceOf()
    const page = await surface(method, path, { ...HTML, ...headers })
    isPage(page, status)
    assert.ok(page.text.includes(next), page.text)
    const json = await surface(method, path, { accept: 'application/json', ...headers })
    assert.match(json.headers['content-type'] ?? '', 'application/json')
    assert.is(typeof JSON.parse(json.text).error, 'string')
  })

for (const [path, status, title, next] of [
  [
    '/inspector',
    401,
    'Sign in to use the inspector',
    '<a class="button" href="/dashboard?next=%2Finspector">Sign in</a>',
  ],
  [
    '/inspector?owner=svc_owner_wrong',
    403,
    'This link does not open the inspector',
    '<a class="button" href="/dashboard?next=%2Finspector">Sign in</a>',
  ],
  ['/nowhere', 404, 'Page not found', '<a class="button" href="/dashboard">Go to the dashboard</a>'],
  ['/dashbord', 404, 'Page not found', '<a class="button" href="/dashboard">Go to the dashboard</a>'],
  [`/shared/svc_share_${'a'.repeat(64)}`, 404, 'This link does not work', 'turned the link off or replaced it'],
  ['/shared/svc_share_1', 404, 'This link is not complete', 'Open the whole link'],
] as const)
  test(`[P41] the heading of ${path} names the fault, and what to do is said`, async () => {
    const answer = await (await surfaceOf())('GET', path, HTML)
    isPage(answer, status)
    assert.match(answer.text, `<h1>${title}</h1>`)
    assert.ok(answer.text.includes(next), answer.text)
  })

test('[V12] [P41] a link to a result that has expired says so to who has it, and to nobody else', async () => {
  const token = `svc_share_${'a'.repeat(64)}`
  const share = { taskId: 't', workspaceId: 'w', keyId: null, createdAt: 0, expiresAt: NOW - 1 }
  const get = async () => JSON.stringify({ ...share, tokenHash: hashToken(token) })
  const { port, close } = await serve(depsOf({ store: { traces: { get } } }))
  const [expired, other] = [await ask(port, `/shared/${token}`), await ask(port, `/shared/${token.slice(0, -1)}b`)]
  await close()
  isPage(expired, 404)
  assert.match(expired.text, /<h1>This link has expired<[\s\S]*open until <time datetime="2026-02-03/)
  assert.match(other.text, '<h1>This link does not work<')
})

test('[P41] a page that fails says so with the number of the request, and its link is not in the log', async () => {
  const token = `svc_inv_${'a'.repeat(64)}`
  const { deps, log } = await makeSurface()
  const members = { find: () => Promise.reject(new Error('no table')) } as never
  const handle = createHandle({ ...deps, pages: await openPages(depsOf({ members })) })
  const path = `/invite/${token}`
  const answer = await handle(requestOf('GET', path, { headers: { host: 'svc.test', ...HTML } }))
  const id = answer.headers.find(([name]) => name === 'X-Request-Id')?.[1] ?? ''
  assert.is(answer.status, 500)
  assert.match(String(answer.body), `<code>${id}</code>`)
  const said = JSON.stringify(log)
  assert.match(said, id)
  assert.not.match(said, token)
  const program = await handle(requestOf('GET', path, { headers: { host: 'svc.test' } }))
  assert.is(JSON.parse(String(program.body)).code, 'internal')
})

test('[P41] a store that is away is a page that says so, and no more', async () => {
  const broken = () => Promise.reject(new Error('secret detail'))
  const away = () => Promise.reject(new StoreUnwritable('secret detail'))
  const surface = await surfaceOf({ store: { keys: { list: broken }, pairings: { get: away } } })
  for (const [path, status] of [
    ['/dashboard/browsers', 500],
    [`/pair/svc_pair_${'a'.repeat(64)}`, 503],
  ] as const) {
    const answer = await surface('GET', path, { ...HTML, cookie: 'ann' })
    isPage(answer, status)
    assert.not.match(answer.text, /secret detail/)
  }
})

test('[P41] /v1 is JSON for a browser, too', async () => {
  const { status, headers } = await (await surfaceOf())('GET', '/v1/tasks', HTML)
  assert.equal([status, headers['content-type']], [401, 'application/json'])
})

test('[P41] a task, a picture, an endpoint and a recipe that are not there: the dashboard says so, with its tabs', async () => {
  const { port, close } = await serve(depsOf())
  const id = '00000000-0000-4000-8000-00000000000a'
  for (const [path, all] of [
    [`/dashboard/tasks/${id}`, 'All tasks'],
    ['/dashboard/tasks/x', 'All tasks'],
    [`/dashboard/tasks/${id}/screenshots/1`, 'All tasks'],
    [`/dashboard/webhooks/${id}`, 'All endpoints'],
    [`/dashboard/recipes/${id}`, 'All recipes'],
  ] as const) {
    const answer = await ask(port, path, { headers: { cookie: 'ann' } })
    isPage(answer, 404)
    assert.match(answer.text, '<nav class="tabs"')
    assert.match(answer.text, `>${all}</a>`)
  }
  await close()
})

test.run()
