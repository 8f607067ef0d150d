import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../src/config/config.ts'
import { bindToIssuer } from '../../src/identity/oidc-claims.ts'
import { startService } from '../../src/main.ts'
import { CLIENT, type Claims, type Lie, openLyingIssuer } from '../support/lying-issuer.ts'
import { tempFolder } from '../support/stores.ts'
import { Browser, openLmdb, SILENT } from './world.ts'

const test = suite('an issuer of OpenID Connect that lies')

const provider = await openLyingIssuer()
const other = await openLyingIssuer()
const dataDir = tempFolder()
const start = (issuer: string, folder = tempFolder()) =>
  startService({
    config: readConfig({
      HOST: '127.0.0.1',
      PORT: '0',
      RELAY_PORT: '0',
      DATA_DIR: folder,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
    }),
    log: SILENT,
  })
let service = await start(provider.issuer, dataDir)
test.after(async () => {
  await service.stop()
  await Promise.all([provider.close(), other.close()])
})

const ANN = { sub: '1', email: 'ann@example.com', email_verified: true, name: 'Ann' }
const EVE = { sub: '2', email: 'eve@example.com', email_verified: true, name: 'Eve' }

/** Follows the link of the sign-in page up to the address that leads back to the service. */
async function wayBack(browser: Browser): Promise<string> {
  const there = (await browser.send('/api/auth/sign-in/social?provider=oidc')).headers.get('location') ?? ''
  assert.match(there, /\/authorize\?/)
  const back = (await fetch(there, { redirect: 'manual' })).headers.get('location') ?? ''
  return back.slice(browser.base.length)
}
/** The address of the account that is open in a browser, or the code of the refusal. */
async function openIn(browser: Browser): Promise<string | undefined> {
  const me = (await (await browser.send('/v1/me')).json()) as { user?: { email: string } | null; code?: string }
  return me.user?.email ?? me.code
}
async function signIn(as: Claims, lie: Lie = {}, browser = new Browser(service.url)): Promise<string | undefined> {
  provider.tell(as, lie)
  await browser.send(await wayBack(browser))
  return openIn(browser)
}
const seconds = () => Math.floor(Date.now() / 1000)
const tampered = (token: string, claims: Claims) => {
  const [header, payload = '', signature] = token.split('.')
  const changed = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...claims }
  return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.')
}
const none = undefined
/** Eve says that Ann's address is hers: only an account of Ann's own subject may be opened by it. */
const EVE_AS_ANN = { ...EVE, email: ANN.email }
/** Nobody has an account with this address yet. */
const NEW = { sub: '3', email: 'new@example.com', email_verified: true }

test('[A39] a discovery document that lies is not used', async () => {
  const lies: Claims[] = [
    { issuer: 'https://other.example' },
    { issuer: `${provider.issuer}/other` },
    { issuer: none },
    { issuer: 7 },
    { jwks_uri: none },
    { authorization_endpoint: none },
    { token_endpoint: none },
  ]
  for (const discovery of lies) {
    provider.tell(ANN, { discovery })
    const asked = await new Browser(service.url).send('/api/auth/sign-in/social?provider=oidc')
    assert.equal([asked.status, asked.headers.get('location')], [302, '/dashboard'], JSON.stringify(discovery))
  }
})

test('[A39] the issuer opens the account of who it says it is', async () => {
  assert.is(await signIn(ANN), ANN.email)
  assert.is(await signIn(ANN), ANN.email)
  assert.is(await signIn(ANN, { header: { kid: none } }), ANN.email, 'one key needs no name')
  assert.is(await signIn(ANN, { claims: { aud: [CLIENT.id, 'another'], azp: CLIENT.id } }), ANN.email)
  assert.is(await signIn(ANN, { claims: { email: none, email_verified: none } }), ANN.email, 'the address by userinfo')
  assert.is(await signIn({ ...ANN, email: 'moved@example.com' }), ANN.email, 'the subject decides, not the address')
})

