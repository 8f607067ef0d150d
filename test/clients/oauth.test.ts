import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Api } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { answerOf, openJobModel, taskOf } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const test = suite('an assistant that connects to MCP by sign-in')
const model = await openJobModel()
const service = await openService({ env: model.env })
const RESOURCE = `${service.url}/mcp`
const CALLBACK = 'https://assistant.example/callback'

// biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
const jsonOf = async (answer: Response): Promise<any> => answer.json().catch(() => null)

/** What a person's browser does: it keeps one cookie, and sends forms from pages of the service. */
const cookie = await signUp('ann@example.com')
const visit = (target: string, form?: Record<string, string>) =>
  fetch(new URL(target, service.url), {
    redirect: 'manual',
    headers: { cookie, ...(form ? { origin: service.url, 'content-type': 'application/x-www-form-urlencoded' } : {}) },
    ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
  })
const me = await jsonOf(await fetch(`${service.url}/v1/me`, { headers: { cookie } }))
const workspace: string = me.workspace.id
const browser = await pairedBrowser()

async function signUp(email: string): Promise<string> {
  const answer = await fetch(`${service.url}/dashboard/sign-up`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: service.url },
    body: new URLSearchParams({ name: 'Ann', email, password: 'a long password' }),
  })
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
}

async function pairedBrowser(): Promise<TestBrowser> {
  const headers = { cookie, origin: service.url, 'content-type': 'application/json' }
  const pair = await fetch(`${service.url}/v1/browser-sessions/pair`, { method: 'POST', headers, body: '{}' })
  const body = JSON.stringify({ pairing_token: (await jsonOf(pair)).pairing_token })
  const session = await jsonOf(await fetch(`${service.url}/v1/browser-sessions/register`, { method: 'POST', body }))
  return TestBrowser.open({ relayPort: service.relayPort, token: session.session_token })
}

/** An assistant as the official client sees it. */
class Assistant {
  readonly redirectUrl = CALLBACK
  readonly clientMetadata = { client_name: 'A hosted assistant', redirect_uris: [CALLBACK] }
  asked: URL | null = null
  // biome-ignore lint/suspicious/noExplicitAny: whatever the official client keeps
  kept: any = {}
  state = () => 'a-state'
  clientInformation = () => this.kept.client
  saveClientInformation = (client: unknown) => void Object.assign(this.kept, { client })
  tokens = () => this.kept.tokens
  saveTokens = (tokens: unknown) => void Object.assign(this.kept, { tokens })
  codeVerifier = () => this.kept.verifier
  saveCodeVerifier = (verifier: string) => void Object.assign(this.kept, { verifier })
  redirectToAuthorization = (url: URL) => {
    this.asked = url
  }
}

const openTransport = (assistant: Assistant) =>
  new StreamableHTTPClientTransport(new URL(RESOURCE), { authProvider: assistant })
async function connected(assistant: Assistant): Promise<Client> {
  const client = new Client({ name: 'assistant', version: '1' })
  await client.connect(openTransport(assistant))
  return client
}

/** Where the service sends a person back to after this decision. */
async function decided(asked: string, decision: 'allow' | 'deny' = 'allow'): Promise<URL> {
  const page = await visit(asked)
  assert.is(page.status, 200)
  const text = await page.text()
  const action = /action="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const answer = await visit(action, { workspace, decision })
  assert.is(answer.status, 303, await answer.text())
  return new URL(answer.headers.get('location') ?? '')
}

