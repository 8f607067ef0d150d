import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Model } from '../../actors/runtime/ports.ts'
import { AUDIT_ACTIONS } from '../../machines/audit-records.ts'
import { readConfig } from '../../src/config/config.ts'
import { startService } from '../../src/main.ts'
import type { AuditEntry, AuditList } from '../../src/wire/audit.ts'
import { eventually } from '../support/eventually.ts'
import { refusalOf } from '../support/refusal.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { tempFolder } from '../support/stores.ts'
import { Browser, SILENT } from './world.ts'

const test = suite('audit log')
const config = readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder() })
/** It never replies: a task runs until it is cancelled. */
const model: Model = { id: 'silent', provider: 'test', ask: () => new Promise(() => {}) }
const service = await startService({ config, log: SILENT, model })
test.after(() => service.stop())

const PASSWORD = 'SECRET correct horse'
const form = (browser: Browser, path: string, fields: Record<string, string> = {}) =>
  browser.send(path, { method: 'POST', body: new URLSearchParams(fields) })
async function person(name: string): Promise<Browser> {
  const browser = new Browser(service.url)
  assert.is((await browser.signUp(`${name}@example.com`, PASSWORD, name)).status, 200)
  return browser
}
const json = async (answer: Promise<Response>) => (await (await answer).json()) as Record<string, string>
const idOf = async (browser: Browser): Promise<string> =>
  ((await (await browser.send('/api/auth/get-session')).json()) as { user: { id: string } }).user.id

const owner = await person('olga')
const workspace = ((await (await owner.send('/v1/me')).json()) as { workspace: { id: string } }).workspace.id
const read = async (query = '', by = owner): Promise<AuditList> =>
  (await (await by.send(`/v1/audit${query}`, { headers: { 'x-workspace-id': workspace } })).json()) as AuditList
/** The token of an invitation as a viewer. */
const invite = async (email: string): Promise<string> => {
  const { json } = await owner.api('POST', '/v1/invitations', { workspace, email, role: 'viewer' })
  return new URL(json.invitation_url).pathname.replace('/invite/', '')
}
const join = (browser: Browser, token: string) => browser.api('POST', '/v1/invitations/accept', { token })
/** The newest entry of an action, once it is there. */
async function noted(action: string, more: Partial<AuditEntry> = {}): Promise<AuditEntry> {
  const find = async () =>
    (await read('?limit=100')).entries.find(
      (entry) =>
        entry.action === action &&
        Object.entries(more).every(
          ([name, value]) => JSON.stringify(Reflect.get(entry, name)) === JSON.stringify(value),
        ),
    )
  await eventually(async () => (await find()) !== undefined, `${action} ${JSON.stringify(more)}`, 5_000)
  return (await find()) as AuditEntry
}

