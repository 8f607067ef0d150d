import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Role } from '../../machines/records.ts'
import { readConfig } from '../../src/config/config.ts'
import { type Right, ROLES } from '../../src/identity/roles.ts'
import { startService } from '../../src/main.ts'
import { tempFolder } from '../support/stores.ts'
import { Browser, SILENT } from './world.ts'

const test = suite('roles')
const config = readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder() })
const service = await startService({ config, log: SILENT })
test.after(() => service.stop())

const form = (browser: Browser, path: string, fields: Record<string, string> = {}) =>
  browser.send(path, { method: 'POST', body: new URLSearchParams(fields) })
async function person(name: string): Promise<Browser> {
  const browser = new Browser(service.url)
  assert.is((await browser.signUp(`${name}@example.com`, 'correct horse', name)).status, 200)
  return browser
}
const workspaceOf = async (browser: Browser): Promise<string> =>
  ((await (await browser.send('/v1/me')).json()) as { workspace: { id: string } }).workspace.id
/** The path of the link by which somebody joins. */
async function invitation(by: Browser, workspace: string, email: string, role: Role): Promise<string> {
  const { status, json } = await by.api('POST', '/v1/invitations', { workspace, email, role })
  assert.is(status, 201, JSON.stringify(json))
  return new URL(json.invitation_url).pathname
}
const accept = (browser: Browser, link: string) =>
  browser.api('POST', '/v1/invitations/accept', { token: link.replace('/invite/', '') })
async function join(browser: Browser, link: string): Promise<void> {
  assert.is((await accept(browser, link)).status, 200)
}
const membersIn = async (workspace: string): Promise<string> => {
  const { roles = {}, members = [] } = (await service.store.workspaces.get(workspace)) ?? {}
  return members.map((id) => roles[id] ?? 'owner').join(' ')
}
const idOf = async (browser: Browser): Promise<string> =>
  ((await (await browser.send('/api/auth/get-session')).json()) as { user: { id: string } }).user.id

const owner = await person('olga')
const shared = await workspaceOf(owner)
const people: Readonly<Record<Role, Browser>> = {
  owner,
  member: await person('mia'),
  viewer: await person('vera'),
}
for (const role of ['member', 'viewer'] as const)
  await join(people[role], await invitation(owner, shared, `${role}@example.com`, role))

/** What docs/security.md says: the first line that fits counts. */
const TABLE: readonly (readonly [RegExp, Right])[] = [
  [/^(get \/v1\/(audit|invitations)|patch \/v1\/(limits|members))/, 'manage'],
  // Everybody may leave, disconnect their own apps and choose their e-mails; an invitation, a key or a password concerns no workspace that one is in.
  [
    /^(delete \/v1\/(members|connected-apps)|post \/v1\/(invitations\/accept|workspaces\/claim|account\/password)|patch \/v1\/account\/notifications)/,
    'read',
  ],
  [/^(post|delete) \/v1\/invitations/, 'manage'],
  [/^get /, 'read'],
  [/^(post|delete) \/v1\/api-keys/, 'manage'],
  [/^(post|patch|delete) \/v1\/webhook-/, 'manage'],
  [/^(post|delete) \/v1\/(tasks|browser-sessions|files|profiles)/, 'act'],
  [/^(patch|delete) \/v1\/recipes/, 'act'],
]
const ALLOWED: Readonly<Record<Right, readonly Role[]>> = {
  read: ['owner', 'member', 'viewer'],
  act: ['owner', 'member'],
  manage: ['owner'],
}

test('[A33] every route of the OpenAPI document accepts the roles of the table, and refuses the others', async () => {
  const { paths, security: usual } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { security?: unknown[] }>>
    security: unknown[]
  }
  let walked = 0
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { security = usual }] of Object.entries(methods)) {
      if (security.length === 0) continue
      const right = TABLE.find(([lines]) => lines.test(`${method} ${path}`))?.[1]
      assert.ok(right, `${method} ${path}: who may do this? Say so in docs/security.md and here`)
      const at = path.replace(/\{[^}]+\}/g, '0d5b0b5e-43b6-4e29-9d3b-6f0a4a7f6f01')
      for (const role of ROLES) {
        const answer = await people[role].send(at, {
          method: method.toUpperCase(),
          headers: { 'x-workspace-id': shared, 'content-type': 'application/json' },
        })
        const { code } = (await answer.json()) as { code?: string }
        const isRefused = answer.status === 403 && code === 'role_not_allowed'
        // Whom one removes is looked at behind the gate: nobody else has the id of this path.
        if (`${method} ${path}` === 'delete /v1/members/{id}') {
          assert.is(isRefused, role !== 'owner')
          continue
        }
        assert.is(!isRefused, ALLOWED[right].includes(role), `${role}: ${method} ${path}: ${answer.status} ${code}`)
      }
      walked++
    }
  assert.ok(walked > 30, `${walked}`)
})

