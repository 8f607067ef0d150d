import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../src/config/config.ts'
import { workspaceNamed } from '../../src/identity/operator-workspaces.ts'
import { hashToken } from '../../src/identity/tokens.ts'
import { startService } from '../../src/main.ts'
import { tempFolder } from '../support/stores.ts'
import { Browser, SILENT } from './world.ts'

const test = suite('claiming a workspace')
const config = readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder() })
const service = await startService({ config, log: SILENT })
test.after(() => service.stop())
const { url, store } = service
const key = service.firstKey ?? ''

const form = (browser: Browser, path: string, fields: Record<string, string> = {}) =>
  browser.send(path, { method: 'POST', body: new URLSearchParams(fields) })
const text = async (browser: Browser, path: string) => (await browser.send(path)).text()

test('[A38] who opened the first workspace with its key signs up, and is its owner with one more press', async () => {
  const browser = new Browser(url)
  await form(browser, '/dashboard/key', { key })
  assert.match(await text(browser, '/dashboard/members'), /Create an account for this workspace/)
  assert.match(await text(browser, '/dashboard'), /href="\/dashboard\/claim/)
  const offered = await text(browser, '/dashboard/claim')
  assert.match(offered, /to take over the workspace <strong>default<\/strong>/)
  // Who is here has shown a key, and comes for an account.
  assert.match(offered, /<details open>\s*<summary>.*Create an account/)
  assert.not.match(offered, /use a secret key/)
  const who = { name: 'Ann', email: 'ann@example.com', password: 'correct horse', next: '/dashboard/claim' }
  assert.is((await form(browser, '/dashboard/sign-up', who)).headers.get('location'), '/dashboard/claim')
  assert.match(await text(browser, '/dashboard/claim'), /&quot;free&quot;:&quot;default&quot;/)
  const { workspaceId = '' } = (await store.keys.byHash(hashToken(key))) ?? {}
  assert.equal((await store.workspaces.get(workspaceId))?.members, [])
  const { json: claimed } = await browser.api('POST', '/v1/workspaces/claim')
  assert.equal([claimed.workspace_id, claimed.name, claimed.role], [workspaceId, 'default', 'owner'])
  const { json } = await browser.api('GET', '/v1/members', { workspace: workspaceId })
  assert.equal(
    json.members.map(({ email, role }: { email: string; role: string }) => [email, role]),
    [['ann@example.com', 'owner']],
  )
  const me = await browser.send('/v1/me', { headers: { 'x-workspace-id': workspaceId } })
  assert.is(((await me.json()) as { workspace: { name: string } }).workspace.name, 'default')
  // The key goes on, and the operator's commands still mean this workspace by its name.
  const own = await fetch(`${url}/v1/api-keys`, { headers: { authorization: `Bearer ${key}` } })
  assert.is(own.status, 200)
  assert.is((await workspaceNamed(store, 'default', Date, { uuid: () => 'new' })).id, workspaceId)
})

test('[A38] a workspace that has an owner is not taken over, by whatever key', async () => {
  const browser = new Browser(url)
  await browser.signUp('bob@example.com')
  assert.match(await text(browser, '/dashboard/claim'), /&quot;free&quot;:null/)
  const claim = (given: object) => browser.api('POST', '/v1/workspaces/claim', { ...given })
  for (const [given, status, code] of [
    [{ key }, 409, 'has_owner'],
    [{ key: 'svc_live_x' }, 400, 'key_invalid'],
    [{}, 400, 'key_required'],
  ] as const) {
    const refused = await claim(given)
    assert.equal([refused.status, refused.json.code], [status, code])
  }
  const foreign = { json: { key }, headers: { origin: 'https://evil.example' } }
  assert.is((await browser.send('/v1/workspaces/claim', foreign)).status, 403)
  assert.is((await new Browser(url).api('POST', '/v1/workspaces/claim', { key })).status, 401)
})

test('[A27] where strangers may not sign up, who shows the key of a workspace that nobody owns may, and nobody after that', async () => {
  const config = readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder(), SIGN_UP: 'off' })
  const closed = await startService({ config, log: SILENT })
  try {
    const who = (email: string) => ({ name: 'Ann', email, password: 'correct horse', next: '/dashboard/claim' })
    const stranger = new Browser(closed.url)
    assert.is((await form(stranger, '/dashboard/sign-up', who('eve@example.com'))).status, 400)
    const operator = new Browser(closed.url)
    await form(operator, '/dashboard/key', { key: closed.firstKey ?? '' })
    assert.match(await text(operator, '/dashboard/claim'), /dashboard\/sign-up/)
    const made = await form(operator, '/dashboard/sign-up', who('ann@example.com'))
    assert.is(made.headers.get('location'), '/dashboard/claim')
    assert.is((await operator.api('POST', '/v1/workspaces/claim')).status, 200)
    const again = new Browser(closed.url)
    await form(again, '/dashboard/key', { key: closed.firstKey ?? '' })
    assert.is((await form(again, '/dashboard/sign-up', who('bob@example.com'))).status, 400)
  } finally {
    await closed.stop()
  }
})

test.run()