const lies: Record<string, readonly [Claims, Lie]> = {
  'no iss': [ANN, { claims: { iss: none } }],
  'a foreign iss': [ANN, { claims: { iss: 'https://other.example' } }],
  'an iss with a path more': [ANN, { claims: (honest) => ({ ...honest, iss: `${honest.iss}/x` }) }],
  'an iss that is a list': [ANN, { claims: (honest) => ({ ...honest, iss: [honest.iss] }) }],
  'no aud': [ANN, { claims: { aud: none } }],
  'the aud of another client': [ANN, { claims: { aud: 'another' } }],
  'an empty list of aud': [ANN, { claims: { aud: [] } }],
  'two aud without azp': [ANN, { claims: { aud: [CLIENT.id, 'another'] } }],
  'two aud, issued to the other': [ANN, { claims: { aud: [CLIENT.id, 'another'], azp: 'another' } }],
  'a foreign azp': [ANN, { claims: { azp: 'another' } }],
  'an azp that is a list': [ANN, { claims: { azp: [CLIENT.id] } }],
  'no exp': [ANN, { claims: { exp: none } }],
  'an exp in the past': [ANN, { claims: { exp: seconds() - 60 } }],
  'an exp that is text': [ANN, { claims: { exp: String(seconds() + 300) } }],
  'no iat': [ANN, { claims: { iat: none } }],
  'an iat in the future': [ANN, { claims: { iat: seconds() + 3_600 } }],
  'an iat of yesterday': [ANN, { claims: { iat: seconds() - 86_400 } }],
  'an iat that is text': [ANN, { claims: { iat: String(seconds()) } }],
  'an nbf in the future': [ANN, { claims: { nbf: seconds() + 3_600 } }],
  'no nonce': [ANN, { claims: { nonce: none } }],
  'an empty nonce': [ANN, { claims: { nonce: '' } }],
  'a foreign nonce': [ANN, { claims: { nonce: 'another' } }],
  'a nonce that is a list': [ANN, { claims: (honest) => ({ ...honest, nonce: [honest.nonce] }) }],
  'no sub': [ANN, { claims: { sub: none } }],
  'an empty sub': [{ ...ANN, sub: '' }, {}],
  'a blank sub': [{ ...ANN, sub: ' ' }, {}],
  'a sub that is a number': [{ ...ANN, sub: 1 }, {}],
  'a sub that is a list': [{ ...ANN, sub: ['1'] }, {}],
  'a sub as it is kept': [{ ...EVE_AS_ANN, sub: `${provider.issuer} 1` }, {}],
  'alg none': [ANN, { signed: 'not at all' }],
  'alg None': [ANN, { signed: 'not at all', header: { alg: 'None' } }],
  'HS256 with the public key': [ANN, { signed: 'HS256 with the public key' }],
  'HS256 with the client secret': [ANN, { signed: 'HS256 with the client secret' }],
  'a foreign key': [ANN, { signed: 'by a foreign key' }],
  'a foreign key without kid': [ANN, { signed: 'by a foreign key', header: { kid: none } }],
  'a foreign key that the header brings': [ANN, { signed: 'by a foreign key', header: { jwk: provider.foreignJwk } }],
  'a foreign key that the header names': [
    ANN,
    { signed: 'by a foreign key', header: { kid: none, jku: `${other.issuer}/jwks` } },
  ],
  'another alg than the one that signed': [ANN, { header: { alg: 'PS256' } }],
  'a header that must be understood': [ANN, { header: { crit: ['x'], x: 1 } }],
  'an unknown kid': [ANN, { header: { kid: 'another' } }],
  'claims changed after signing': [EVE, { idToken: (token) => tampered(token, ANN) }],
  'no signature': [ANN, { idToken: (token) => token.replace(/[^.]+$/, '') }],
  'no ID token': [ANN, { idToken: () => none }],
  'an empty ID token': [ANN, { idToken: () => '' }],
  'an ID token that is none': [ANN, { idToken: () => 'opaque' }],
  'an ID token that is a number': [ANN, { idToken: () => 7 }],
  'five parts, as of an encrypted one': [ANN, { idToken: (token) => `${token}.x.y` }],
  'no ID token, and userinfo of another': [EVE, { idToken: () => none, userinfo: ANN }],
  'userinfo of another subject': [EVE, { claims: { email: none }, userinfo: ANN }],
  'userinfo of another subject that is new': [
    NEW,
    { claims: { email: none }, userinfo: { sub: '9', email: 'newer@example.com', email_verified: true } },
  ],
  'userinfo without a subject': [EVE, { claims: { email: none }, userinfo: { ...ANN, sub: none } }],
  'another subject with the same address': [EVE_AS_ANN, {}],
  'another subject, the address written otherwise': [{ ...EVE, email: 'ANN@Example.com' }, {}],
  'an address verified as text': [{ ...EVE_AS_ANN, email_verified: 'true' }, {}],
  'an address not verified, as text': [{ ...EVE_AS_ANN, email_verified: 'false' }, {}],
  'an address verified as a number': [{ ...EVE_AS_ANN, email_verified: 1 }, {}],
  'an address not verified': [{ ...EVE_AS_ANN, email_verified: false }, {}],
  'an address without a word on it': [{ ...EVE_AS_ANN, email_verified: none }, {}],
  'no address': [{ ...NEW, email: none }, {}],
  'an address that is a list': [{ ...EVE_AS_ANN, email: [ANN.email] }, {}],
  'a new address verified as text': [{ ...NEW, email_verified: 'false' }, {}],
  'a new address without a word on it': [{ ...NEW, email_verified: none }, {}],
  'a foreign issuer on the way back': [ANN, { back: { iss: 'https://other.example' } }],
  'an error beside the code': [ANN, { back: { error: 'access_denied' } }],
}
for (const [name, [as, lie]] of Object.entries(lies))
  test(`[A39] nobody's account opens: ${name}`, async () => assert.is(await signIn(as, lie), 'not_signed_in'))