test('[A33] keys do what they did: the role of whoever made one does not limit it', async () => {
  const me = await people.owner.send('/v1/api-keys', { json: { name: 'own', password: 'correct horse' } })
  const { key } = (await me.json()) as { key: string }
  const answer = await fetch(`${service.url}/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: '{"name":"another"}',
  })
  assert.is(answer.status, 201)
})

test('[A34] people and accounts are managed by people: a key is refused, whatever it asks', async () => {
  const { key } = (await owner.api('POST', '/v1/api-keys', { name: 'own', password: 'correct horse' })).json
  for (const [method, path] of [
    ['GET', '/v1/members'],
    ['PATCH', '/v1/members/x'],
    ['DELETE', '/v1/members/x'],
    ['GET', '/v1/invitations'],
    ['POST', '/v1/invitations'],
    ['DELETE', '/v1/invitations/x'],
    ['POST', '/v1/invitations/accept'],
    ['POST', '/v1/workspaces/claim'],
    ['POST', '/v1/account/password'],
    ['GET', '/v1/account/notifications'],
    ['PATCH', '/v1/account/notifications'],
  ] as const) {
    const answer = await fetch(service.url + path, { method, headers: { authorization: `Bearer ${key}` } })
    const { code } = (await answer.json()) as { code: string }
    assert.equal([answer.status, code], [403, 'account_required'], path)
  }
})

test('[A34] [A35] an invitation joins once; signing up by its link goes on to it', async () => {
  const link = await invitation(owner, shared, 'nora@example.com', 'viewer')
  const nora = new Browser(service.url)
  const asked = await (await nora.send(link)).text()
  assert.match(
    asked,
    /olga \(olga@example\.com\) invites you to the workspace <strong>olga@example\.com<\/strong> as a viewer/,
  )
  const up = { name: 'Nora', email: 'nora@example.com', password: 'correct horse', next: link }
  const signedUp = await form(nora, '/dashboard/sign-up', up)
  assert.is(signedUp.headers.get('location'), link)
  assert.match(await (await nora.send(link)).text(), /&quot;page&quot;:&quot;join&quot;/)
  await join(nora, link)
  const late = await person('late')
  assert.equal((await accept(late, link)).json.code, 'invitation_not_found')
  assert.match(await (await late.send(link)).text(), /used already, taken back, or is older/)
  assert.is((await nora.send('/v1/usage', { headers: { 'x-workspace-id': shared } })).status, 200)
  const elsewhere = await form(new Browser(service.url), '/dashboard/sign-in', { ...up, next: 'https://evil.example' })
  assert.is(elsewhere.headers.get('location'), '/dashboard')
  await owner.api('DELETE', `/v1/members/${await idOf(nora)}`, { workspace: shared })
})

test('[A34] one person sends so many invitations in an hour, and not to what is no address', async () => {
  const eager = await person('eager')
  const workspace = await workspaceOf(eager)
  const invite = async (email: string) =>
    (await eager.api('POST', '/v1/invitations', { workspace, email, role: 'viewer' })).json
  for (const email of ['', 'nobody', 'a b@example.com', 'a@example.com\nBcc: all@example.com'])
    assert.is((await invite(email)).code, 'email_invalid')
  for (let n = 0; n < 30; n++) assert.is((await invite(`${n}@example.com`)).email, `${n}@example.com`)
  assert.is((await invite('one-more@example.com')).code, 'too_many_invitations')
})

test('[A35] an invitation that was taken back, or replaced by a newer one, is good no more', async () => {
  const first = await invitation(owner, shared, 'twice@example.com', 'member')
  const second = await invitation(owner, shared, 'twice@example.com', 'viewer')
  const { json: open } = await owner.api('GET', '/v1/invitations', { workspace: shared })
  assert.equal(
    open.invitations.map(({ email, role }: { email: string; role: Role }) => [email, role]),
    [['twice@example.com', 'viewer']],
  )
  const [{ id }] = open.invitations
  const revoke = () => owner.api('DELETE', `/v1/invitations/${id}`, { workspace: shared })
  assert.equal((await revoke()).json, { id, deleted: true })
  assert.equal((await revoke()).json.code, 'invitation_not_found')
  const stranger = await person('stranger')
  for (const link of [first, second]) assert.is((await accept(stranger, link)).status, 404)
  const known = { workspace: shared, email: 'olga@example.com', role: 'viewer' }
  const refused = await owner.api('POST', '/v1/invitations', known)
  assert.equal([refused.status, refused.json.code], [409, 'already_member'])
})

test('[A36] roles change at once, and a workspace keeps an owner', async () => {
  const { member, viewer } = people
  const [ownId, memberId] = [await idOf(owner), await idOf(member)]
  const setRole = (by: Browser, id: string, role: Role) =>
    by.api('PATCH', `/v1/members/${id}`, { workspace: shared, role })
  const remove = (by: Browser, id: string) => by.api('DELETE', `/v1/members/${id}`, { workspace: shared })
  for (const refused of [await remove(owner, ownId), await setRole(owner, ownId, 'viewer')])
    assert.equal([refused.status, refused.json.code], [409, 'last_owner'])
  assert.is((await setRole(owner, 'nobody', 'viewer')).json.code, 'member_not_found')
  // Who may not manage cannot make themselves one who may.
  for (const browser of [member, viewer])
    for (const refused of [await setRole(browser, await idOf(browser), 'owner'), await remove(browser, ownId)])
      assert.equal([refused.status, refused.json.code], [403, 'role_not_allowed'])
  assert.equal((await setRole(owner, memberId, 'viewer')).json, { id: memberId, role: 'viewer' })
  const start = (browser: Browser) => browser.send('/v1/tasks', { json: {}, headers: { 'x-workspace-id': shared } })
  assert.is((await start(member)).status, 403)
  await setRole(owner, memberId, 'owner')
  assert.is((await start(member)).status, 400)
  // Two owners who each remove the other at the same moment leave one.
  await Promise.all([setRole(owner, memberId, 'member'), setRole(member, ownId, 'member')])
  assert.match(await membersIn(shared), /owner/)
})

test('[A36] who leaves or is removed has no access from then on, and gets a workspace of their own', async () => {
  const [boss, guest] = [await person('boss'), await person('guest')]
  const theirs = await workspaceOf(boss)
  await join(guest, await invitation(boss, theirs, 'guest@example.com', 'owner'))
  const read = (browser: Browser) => browser.send('/v1/usage', { headers: { 'x-workspace-id': theirs } })
  assert.is((await read(guest)).status, 200)
  await guest.api('DELETE', `/v1/members/${await idOf(boss)}`, { workspace: theirs })
  assert.is((await read(boss)).status, 401)
  // The workspace that was made for them is another's now.
  const own = await workspaceOf(boss)
  assert.is.not(own, theirs)
  assert.is((await read(boss)).status, 401)
  assert.is(
    (await guest.api('DELETE', `/v1/members/${await idOf(guest)}`, { workspace: theirs })).json.code,
    'last_owner',
  )
})

test('[A37] pages offer what the role allows, and show all workspaces of a user', async () => {
  const { viewer } = people
  const at = (path: string) => viewer.send(`/dashboard${path}?workspace=${shared}`).then((answer) => answer.text())
  assert.match(await at(''), /&quot;mayAct&quot;:false/)
  for (const page of ['/keys', '/webhooks', '/members', '/limits'])
    assert.match(await at(page), /&quot;mayManage&quot;:false/, page)
  assert.match(await at('/audit'), /does not allow this/)
  const { json } = await viewer.api('GET', '/v1/members', { workspace: shared })
  assert.equal(
    json.members.find(({ is_self: isSelf }: { is_self: boolean }) => isSelf),
    { id: await idOf(viewer), name: 'vera', email: 'vera@example.com', role: 'viewer', is_self: true },
  )
  assert.ok(json.members.some(({ email }: { email: string }) => email === 'olga@example.com'))
  const list = /<nav class="workspaces"[\s\S]*?<\/nav>/.exec(await at('/members'))?.[0] ?? ''
  assert.match(list, /olga@example\.com/)
  assert.match(list, /vera@example\.com/)
})

test.run()
