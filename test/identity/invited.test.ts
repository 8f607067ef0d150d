import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../src/config/config.ts'
import { startService } from '../../src/main.ts'
import { tempFolder } from '../support/stores.ts'
import { Browser, SILENT } from './world.ts'

const test = suite('invitations to a service without sign-up')
const DATA_DIR = tempFolder()
const start = (SIGN_UP: string) => {
  const config = readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR, SIGN_UP })
  return startService({ config, log: SILENT })
}
const form = (browser: Browser, path: string, fields: Record<string, string> = {}) =>
  browser.send(path, { method: 'POST', body: new URLSearchParams(fields) })
const PASSWORD = 'correct horse'

test('[A40] [A27] with SIGN_UP=off an invitation makes one account, for its address, and nothing else makes any', async () => {
  const open = await start('on')
  assert.is((await new Browser(open.url).signUp('olga@example.com')).status, 200)
  await open.stop()
  const service = await start('off')
  try {
    const owner = new Browser(service.url)
    await form(owner, '/dashboard/sign-in', { email: 'olga@example.com', password: PASSWORD })
    const me = (await (await owner.send('/v1/me')).json()) as { workspace: { id: string } }
    const workspace = me.workspace.id
    const invite = async (email: string): Promise<string> => {
      const { json } = await owner.api('POST', '/v1/invitations', { workspace, email, role: 'member' })
      return new URL(json.invitation_url).pathname
    }
    const link = await invite('nora@example.com')
    const up = (fields: object) =>
      form(new Browser(service.url), '/dashboard/sign-up', { name: 'N', password: PASSWORD, ...fields })

    // No one else: without a link, with one that is no invitation, for another address, past the form.
    const stranger = await (await new Browser(service.url).send('/dashboard')).text()
    assert.not.match(stranger, /action="\/dashboard\/sign-up"/)
    assert.match(stranger, /Ask an owner of a workspace to invite you/)
    const made_up = `/invite/svc_inv_${'0'.repeat(64)}`
    for (const fields of [
      { email: 'eve@example.com' },
      { email: 'eve@example.com', next: '/dashboard/claim' },
      { email: 'eve@example.com', next: made_up },
      { email: 'nora@example.com', next: made_up },
      { email: 'eve@example.com', next: link },
    ])
      assert.is((await up(fields)).status, 400, JSON.stringify(fields))
    const direct = await new Browser(service.url).send(`/api/auth/sign-up/email?next=${link}`, {
      json: { email: 'nora@example.com', password: PASSWORD, name: 'N', next: link },
    })
    assert.is(direct.status, 400)

    const nora = new Browser(service.url)
    assert.match(await (await nora.send(link)).text(), /name="email"[^>]* value="nora@example\.com" readonly/)
    const short = await form(nora, '/dashboard/sign-up', {
      name: 'Nora',
      email: 'nora@example.com',
      password: 'x',
      next: link,
    })
    assert.is(short.status, 400)
    assert.match(await short.text(), /value="nora@example\.com" readonly/)
    const fields = { name: 'Nora', email: 'Nora@example.com', password: PASSWORD, next: link }
    assert.is((await form(nora, '/dashboard/sign-up', fields)).headers.get('location'), link)
    assert.is((await up(fields)).status, 422)
    const token = link.replace('/invite/', '')
    assert.is((await nora.api('POST', '/v1/invitations/accept', { token })).json.workspace_id, workspace)
    assert.is((await nora.send('/v1/usage', { headers: { 'x-workspace-id': workspace } })).status, 200)

    // Taken back, it makes no account any more.
    const other = await invite('late@example.com')
    const { json } = await owner.api('GET', '/v1/invitations', { workspace })
    await owner.api('DELETE', `/v1/invitations/${json.invitations[0].id}`, { workspace })
    assert.is((await up({ email: 'late@example.com', next: other })).status, 400)
  } finally {
    await service.stop()
  }
})

test.run()