test('[A43] discovery, registration, PKCE, consent, token, tool call, refresh, revocation by the official client', async () => {
  const assistant = new Assistant()
  await connected(assistant).then(
    () => assert.unreachable(),
    () => {},
  )
  assert.is(assistant.asked?.pathname, '/dashboard/connect')

  // Who is not signed in is, first, and comes back.
  const stranger = await fetch(assistant.asked ?? '', { redirect: 'manual' })
  const next = new URL(stranger.headers.get('location') ?? '', service.url).searchParams.get('next') ?? ''
  assert.equal(
    [new URL(next, service.url).pathname, new URL(next, service.url).search],
    ['/dashboard/connect', assistant.asked?.search],
  )

  const page = await visit(assistant.asked?.href ?? '')
  assert.match(page.headers.get('content-security-policy') ?? '', "form-action 'self' https://assistant.example")
  const text = await page.text()
  for (const words of ['A hosted assistant', 'nobody has verified the name', 'assistant.example', 'Ann'])
    assert.match(text, words)

  const back = await decided(assistant.asked?.href ?? '')
  assert.equal(
    [back.origin + back.pathname, back.searchParams.get('state'), back.searchParams.get('iss')],
    [CALLBACK, 'a-state', service.url],
  )
  await openTransport(assistant).finishAuth(back.searchParams)
  const client = await connected(assistant)
  const job = { name: 'by sign-in', steps: 1 }
  const answer = await client.callTool({ name: 'browser_run_task', arguments: { task: taskOf(job) } })
  assert.is((answer.structuredContent as { answer: string }).answer, answerOf(job))
  await client.close()

  const { tokens, client: registered } = assistant.kept
  const refreshed = await token({
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
    client_id: registered.client_id,
  })
  assert.is(refreshed.status, 200)
  assert.is((await tools(tokens.access_token)).status, 401)
  assert.is((await tools(refreshed.json.access_token)).status, 200)

  const { data } = await jsonOf(await visit('/v1/connected-apps'))
  assert.equal(
    data.map(({ name }: { name: string }) => name),
    ['A hosted assistant'],
  )
  const revoked = await fetch(`${service.url}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: refreshed.json.refresh_token }),
  })
  assert.is(revoked.status, 200)
  assert.is((await tools(refreshed.json.access_token)).status, 401)
  assert.equal((await jsonOf(await visit('/v1/connected-apps'))).data, [])
})

// Attacks, each against a client and a person who do everything else right.

const post = async (path: string, body: string | URLSearchParams, headers: Record<string, string> = {}) => {
  const answer = await fetch(service.url + path, { method: 'POST', headers, body })
  return { status: answer.status, json: await jsonOf(answer) }
}
const register = (redirect_uris: readonly unknown[]) =>
  post('/oauth/register', JSON.stringify({ client_name: 'Another', redirect_uris }), {
    'content-type': 'application/json',
  })
const token = (fields: Record<string, string>) => post('/oauth/token', new URLSearchParams(fields))
const tools = (key: string) =>
  new Api(service.url, key).post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { accept: 'application/json, text/event-stream' },
  )

test('[E16] a name that is not a text, however it is nested, is no failure of the service', async () => {
  const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  for (const name of ['{"toString":1}', nested, '5', 'null']) {
    const body = `{"client_name":${name},"redirect_uris":["${CALLBACK}"]}`
    const { status, json } = await post('/oauth/register', body)
    assert.equal([status, json.client_name], [201, 'An application'])
  }
})

test('[E3] [E16] a method that sign-in and MCP cannot be given is 404, not a failure of theirs', async () => {
  const authorization = `Bearer ${service.key}`
  const asked = (method: string, path: string) =>
    new Promise((resolve, reject) => {
      const sent = request(service.url + path, { method, headers: { authorization } }, ({ statusCode }) =>
        resolve(statusCode),
      )
      sent.on('error', reject).end()
    })
  assert.is(await asked('TRACE', '/api/auth/ok'), 404)
  assert.is(await asked('TRACE', '/mcp'), 404)
  assert.not.match(service.output, /"level":50/)
})

const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')
const clientId: string = (await register([CALLBACK])).json.client_id
const RIGHT = {
  response_type: 'code',
  client_id: clientId,
  redirect_uri: CALLBACK,
  code_challenge: challenge,
  code_challenge_method: 'S256',
  resource: RESOURCE,
  state: 's',
}
const asking = (changes: Record<string, string | undefined> = {}) => {
  const fields = Object.entries({ ...RIGHT, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return `/dashboard/connect?${new URLSearchParams(fields)}`
}
const newCode = async () => (await decided(asking())).searchParams.get('code') ?? ''
const exchange = (code: string, changes: Record<string, string> = {}) =>
  token({
    ...{ grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: CALLBACK },
    ...{ code_verifier: verifier, resource: RESOURCE, ...changes },
  })

for (const [name, changes] of [
  ['a foreign redirect', { redirect_uri: 'https://evil.example/callback' }],
  ['a redirect that only begins alike', { redirect_uri: `${CALLBACK}.evil.example` }],
  ['a path below the redirect', { redirect_uri: `${CALLBACK}/../evil` }],
  ['a script as redirect', { redirect_uri: 'javascript:alert(1)' }],
  ['a client that nobody registered', { client_id: 'svc_client_WyJBIiwiaHR0cHM6Ly9ldmlsLmV4YW1wbGUvIl0.AAAA' }],
  ['a client without an id', { client_id: undefined }],
] as const)
  test(`[A43] refused on a page, without a way back: ${name}`, async () => {
    for (const answer of [
      await visit(asking(changes)),
      await visit(asking(changes), { workspace, decision: 'allow' }),
    ]) {
      assert.equal([answer.status, answer.headers.get('location')], [400, null])
      assert.not.match(await answer.text(), 'evil.example')
    }
  })

for (const [name, changes, words] of [
  ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'PKCE is required'],
  ['plain PKCE', { code_challenge: verifier, code_challenge_method: 'plain' }, 'PKCE is required'],
  ['a token at once', { response_type: 'token' }, 'response_type must be code'],
  ['nothing that OAuth knows', { response_type: undefined, state: undefined }, 'response_type must be code'],
  ['a token for another service', { resource: 'https://other.example/mcp' }, 'resource must be'],
  ['a token for the API', { resource: `${service.url}/v1` }, 'resource must be'],
] as const)
  test(`[A43] ${name} is refused on a page: a link to the service leads nowhere by itself`, async () => {
    for (const answer of [
      await visit(asking(changes)),
      await visit(asking(changes), { workspace, decision: 'allow' }),
    ]) {
      assert.equal([answer.status, answer.headers.get('location')], [400, null])
      assert.match(await answer.text(), words)
    }
  })

test('[A43] a person who says no, and a workspace of others', async () => {
  const denied = await decided(asking(), 'deny')
  assert.equal([denied.searchParams.get('error'), denied.searchParams.get('code')], ['access_denied', null])
  const foreign = await visit(asking(), { workspace: '0197f3a2-0000-7000-8000-000000000000', decision: 'allow' })
  assert.is(new URL(foreign.headers.get('location') ?? '').searchParams.get('error'), 'access_denied')
})

test('[A43] the form of another site allows nothing', async () => {
  const answer = await fetch(service.url + asking(), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: 'https://evil.example' },
    body: new URLSearchParams({ workspace, decision: 'allow' }),
  })
  assert.equal([answer.status, answer.headers.get('location')], [403, null])
})

for (const [name, changes] of [
  ['without its verifier', { code_verifier: '' }],
  ['with another verifier', { code_verifier: randomBytes(32).toString('base64url') }],
  ['from another address', { redirect_uri: 'https://assistant.example/other' }],
  ['by another client', { client_id: (await register([CALLBACK, 'https://evil.example/'])).json.client_id }],
  ['that nobody was given', { code: 'none' }],
] as const)
  test(`[A43] a code ${name}`, async () => {
    const { status, json } = await exchange(await newCode(), changes)
    assert.equal([status, json.error], [400, 'invalid_grant'])
  })

test('[A43] a code for another resource', async () => {
  const { status, json } = await exchange(await newCode(), { resource: 'https://other.example/mcp' })
  assert.equal([status, json.error], [400, 'invalid_target'])
})

test('[A43] a code twice ends what the first one opened', async () => {
  const code = await newCode()
  const first = await exchange(code)
  assert.is((await tools(first.json.access_token)).status, 200)
  assert.is((await exchange(code)).json.error, 'invalid_grant')
  assert.is((await tools(first.json.access_token)).status, 401)
})

test('[A43] a refresh token twice, or of another client, ends it likewise', async () => {
  const first = (await exchange(await newCode())).json
  const refresh = (refresh_token: string, client_id = clientId) =>
    token({ grant_type: 'refresh_token', refresh_token, client_id })
  assert.is((await refresh(first.refresh_token, 'another')).json.error, 'invalid_grant')
  const second = (await refresh(first.refresh_token)).json
  assert.is((await tools(second.access_token)).status, 200)
  assert.is((await refresh(first.refresh_token)).json.error, 'invalid_grant')
  assert.is((await tools(second.access_token)).status, 401)
  assert.is((await refresh(second.refresh_token)).json.error, 'invalid_grant')
})

test('[A43] an older refresh token ends its connection, however many came after it', async () => {
  const tokens = [(await exchange(await newCode())).json]
  const refresh = (refresh_token: string) => token({ grant_type: 'refresh_token', refresh_token, client_id: clientId })
  for (let n = 0; n < 4; n++) tokens.push((await refresh(tokens.at(-1).refresh_token)).json)
  const other = (await exchange(await newCode())).json
  const newest = tokens.at(-1)
  assert.is((await tools(newest.access_token)).status, 200)
  assert.is((await refresh(tokens[1].refresh_token)).json.error, 'invalid_grant')
  assert.is((await tools(newest.access_token)).status, 401)
  assert.is((await refresh(newest.refresh_token)).json.error, 'invalid_grant')
  assert.is((await tools(other.access_token)).status, 200, 'another connection goes on')
})

for (const [what, path, body] of [
  [
    'a changed password',
    '/api/auth/change-password',
    { currentPassword: 'a long password', newPassword: 'another long password' },
  ],
  ['signing out everywhere', '/api/auth/revoke-sessions', {}],
] as const)
  test(`[A43] ${what} ends what the person has let in`, async () => {
    const own = await signUp(`${randomBytes(8).toString('hex')}@example.com`)
    const headers = { cookie: own, origin: service.url }
    const mine = await jsonOf(await fetch(`${service.url}/v1/me`, { headers }))
    const allowed = await fetch(new URL(asking(), service.url), {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams({ workspace: mine.workspace.id, decision: 'allow' }),
    })
    const code = new URL(allowed.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const { access_token: access, refresh_token: refresh } = (await exchange(code)).json
    assert.is((await tools(access)).status, 200)
    const wrong = await post(path, JSON.stringify({ ...body, currentPassword: 'wrong' }), {
      'content-type': 'application/json',
      origin: service.url,
    })
    assert.ok(wrong.status >= 400)
    assert.is((await tools(access)).status, 200, 'who is not signed in ends nothing')
    const done = await post(path, JSON.stringify(body), { ...headers, 'content-type': 'application/json' })
    assert.is(done.status, 200)
    assert.is((await tools(access)).status, 401)
    const again = await token({ grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId })
    assert.is(again.json.error, 'invalid_grant')
  })

test('[A43] a token opens MCP alone, and a key is none', async () => {
  const { access_token: access, refresh_token: refresh } = (await exchange(await newCode())).json
  const api = new Api(service.url, access)
  for (const path of ['/v1/tasks', '/v1/api-keys', '/v1/me', '/dashboard']) {
    const { status } = await api.get(path)
    assert.not.ok(path !== '/dashboard' && status !== 401, path)
  }
  assert.is((await tools(refresh)).status, 401)
  assert.is((await tools(`${access}0`)).status, 401)
})

test('[A43] addresses that no client may be sent back to', async () => {
  for (const uri of [
    'http://assistant.example/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://a.example/#part',
    'https://user@a.example/',
    'http://127.0.0.1.evil.example/',
    'none',
    5,
  ]) {
    const { status, json } = await register([uri])
    assert.equal([status, json.error], [400, 'invalid_redirect_uri'], String(uri))
  }
  for (const uri of [
    'http://127.0.0.1:7777/callback',
    'http://localhost/callback',
    'cursor://app/callback',
    'com.example.app:/callback',
  ])
    assert.is((await register([uri])).status, 201, uri)
})

test('[A43] on this machine the port may be another one', async () => {
  const id = (await register(['http://127.0.0.1/callback'])).json.client_id
  const back = await decided(asking({ client_id: id, redirect_uri: 'http://127.0.0.1:5123/callback' }))
  assert.is(back.host, '127.0.0.1:5123')
  const other = await visit(asking({ client_id: id, redirect_uri: 'http://127.0.0.1:5123/other' }))
  assert.is(other.status, 400)
})

test('[A43] [Y8] without a token MCP says where the way to one begins', async () => {
  const answer = await fetch(RESOURCE, { method: 'POST', body: '{}' })
  const way = /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1] ?? ''
  const { resource, authorization_servers: servers } = await jsonOf(await fetch(way))
  assert.equal([answer.status, resource, servers], [401, RESOURCE, [service.url]])
  const found = await jsonOf(await fetch(`${service.url}/.well-known/oauth-authorization-server`))
  assert.equal([found.issuer, found.code_challenge_methods_supported], [service.url, ['S256']])
})

test.after(async () => {
  browser.disconnect()
  await service.kill()
  await model.endpoint.close()
})
test.run()