test('[O11] what a key and what a user does by the API is noted: who, what, to what, by which key, from where', async () => {
  const by = { kind: 'user', id: await idOf(owner), name: 'olga (olga@example.com)', role: 'owner' } as const
  const made = await json(owner.send('/v1/api-keys', { json: { name: 'backend', password: PASSWORD } }))
  const created = await noted('createApiKey')
  const { id, at, ...entry } = created
  assert.ok(Math.abs(at - Date.now()) < 60_000)
  assert.equal(entry, {
    ...{ action: 'createApiKey', outcome: 'done', actor: by, key_id: null, resource_id: made.id, address: '127.0.0.1' },
    details: { name: 'backend', type: 'secret' },
  })
  const key = async (method: string, path: string, body: object = {}) =>
    fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${made.key}`, 'idempotency-key': path },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    })
  const publishable = await json(key('POST', '/v1/api-keys', { name: 'page', type: 'publishable' }))
  const actor = { kind: 'key', id: made.id, name: 'backend', role: null }
  const second = await noted('createApiKey', { resource_id: publishable.id ?? '' })
  assert.equal([second.actor, second.key_id], [actor, made.id])
  // The answer is replayed: nothing is done again.
  await key('POST', '/v1/api-keys', { name: 'page', type: 'publishable' })
  await key('POST', '/v1/browser-sessions/pair', { label: 'SECRET label' })
  await noted('createPairing', { key_id: made.id ?? '' })
  assert.is((await read('?action=createApiKey')).entries.length, 2)

  const refused = await fetch(`${service.url}/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${publishable.key}` },
    body: '{"name":"more"}',
  })
  assert.is(refused.status, 403)
  const { actor: who, resource_id } = await noted('createApiKey', { outcome: 'refused' })
  assert.equal([who.id, resource_id], [publishable.id, null])
  await key('DELETE', `/v1/api-keys/${publishable.id}`)
  await noted('deleteApiKey', { resource_id: publishable.id ?? '' })
  // What failed for another reason, and what only reads, is not in it.
  assert.is((await key('DELETE', `/v1/api-keys/${publishable.id}`)).status, 404)
  await key('POST', '/v1/tasks', { task: 'Buy tea', browser_session_id: 'none' })
  await key('GET', '/v1/tasks')
  await form(owner, '/dashboard/sign-out')
  await owner.signIn('olga@example.com', PASSWORD)
  await eventually(async () => (await read('?limit=100')).entries.length === 8, 'the last entry', 5_000)
  const actions = (await read('?limit=100')).entries.map((each) => `${each.action} ${each.outcome}`)
  assert.equal(actions.reverse(), [
    'signIn done',
    'createApiKey done',
    'createApiKey done',
    'createPairing done',
    'createApiKey refused',
    'deleteApiKey done',
    'signOut done',
    'signIn done',
  ])
})

test('[O11] pairings, and what browsers do, are noted', async () => {
  const pairing = await json(owner.send('/v1/browser-sessions/pair', { json: { label: 'Office' } }))
  const registered = await json(
    fetch(`${service.url}/v1/browser-sessions/register`, {
      method: 'POST',
      body: JSON.stringify({ pairing_token: pairing.pairing_token }),
    }),
  )
  const session = registered.browser_session_id ?? ''
  const { actor } = await noted('registerBrowser', { resource_id: session })
  assert.equal([actor.kind, actor.id, actor.name], ['browser', session, 'Office'])
  await owner.send(`/v1/browser-sessions/${session}`, { json: { allow_tasks: false } })
  assert.equal((await noted('updateBrowserSession')).details, { allow_tasks: false })
  await owner.send(`/v1/browser-sessions/${session}`, { method: 'DELETE' })
  await noted('deleteBrowserSession', { resource_id: session })
})

test('[O11] members, sign-ins, sign-outs and passwords are noted in the workspaces of the user', async () => {
  const mia = await person('mia')
  const link = await invite('mia@example.com')
  assert.equal((await noted('inviteMember')).details, { email: 'mia@example.com', role: 'viewer' })
  await join(mia, link)
  const miaId = await idOf(mia)
  const joined = await noted('joinWorkspace')
  assert.equal(joined.actor, { kind: 'user', id: miaId, name: 'mia (mia@example.com)', role: 'viewer' })
  await owner.api('PATCH', `/v1/members/${miaId}`, { workspace, role: 'member' })
  assert.equal((await noted('setMemberRole', { resource_id: miaId })).details, { role: 'member' })

  const passwords = { current_password: PASSWORD, new_password: 'SECRET new password' }
  assert.is((await mia.api('POST', '/v1/account/password', { workspace, ...passwords })).status, 200)
  await noted('changePassword', { resource_id: miaId })
  assert.is((await read('?action=changePassword')).entries.length, 1)
  await form(mia, '/dashboard/sign-out')
  await noted('signOut', { resource_id: miaId })
  await mia.signIn('mia@example.com', 'SECRET new password')
  const { actor, address } = await noted('signIn', { resource_id: miaId })
  assert.equal([actor.role, address], ['member', '127.0.0.1'])

  await invite('nora@example.com')
  const { json: open } = await owner.api('GET', '/v1/invitations', { workspace })
  await owner.api('DELETE', `/v1/invitations/${open.invitations[0].id}`, { workspace })
  await noted('revokeInvitation')
  await owner.api('DELETE', `/v1/members/${miaId}`, { workspace })
  await noted('removeMember', { resource_id: miaId })
})

test('[O11] its pages are read by owners and secret keys alone, each workspace its own, and no secret is in them', async () => {
  const viewer = await person('vera')
  await join(viewer, await invite('vera@example.com'))
  const refused = await viewer.send('/v1/audit', { headers: { 'x-workspace-id': workspace } })
  assert.is(refused.status, 403)
  await noted('listAuditEntries', { outcome: 'refused' })

  const all = (await read('?limit=100')).entries
  const paged: AuditEntry[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: AuditList = await read(`?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`)
    paged.push(...page.entries)
    cursor = page.next_cursor
  }
  assert.equal(paged, all)
  const [newest] = all
  assert.equal(
    (await read(`?to=${newest?.at}`)).entries.some(({ at }) => at >= (newest?.at ?? 0)),
    false,
  )
  assert.is((await owner.send('/v1/audit?cursor=AAAA')).status, 400)
  assert.is((await owner.send('/v1/audit?from=x')).status, 400)
  const [{ id: veras = '' } = {}] = (await service.store.workspaces.ofMember(await idOf(viewer))).filter(
    ({ id }) => id !== workspace,
  )
  const answered = await viewer.send('/v1/audit', { headers: { 'x-workspace-id': veras } })
  const own = (await answered.json()) as AuditList
  assert.equal([...new Set(own.entries.map(({ action }) => action))], ['signIn'])

  const text = JSON.stringify(await service.store.audit.list({ after: null, limit: 1_000 }))
  assert.not.match(text, /SECRET|svc_(live|pub|inv|pair|session)_/)
})

test('[O14] [O11] owners lower limits and read the audit log; others do neither', async () => {
  const change = (changes: object) => owner.api('PATCH', '/v1/limits', { workspace, ...changes })
  const { json: lowered } = await change({ running_tasks: 2, retention_days: null })
  assert.equal([lowered.running_tasks, lowered.allowed.running_tasks, lowered.own.running_tasks], [2, 5, 2])
  assert.equal([lowered.own.retention_days, lowered.used.running_tasks], [null, 0])
  assert.equal((await noted('updateLimits')).details, { running_tasks: 2 })
  assert.equal(await change({ running_tasks: 50 }), {
    status: 400,
    json: refusalOf(
      '/running_tasks',
      'running_tasks must be at most 5: only the operator of the service can raise it',
      'limit_not_allowed',
    ),
  })
  const viewer = await person('vito')
  await join(viewer, await invite('vito@example.com'))
  const pageOf = async (path: string, by: Browser) => (await by.send(`${path}?workspace=${workspace}`)).text()
  assert.match(await pageOf('/dashboard/limits', viewer), /&quot;mayManage&quot;:false/)
  assert.match(await pageOf('/dashboard/audit', viewer), /does not allow this/)
  assert.match(await pageOf('/dashboard/audit', owner), /&quot;page&quot;:&quot;audit&quot;/)
  assert.is((await viewer.api('PATCH', '/v1/limits', { workspace, running_tasks: 1 })).status, 403)
})

test('[V13] the log of a cancelled task says whose key, sign-in or side panel it was, without a name', async () => {
  const made = await json(owner.send('/v1/api-keys', { json: { name: 'robot', password: PASSWORD } }))
  const pairing = await json(owner.send('/v1/browser-sessions/pair', { json: {} }))
  const body = JSON.stringify({ pairing_token: pairing.pairing_token })
  const registered = await json(fetch(`${service.url}/v1/browser-sessions/register`, { method: 'POST', body }))
  const { browser_session_id: session = '', session_token: token = '' } = registered
  const browser = await TestBrowser.open({ relayPort: service.relayPort, token })
  const authorization = `Bearer ${made.key}`
  const cancels: readonly [object, (id: string) => unknown][] = [
    [{ kind: 'user', id: await idOf(owner) }, (id) => owner.send(`/v1/tasks/${id}/cancel`, { method: 'POST' })],
    [
      { kind: 'key', id: made.id },
      (id) => fetch(`${service.url}/v1/tasks/${id}/cancel`, { method: 'POST', headers: { authorization } }),
    ],
    [
      { kind: 'browser', id: session },
      (taskId) => browser.send({ type: 'cancel_task', requestId: 'c', sessionId: session, taskId }),
    ],
  ]
  for (const [by, cancel] of cancels) {
    const { id = '' } = await json(owner.send('/v1/tasks', { json: { task: 'Wait', browser_session_id: session } }))
    await cancel(id)
    const events = async () => (await owner.api('GET', `/v1/tasks/${id}/events?types=task.ended`)).json.events
    await eventually(async () => (await events()).length === 1, `the end of the task of a ${JSON.stringify(by)}`, 5_000)
    assert.equal((await events())[0].cancelled_by, by)
    const task = (await owner.api('GET', `/v1/tasks/${id}`)).json
    assert.equal([task.ended_by, task.cancelled_by], ['cancelled', undefined])
  }
  browser.disconnect()
})

test('[O11] docs/security.md names every action that is no operation of the API', () => {
  const text = readFileSync('docs/security.md', 'utf8')
  for (const name of AUDIT_ACTIONS) assert.ok(text.includes(`\`${name}\``), name)
})

test.run()
