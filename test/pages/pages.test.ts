import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  ANN,
  type Answer,
  ask,
  depsOf,
  type Fakes,
  HOSTILE,
  NOW,
  pairingsOf,
  serve,
  sessionOf,
  taskOf,
} from './world.ts'

const test = suite('pages')
const closing: (() => Promise<void>)[] = []
test.after(async () => {
  for (const close of closing) await close()
})

async function served(deps: Fakes = {}): Promise<number> {
  const { port, close } = await serve(depsOf(deps))
  closing.push(close)
  return port
}

/** What every page owes its reader. */
function isPage(answer: Answer, status = 200): void {
  assert.is(answer.status, status)
  assert.is(answer.headers['content-type'], 'text/html; charset=utf-8')
  const policy = String(answer.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.not.match(policy, /unsafe/)
  assert.is(answer.headers['x-content-type-options'], 'nosniff')
  assert.match(answer.text, /<html lang="en">/)
  assert.match(answer.text, /<title>[^<]+<\/title>/)
  assert.is(answer.text.match(/<h1>/g)?.length, 1)
  assert.not.match(
    answer.text,
    /<script(?! type="module" src="\/static\/client\/[a-z]+\.js"><\/script>)|<style|\son\w+=|\sstyle=|javascript:/i,
  )
  const ids = [...answer.text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
  assert.is(new Set(ids).size, ids.length)
  for (const [input] of answer.text.matchAll(/<(?:input|select|textarea)[^>]+>/g)) {
    if (input.includes('type="hidden"')) continue
    const id = /\sid="([^"]+)"/.exec(input)?.[1]
    assert.ok(answer.text.includes(`<label for="${id}">`), input)
  }
}

test('[P1] / leads to /dashboard', async () => {
  const answer = await ask(await served(), '/')
  assert.is(answer.status, 302)
  assert.is(answer.headers.location, '/dashboard')
})

test('[P1] /dashboard asks a stranger to sign in', async () => {
  const answer = await ask(await served(), '/dashboard')
  isPage(answer)
  assert.match(answer.text, /action="\/dashboard\/sign-in"/)
  assert.match(answer.text, /action="\/dashboard\/sign-up"/)
  assert.not.match(answer.text, /Google/)
  assert.match((await ask(await served({ google: true }), '/dashboard')).text, /sign-in\/social\?provider=google/)
})

test('[P1] /dashboard says so when sign-in is not configured', async () => {
  const port = await served({ accounts: null })
  const answer = await ask(port, '/dashboard')
  isPage(answer)
  assert.match(answer.text, /BETTER_AUTH_SECRET/)
  assert.is((await ask(port, '/dashboard/sign-in', { method: 'POST' })).status, 404)
})