test('[A39] a way back counts once, in the browser that began it, with the code that was made for it', async () => {
  provider.tell(ANN)
  const [browser, thief, again] = [new Browser(service.url), new Browser(service.url), new Browser(service.url)]
  const back = await wayBack(browser)
  await thief.send(await wayBack(new Browser(service.url)))
  await wayBack(thief)
  await thief.send(await wayBack(new Browser(service.url)))
  assert.is(await openIn(thief), 'not_signed_in', 'a state of another browser')
  const began = new Map(browser.cookies)
  await browser.send(back)
  assert.is(await openIn(browser), ANN.email)
  for (const [key, value] of began) again.cookies.set(key, value)
  await again.send(back)
  assert.is(await openIn(again), 'not_signed_in', 'the same state and code twice')
  const [victim, params] = [new Browser(service.url), new URLSearchParams((await wayBack(thief)).split('?')[1])]
  const mixed = new URLSearchParams((await wayBack(victim)).split('?')[1])
  mixed.set('code', params.get('code') ?? '')
  await victim.send(`/api/auth/callback/oidc?${mixed}`)
  assert.is(await openIn(victim), 'not_signed_in', 'a code of another sign-in')
  for (const query of ['', '?code=x', `?state=${mixed.get('state')}`, '?code=x&state=made-up']) {
    const stranger = new Browser(service.url)
    await stranger.send(`/api/auth/callback/oidc${query}`)
    assert.is(await openIn(stranger), 'not_signed_in', query)
  }
})

test('[A39] an account that is kept under its subject alone stays that of its person', async () => {
  const { store, close } = await openLmdb()
  const idToken = (claims: Claims) => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`
  const row = { id: 'a', userId: 'ann', providerId: 'oidc', accountId: '1' }
  await store.authTables.insert('account', { ...row, idToken: idToken({ iss: 'https://one.example', sub: '1' }) })
  await store.authTables.insert('account', { ...row, id: 'b', accountId: '2' })
  for (const [issuer, subject] of [
    ['https://two.example', '1'],
    ['https://one.example', '2'],
    ['https://one.example', '1'],
    ['https://one.example', 'https://one.example 1'],
  ] as const)
    await bindToIssuer(store.authTables, issuer, subject)
  const ids = (await store.authTables.find('account', [])).map(({ accountId }) => accountId)
  assert.equal(ids.sort(), ['2', 'https://one.example 1'])
  await close()
})

test('[A39] several keys without a name are no proof', async () => {
  provider.tell(ANN, { jwks: { keys: [provider.ownJwk, provider.foreignJwk] } })
  const own = await start(provider.issuer)
  const browser = new Browser(own.url)
  const lie = { jwks: { keys: [provider.ownJwk, provider.foreignJwk] }, header: { kid: none } }
  assert.is(await signIn(ANN, { ...lie, signed: 'by a foreign key' }, browser), 'not_signed_in')
  await own.stop()
})

for (const alg of ['none', 'HS256'])
  test(`[A39] a discovery document that offers ${alg} opens nothing by it`, async () => {
    const discovery = { id_token_signing_alg_values_supported: [alg] }
    const own = await start(provider.issuer)
    for (const signed of ['not at all', 'HS256 with the public key', 'HS256 with the client secret'] as const)
      assert.is(await signIn(ANN, { discovery, signed }, new Browser(own.url)), 'not_signed_in', signed)
    await own.stop()
  })

test('[A39] the same subject of another issuer is another person', async () => {
  await service.stop()
  service = await start(other.issuer, dataDir)
  other.tell(ANN)
  const [browser, own] = [new Browser(service.url), new Browser(service.url)]
  await browser.send(await wayBack(browser))
  assert.is(await openIn(browser), 'not_signed_in')
  other.tell({ ...ANN, email: 'another.ann@example.com' })
  await own.send(await wayBack(own))
  assert.is(await openIn(own), 'another.ann@example.com')
})

test.run()
