import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, annAlone, ask, depsOf, type Fakes, HOSTILE, isPage, NOW, pairingsOf, serve } from './world.ts'

const test = suite('pairing and sign-in pages')
const closing: (() => Promise<void>)[] = []
test.after(async () => {
  for (const close of closing) await close()
})

async function served(deps: Fakes = {}): Promise<number> {
  const { port, close } = await serve(depsOf(deps))
  closing.push(close)
  return port
}

const TOKEN = `svc_pair_${'0123456789abcdef'.repeat(4)}`

test('[P1] [S1] [S15] /pair/:token says how to pair, for which workspace and who made the link', async () => {
  const store = pairingsOf({ token: TOKEN, expiresAt: NOW + 90_000, label: HOSTILE })
  const port = await served({ store })
  const answer = await ask(port, `/pair/${TOKEN}`, { headers: { host: 'svc.example:3456' } })
  isPage(answer)
  assert.match(
    answer.text,
    new RegExp(
      `npx -y http://svc.example:3456/clients/browser-task-service.tgz browser --service http://svc.example:3456 --token ${TOKEN}`,
    ),
  )
  assert.match(answer.text, /works once and expires in 2 minutes/)
  // [S15] Whose link it is comes from the record; the label is only what its maker says.
  assert.match(answer.text, /<dt>Workspace<\/dt><dd>tea shop /)
  assert.match(answer.text, /<dt>Link created by<\/dt><dd><bdi>the key /)
  assert.match(answer.text, /<dt>Label set by the link’s creator<\/dt>/)
  assert.not.ok(answer.text.includes(HOSTILE))
  assert.is(answer.headers['cache-control'], 'no-store')
  const known = await ask(await served({ store, config: { publicUrl: 'https://app.example' } }), `/pair/${TOKEN}`)
  assert.match(known.text, /--service https:\/\/app.example --token/)
})

test('[P1] [S5] /pair/:token says why a token cannot be used, each reason in its own words', async () => {
  const port = await served({ store: pairingsOf({ token: TOKEN, expiresAt: NOW }) })
  const expired = await ask(port, `/pair/${TOKEN}`)
  isPage(expired, 410)
  assert.match(expired.text, /has expired/)
  const unknown = await ask(port, `/pair/svc_pair_${'f'.repeat(64)}`)
  isPage(unknown, 404)
  assert.match(unknown.text, /already used/)
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
    assert.match(malformed.text, /Invalid pairing link/)
  }
  for (const answer of [expired, unknown]) assert.not.match(answer.text, /npx /)
})

test('[P1] [P41] a pairing link that was cut off is pasted again on its page', async () => {
  const port = await served({ store: pairingsOf({ token: TOKEN, expiresAt: NOW }) })
  const paste = (link: string) => ask(port, '/pair', { method: 'POST', body: new URLSearchParams({ link }).toString() })
  const again = await paste(` https://tasks.example/pair/${TOKEN} `)
  assert.equal([again.status, again.headers.location], [303, `/pair/${TOKEN}`])
  for (const link of ['', HOSTILE, `https://evil.example/?${TOKEN}&more`, `${TOKEN}0`]) {
    const refused = await paste(link)
    isPage(refused, 400)
    assert.not.ok(refused.text.includes(HOSTILE))
  }
})

test('[A31] a forgotten password: e-mail is named only where it is sent, else who has the link', async () => {
  const posted = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'email=a%40b.c',
  }
  const pages = async (accounts: object) => {
    const port = await served({ accounts: { ...annAlone, ...accounts } })
    return [await ask(port, '/forgot'), await ask(port, '/forgot', posted)].map(({ text }) => text)
  }
  for (const text of await pages({ sendsMail: true })) assert.not.match(text, /sends no e-mail|operator/)
  for (const text of await pages({ sendsMail: false })) {
    assert.match(text, /sends no e-mail/)
    assert.match(text, /operator/)
    assert.not.match(text, /on its way|Check your e-mail|You get a link|Send the link/)
  }
  for (const text of await pages({ sendsLinks: false, sendsMail: false })) assert.match(text, /does not send e-mail/)
})

test('a form goes to sign-in with the client’s own headers and comes back to the dashboard', async () => {
  const seen: unknown[] = []
  const port = await served({
    accounts: {
      signUp: true,
      confirms: false,
      sendsLinks: true,
      sendsMail: true,
      forget: () => {},
      principalOf: async () => ANN,
      confirm: async () => ({ isPassword: false, hasPassword: true, isFresh: false, waitMs: 0 }),
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
    [429, '{"message":"Too many"}', /<p role="alert">Too many attempts/],
    [400, 'no json', /<p role="alert">The request failed/],
    [403, null, /<p role="alert">The request failed/],
  ] as const) {
    const handle = async () => ({ status, headers: [], body })
    const port = await served({ accounts: { ...depsOf().accounts, handle } as NonNullable<Fakes['accounts']> })
    const answer = await ask(port, '/dashboard/sign-in', { method: 'POST', body: 'email=%&password' })
    isPage(answer, status)
    assert.match(answer.text, said)
  }
})

test.run()