test('[P1] the dashboard lists tasks and browsers of the workspace, every text escaped', async () => {
  const asked: string[] = []
  const port = await served({
    desk: {
      async tasks({ workspaceId }) {
        asked.push(workspaceId)
        return [
          taskOf({ task: `Buy ${HOSTILE}`, answer: HOSTILE }),
          taskOf({ status: 'running', state: 'thinking', answer: null, task: 'x'.repeat(5_000) }),
        ]
      },
      async sessions(workspaceId, keyId) {
        asked.push(workspaceId, String(keyId))
        return [sessionOf({ label: HOSTILE }), sessionOf({ status: 'disconnected', lastHeartbeat: null })]
      },
    },
  })
  const answer = await ask(port, '/dashboard', { headers: { cookie: 'ann' } })
  isPage(answer)
  assert.equal(asked, ['w-1', 'w-1', 'null'])
  assert.not.ok(answer.text.includes(HOSTILE))
  assert.match(answer.text, /Buy &lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt;&amp;&#39;&quot;/)
  assert.match(answer.text, /thinking/)
  assert.match(answer.text, /<time datetime="2026-02-03T04:05:00.000Z">2026-02-03 04:05 UTC<\/time>/)
  assert.not.match(answer.text, /x{301}/)
  const browsers = await ask(port, '/dashboard/browsers', { headers: { cookie: 'ann' } })
  isPage(browsers)
  assert.not.ok(browsers.text.includes(HOSTILE))
  assert.match(browsers.text, /never/)
})

test('[P1] /dashboard shows another workspace of the user, and none of others', async () => {
  const asked: string[] = []
  const port = await served({
    desk: {
      async tasks({ workspaceId }) {
        asked.push(workspaceId)
        return []
      },
      sessions: async () => [],
    },
  })
  for (const query of ['?workspace=w-2', '?workspace=w-3', '?workspace=', '?workspace=%']) {
    isPage(await ask(port, `/dashboard${query}`, { headers: { cookie: 'ann' } }))
  }
  assert.equal(asked, ['w-2', 'w-1', 'w-1', 'w-1'])
})

test('a store that is away is a page that says so', async () => {
  const broken = () => Promise.reject(new Error('secret detail'))
  const port = await served({ desk: { tasks: broken, sessions: broken }, store: { pairings: { get: broken } } })
  for (const path of ['/dashboard', `/pair/svc_pair_${'a'.repeat(64)}`]) {
    const answer = await ask(port, path, { headers: { cookie: 'ann' } })
    isPage(answer, 500)
    assert.not.match(answer.text, /secret detail/)
  }
})

test('[P1] /docs is a page that leads to the OpenAPI document', async () => {
  const answer = await ask(await served(), '/docs')
  isPage(answer)
  assert.match(answer.text, /href="\/openapi.json"/)
})

test('[E4] HEAD of a page has no body; other methods and paths are not pages', async () => {
  const port = await served()
  const head = await ask(port, '/docs', { method: 'HEAD' })
  assert.is(head.status, 200)
  assert.is(head.text, '')
  for (const method of ['POST', 'PUT', 'DELETE']) assert.is((await ask(port, '/docs', { method })).status, 404)
  for (const path of [
    '/dashboard/',
    '/dashboard/sign-in',
    '/doc',
    '/pair',
    '/pair/a/b',
    '/pairs/a',
    '/%2e',
    '/dash%62oard',
    '/x'.repeat(2_000),
  ]) {
    assert.is((await ask(port, path)).text, 'not a page', path.slice(0, 40))
  }
})

const TOKEN = `svc_pair_${'0123456789abcdef'.repeat(4)}`

test('[P1] [S1] /pair/:token says how to pair', async () => {
  const store = pairingsOf({ token: TOKEN, expiresAt: NOW + 90_000, label: HOSTILE })
  const port = await served({ store })
  const answer = await ask(port, `/pair/${TOKEN}`, { headers: { host: 'svc.example:3456' } })
  isPage(answer)
  assert.match(answer.text, new RegExp(`npx browser-task browser --url http://svc.example:3456 --token ${TOKEN}`))
  assert.match(answer.text, /another 2 minutes/)
  assert.not.ok(answer.text.includes(HOSTILE))
  assert.is(answer.headers['cache-control'], 'no-store')
  const known = await ask(await served({ store, config: { publicUrl: 'https://app.example' } }), `/pair/${TOKEN}`)
  assert.match(known.text, /--url https:\/\/app.example --token/)
})

test('[P1] [S5] /pair/:token says why a token cannot be used, each reason in its own words', async () => {
  const port = await served({ store: pairingsOf({ token: TOKEN, expiresAt: NOW }) })
  const expired = await ask(port, `/pair/${TOKEN}`)
  isPage(expired, 410)
  assert.match(expired.text, /has expired/)
  const unknown = await ask(port, `/pair/svc_pair_${'f'.repeat(64)}`)
  isPage(unknown, 404)
  assert.match(unknown.text, /used already/)
  for (const token of [
    '',
    'x',
    TOKEN.slice(0, -1),
    `${TOKEN}0`,
    TOKEN.toUpperCase(),
    '%3Cscript%3E',
    `svc_pair_${'g'.repeat(64)}`,
  ]) {
    const malformed = await ask(port, `/pair/${token}`)
    isPage(malformed, 400)
    assert.match(malformed.text, /is no pairing link/)
  }
  for (const answer of [expired, unknown]) assert.not.match(answer.text, /npx browser-task/)
})

test('a form goes to sign-in with the client’s own headers and comes back to the dashboard', async () => {
  const seen: unknown[] = []
  const port = await served({
    accounts: {
      principalOf: async () => ANN,
      async handle({ method, path, headers, body }) {
        seen.push({
          method,
          path,
          origin: headers.origin,
          type: headers['content-type'],
          body: JSON.parse(new TextDecoder().decode(body)),
        })
        return {
          status: 200,
          headers: [
            ['set-cookie', 'a=1'],
            ['set-cookie', 'b=2'],
            ['x', 'y'],
          ],
          body: '{}',
        }
      },
      socialUrl: async () => Promise.reject(new Error('none')),
    },
  })
  const answer = await ask(port, '/dashboard/sign-up', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://svc.example' },
    body: 'email=ann%40example.com&password=a+b%26c&name=Ann&role=admin',
  })
  assert.equal(seen, [
    {
      method: 'POST',
      path: '/api/auth/sign-up/email',
      origin: 'http://svc.example',
      type: 'application/json',
      body: { name: 'Ann', email: 'ann@example.com', password: 'a b&c' },
    },
  ])
  assert.is(answer.status, 303)
  assert.is(answer.headers.location, '/dashboard')
  assert.equal(answer.headers['set-cookie'], ['a=1', 'b=2'])
  assert.is(answer.headers.x, undefined)
})

test('a form that is refused comes back with the reason, escaped', async () => {
  for (const [status, body, said] of [
    [401, JSON.stringify({ message: `Wrong ${HOSTILE}` }), /<p role="alert">Wrong &lt;script/],
    [429, '{"message":"Too many"}', /<p role="alert">That was tried too often/],
    [400, 'no json', /<p role="alert">That did not work/],
    [403, null, /<p role="alert">That did not work/],
  ] as const) {
    const handle = async () => ({ status, headers: [], body })
    const port = await served({ accounts: { ...depsOf().accounts, handle } as NonNullable<Fakes['accounts']> })
    const answer = await ask(port, '/dashboard/sign-in', { method: 'POST', body: 'email=%&password' })
    isPage(answer, status)
    assert.match(answer.text, said)
  }
})

test.run()
