import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../src/config.ts'
import { startService } from '../../src/main.ts'
import { hashToken } from '../../src/tokens.ts'
import { workspaceNamed } from '../../src/workspaces.ts'
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
  assert.match(await text(browser, '/dashboard/claim'), /to take over the workspace <strong>default<\/strong>/)
  const who = { name: 'Ann', email: 'ann@example.com', password: 'correct horse', next: '/dashboard/claim' }
  assert.is((await form(browser, '/dashboard/sign-up', who)).headers.get('location'), '/dashboard/claim')
  assert.match(await text(browser, '/dashboard/claim'), /Workspace <strong>default<\/strong>/)
  const { workspaceId = '' } = (await store.keys.byHash(hashToken(key))) ?? {}
  assert.equal((await store.workspaces.get(workspaceId))?.members, [])
  const claimed = await form(browser, '/dashboard/claim')
  assert.is(claimed.headers.get('location'), `/dashboard?workspace=${workspaceId}`)
  assert.match(await text(browser, `/dashboard/members?workspace=${workspaceId}`), /Save the role of ann@example\.com/)
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
  assert.match(await text(browser, '/dashboard/claim'), /A secret key of the workspace/)
  const taken = await form(browser, '/dashboard/claim', { key })
  assert.is(taken.status, 400)
  assert.match(await taken.text(), /has an owner already/)
  assert.match(await (await form(browser, '/dashboard/claim', { key: 'svc_live_x' })).text(), /Invalid secret key/)
  const foreign = { method: 'POST', headers: { origin: 'https://evil.example' }, body: new URLSearchParams({ key }) }
  assert.is((await browser.send('/dashboard/claim', foreign)).status, 403)
  assert.is((await form(new Browser(url), '/dashboard/claim', { key })).headers.get('location'), '/dashboard/claim')
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
    await form(operator, '/dashboard/claim')
    const again = new Browser(closed.url)
    await form(again, '/dashboard/key', { key: closed.firstKey ?? '' })
    assert.is((await form(again, '/dashboard/sign-up', who('bob@example.com'))).status, 400)
  } finally {
    await closed.stop()
  }
})

test.run()
