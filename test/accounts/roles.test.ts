import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Role } from '../../machines/records.ts'
import { readConfig } from '../../src/config.ts'
import { startService } from '../../src/main.ts'
import { type Right, ROLES } from '../../src/roles.ts'
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
  const answer = await form(by, '/dashboard/members', { workspace, email, role })
  const text = await answer.text()
  assert.is(answer.status, 200, text)
  return /\/invite\/svc_inv_[\da-f]{64}/.exec(text)?.[0] ?? ''
}
async function join(browser: Browser, link: string): Promise<void> {
  const joined = await form(browser, link)
  assert.match(joined.headers.get('location') ?? '', /^\/dashboard\?workspace=/)
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
  [/^(get \/v1\/audit|patch \/v1\/limits)/, 'manage'],
  [/^get /, 'read'],
  [/^(post|delete) \/v1\/api-keys/, 'manage'],
  [/^(post|patch|delete) \/v1\/webhook_/, 'manage'],
  [/^(post|delete) \/v1\/(tasks|browser-sessions|files)/, 'act'],
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
  assert.match(await (await nora.send(link)).text(), /Join the workspace/)
  await join(nora, link)
  const late = await person('late')
  assert.is((await form(late, link)).status, 404)
  assert.match(await (await late.send(link)).text(), /used already, taken back, or is older/)
  assert.is((await nora.send('/v1/usage', { headers: { 'x-workspace-id': shared } })).status, 200)
  const elsewhere = await form(new Browser(service.url), '/dashboard/sign-in', { ...up, next: 'https://evil.example' })
  assert.is(elsewhere.headers.get('location'), '/dashboard')
  await form(owner, `/dashboard/members/${await idOf(nora)}/remove`, { workspace: shared })
})

test('[A34] one person sends so many invitations in an hour, and not to what is no address', async () => {
  const eager = await person('eager')
  const workspace = await workspaceOf(eager)
  const invite = async (email: string) =>
    (await form(eager, '/dashboard/members', { workspace, email, role: 'viewer' })).text()
  for (const email of ['', 'nobody', 'a b@example.com', 'a@example.com\nBcc: all@example.com'])
    assert.match(await invite(email), /Enter a valid e-mail address/)
  for (let n = 0; n < 30; n++) assert.match(await invite(`${n}@example.com`), /is invited/)
  assert.match(await invite('one-more@example.com'), /at most 30 invitations an hour/)
})

test('[A35] an invitation that was taken back, or replaced by a newer one, is good no more', async () => {
  const first = await invitation(owner, shared, 'twice@example.com', 'member')
  const second = await invitation(owner, shared, 'twice@example.com', 'viewer')
  const page = await (await owner.send(`/dashboard/members?workspace=${shared}`)).text()
  const id = /invitations\/([\da-f]{64})\/remove/.exec(page)?.[1] ?? ''
  await form(owner, `/dashboard/members/invitations/${id}/remove`, { workspace: shared })
  const stranger = await person('stranger')
  for (const link of [first, second]) assert.is((await form(stranger, link)).status, 404)
  const known = await form(owner, '/dashboard/members', {
    workspace: shared,
    email: 'olga@example.com',
    role: 'viewer',
  })
  assert.match(await known.text(), /They are a member of this workspace already/)
})

test('[A36] roles change at once, and a workspace keeps an owner', async () => {
  const { member, viewer } = people
  const [ownId, memberId] = [await idOf(owner), await idOf(member)]
  const fields = { workspace: shared }
  for (const path of [`${ownId}/remove`, `${ownId}/role`]) {
    const refused = await form(owner, `/dashboard/members/${path}`, { ...fields, role: 'viewer' })
    assert.is(refused.status, 400)
    assert.match(await refused.text(), /A workspace needs an owner/)
  }
  // Who may not manage cannot make themselves one who may.
  for (const browser of [member, viewer]) {
    const raised = await form(browser, `/dashboard/members/${await idOf(browser)}/role`, { ...fields, role: 'owner' })
    assert.is(raised.status, 403)
    assert.is((await form(browser, `/dashboard/members/${ownId}/remove`, fields)).status, 403)
  }
  await form(owner, `/dashboard/members/${memberId}/role`, { ...fields, role: 'viewer' })
  const start = (browser: Browser) => browser.send('/v1/tasks', { json: {}, headers: { 'x-workspace-id': shared } })
  assert.is((await start(member)).status, 403)
  await form(owner, `/dashboard/members/${memberId}/role`, { ...fields, role: 'owner' })
  assert.is((await start(member)).status, 400)
  // Two owners who each remove the other at the same moment leave one.
  await Promise.all([
    form(owner, `/dashboard/members/${memberId}/role`, { ...fields, role: 'member' }),
    form(member, `/dashboard/members/${ownId}/role`, { ...fields, role: 'member' }),
  ])
  assert.match(await membersIn(shared), /owner/)
})

test('[A36] who leaves or is removed has no access from then on, and gets a workspace of their own', async () => {
  const [boss, guest] = [await person('boss'), await person('guest')]
  const theirs = await workspaceOf(boss)
  await join(guest, await invitation(boss, theirs, 'guest@example.com', 'owner'))
  const read = (browser: Browser) => browser.send('/v1/usage', { headers: { 'x-workspace-id': theirs } })
  assert.is((await read(guest)).status, 200)
  await form(guest, `/dashboard/members/${await idOf(boss)}/remove`, { workspace: theirs })
  assert.is((await read(boss)).status, 401)
  // The workspace that was made for them is another's now.
  const own = await workspaceOf(boss)
  assert.is.not(own, theirs)
  assert.is((await read(boss)).status, 401)
  assert.is((await form(guest, `/dashboard/members/${await idOf(guest)}/remove`, { workspace: theirs })).status, 400)
})

test('[A37] pages offer what the role allows, and show all workspaces of a user', async () => {
  const { viewer } = people
  const at = (path: string) => viewer.send(`/dashboard${path}?workspace=${shared}`).then((answer) => answer.text())
  assert.match(await at(''), /&quot;mayAct&quot;:false/)
  assert.not.match(await at('/browsers'), /Pair a browser/)
  assert.not.match(await at('/keys'), /Create key|Delete/)
  assert.not.match(await at('/webhooks'), /Create endpoint/)
  const members = await at('/members')
  assert.match(members, /olga@example\.com/)
  assert.not.match(members, />Invite<|Save the role/)
  assert.match(members, />Leave</)
  const list = /<nav class="workspaces"[\s\S]*?<\/nav>/.exec(members)?.[0] ?? ''
  assert.match(list, /olga@example\.com/)
  assert.match(list, /vera@example\.com/)
})

test.run()
