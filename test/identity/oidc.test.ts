import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../src/config/config.ts'
import { startService } from '../../src/main.ts'
import { openOidcProvider, signInThere } from '../support/oidc.ts'
import { freePort } from '../support/ports.ts'
import { tempFolder } from '../support/stores.ts'
import { Browser, SILENT } from './world.ts'

const test = suite('sign-in by OpenID Connect')
const [port, providerPort] = [await freePort(), await freePort()]
const url = `http://127.0.0.1:${port}`
const issuer = `http://127.0.0.1:${providerPort}`
const SETTINGS = { OIDC_ISSUER: `${issuer}/`, OIDC_CLIENT_ID: 'tasks', OIDC_CLIENT_SECRET: 'a secret of the client' }
const start = (more: Record<string, string> = {}) =>
  startService({
    config: readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder(), ...SETTINGS, ...more }),
    log: SILENT,
  })
const service = await start({ PORT: String(port), OIDC_NAME: 'Acme <SSO>' })
const startProvider = () =>
  openOidcProvider({
    redirectUri: `${url}/api/auth/callback/oidc`,
    port: providerPort,
    people: {
      ann: { email: 'ann@example.com', email_verified: true, name: 'Ann' },
      bob: { email: 'bob@example.com', email_verified: true },
      eve: { email: 'taken@example.com', email_verified: true, name: 'Eve' },
    },
  })
let provider: Awaited<ReturnType<typeof startProvider>> | null = null
test.after(async () => {
  await service.stop()
  await provider?.close()
})

/** From the link on the sign-in page to where the service leads in the end. */
async function signIn(browser: Browser, who: string): Promise<string> {
  const there = (await browser.send('/api/auth/sign-in/social?provider=oidc')).headers.get('location') ?? ''
  assert.ok(there.startsWith(issuer), there)
  const back = await signInThere(there, who)
  assert.ok(back.startsWith(`${url}/api/auth/callback/oidc?`), back)
  return (await browser.send(back.slice(url.length))).headers.get('location') ?? ''
}
const me = async (browser: Browser) => (await (await browser.send('/v1/me')).json()) as { user?: object; code?: string }

test('[A39] a provider that does not answer holds up nobody else, and is found once it does', async () => {
  const browser = new Browser(url)
  assert.match(await (await browser.send('/dashboard')).text(), /provider=oidc">Sign in with Acme &lt;SSO&gt;</)
  const failed = await browser.send('/api/auth/sign-in/social?provider=oidc')
  assert.equal([failed.status, failed.headers.get('location')], [302, '/dashboard'])
  assert.is((await browser.signUp('taken@example.com')).status, 200)
  provider = await startProvider()
  const found = await browser.send('/api/auth/sign-in/social?provider=oidc')
  assert.ok(found.headers.get('location')?.startsWith(issuer))
})

test('[A39] the first sign-in makes an account with a workspace, the next one finds it', async () => {
  const [browser, again] = [new Browser(url), new Browser(url)]
  assert.match(await signIn(browser, 'ann'), /\/dashboard$/)
  assert.equal((await me(browser)).user, { name: 'Ann', email: 'ann@example.com' })
  assert.match(await signIn(again, 'ann'), /\/dashboard$/)
  assert.equal(await me(again), await me(browser))
  const nameless = new Browser(url)
  await signIn(nameless, 'bob')
  assert.equal((await me(nameless)).user, { name: 'bob@example.com', email: 'bob@example.com' })
  assert.match(await (await nameless.send('/dashboard/account')).text(), /hasPassword&quot;:false/)
})

test('[A39] a sign-in elsewhere does not open an account that somebody made with the same address', async () => {
  const browser = new Browser(url)
  const to = await signIn(browser, 'eve')
  assert.match(to, /\/dashboard\?error=account_not_linked/)
  assert.is((await me(browser)).code, 'not_signed_in')
  assert.match(
    await (await browser.send(to.slice(to.indexOf('/dashboard')))).text(),
    /There is an account with this address already/,
  )
})

test('[A39] an answer counts once, and only in the browser that asked', async () => {
  const browser = new Browser(url)
  const there = (await browser.send('/api/auth/sign-in/social?provider=oidc')).headers.get('location') ?? ''
  const back = (await signInThere(there, 'ann')).slice(url.length)
  const thief = new Browser(url)
  assert.match((await thief.send(back)).headers.get('location') ?? '', /error=/)
  assert.is((await me(thief)).code, 'not_signed_in')
})

test('[A27] [A39] SIGN_UP=off: who has no account gets none', async () => {
  const closedPort = await freePort()
  const own = await openOidcProvider({
    redirectUri: `http://127.0.0.1:${closedPort}/api/auth/callback/oidc`,
    people: { ann: { email: 'ann@example.com', email_verified: true } },
  })
  const service = await start({ PORT: String(closedPort), SIGN_UP: 'off', OIDC_ISSUER: own.issuer })
  const browser = new Browser(service.url)
  const there = (await browser.send('/api/auth/sign-in/social?provider=oidc')).headers.get('location') ?? ''
  const back = (await signInThere(there, 'ann')).slice(service.url.length)
  assert.match((await browser.send(back)).headers.get('location') ?? '', /\/dashboard\?error=signup_disabled/)
  assert.is((await me(browser)).code, 'not_signed_in')
  await service.stop()
  await own.close()
})

test('[N16] OIDC_ISSUER needs its client, and its name is that of its host unless it is given', () => {
  assert.throws(() => readConfig({ OIDC_ISSUER: issuer }), /OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET/)
  assert.is(readConfig(SETTINGS).auth.oidc?.name, '127.0.0.1')
  const { warnings } = readConfig({ OIDC_CLIENT_ID: 'tasks' })
  assert.ok(warnings.some((line) => line.startsWith('OIDC_CLIENT_ID and OIDC_CLIENT_SECRET have no effect')))
})

test.run()
