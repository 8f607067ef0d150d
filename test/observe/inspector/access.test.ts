import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ownerKey, revokeOwnerKeys } from '../../../src/identity/key-sign-in.ts'
import { eventually } from '../../support/eventually.ts'
import { type Live, openLive } from '../../support/live.ts'
import { Api } from '../../support/service/api.ts'
import { listen, newKey } from './world.ts'

const test = suite('who may look')
let live: Live
test.before(async () => {
  try {
    live = await openLive({ transport: 'uws', store: 'lmdb' })
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
})
test.after(() => live.close())

const streamOf = (key: string, actor = '') =>
  listen(`${live.service.url}/inspector/events${actor === '' ? '' : `?actor=${actor}`}`, {
    authorization: `Bearer ${key}`,
  })

test("another workspace's actors are neither listed nor streamed; the owner sees all", async () => {
  const [mine, theirs] = await Promise.all([live.workspace(), live.workspace()])
  const { id: session } = await theirs.browser()
  const { key } = await newKey(live.store, mine.id)
  const owner = await ownerKey(live.store)
  const { json } = await theirs.api.start(session, 'hang')
  const task = `task:${json.id}`
  const streams = [streamOf(key), streamOf(key, task), streamOf(owner), streamOf(owner, task)] as const
  const [own, curious, all, close] = streams
  const { id: ownSession } = await mine.browser()
  await eventually(() => streams.every(({ heard }) => heard.length > 0), 'every stream', 10_000)
  const second = (await mine.api.start(ownSession, 'hang')).json.id
  await theirs.api.post(`/v1/tasks/${json.id}/cancel`)
  await eventually(() => own.named().includes(second) && all.named().includes(second), 'my own task', 10_000)
  await eventually(() => close.named().includes('"state":"ended"'), 'the end of theirs', 10_000)
  for (const stream of [own, curious]) {
    assert.not.ok(stream.named().includes(theirs.id))
    assert.not.ok(
      stream.heard.some(({ data }) =>
        (data.actors ?? []).some((line: object) => JSON.stringify(line).includes(json.id)),
      ),
    )
  }
  assert.equal(curious.heard.find(({ event }) => event === 'missing')?.data, { address: task })
  assert.is(
    curious.heard.some(({ event }) => event === 'actor'),
    false,
  )
  assert.ok(all.named().includes(theirs.id) && all.named().includes('service:main'))
  await mine.api.post(`/v1/tasks/${second}/cancel`)
  for (const stream of streams) stream.close()
})

test('[P7] what passed between a task and its browser is shown with who sent it', async () => {
  const { id, api, browser } = await live.workspace()
  const { id: session } = await browser(() => ({ output: 'tea' }))
  const { key } = await newKey(live.store, id)
  const first = streamOf(key)
  await eventually(() => first.heard.length > 0, 'a viewer', 10_000)
  const task = (await api.start(session, 'call')).json.id
  await eventually(async () => (await api.task(task)).status === 'complete', 'the end', 10_000)
  const stream = streamOf(key, `task:${task}`)
  await eventually(() => stream.heard.some(({ event }) => event === 'actor'), 'the task', 10_000)
  const { messages } = stream.heard.find(({ event }) => event === 'actor')?.data ?? {}
  const kinds = messages.map(({ from, event, to }: Record<'from' | 'event' | 'to', string>) =>
    [from.split(':')[0], event, to.split(':')[0]].join(' '),
  )
  for (const message of [
    'model model.requestedTools task',
    'store intent.kept task',
    'task call.open session',
    'session begin call',
    'browser call.answered call',
    'call child.done session',
    'call call.settled task',
    'model model.requestedTools task',
  ])
    assert.ok(kinds.includes(message), `${message} is one of: ${kinds.join(', ')}`)
  assert.not.ok(kinds.some((message: string) => message.startsWith('client')))
  for (const each of [first, stream]) each.close()
})

test('nobody without a key, with a publishable or a wrong one, looks at anything', async () => {
  const { id } = await live.workspace()
  const { key } = await newKey(live.store, id, 'publishable')
  for (const api of ['', key, 'svc_live_0', 'svc_owner_0'].map((text) => new Api(live.service.url, text))) {
    assert.is((await api.get('/inspector/events')).status, 401)
    assert.is((await api.get('/inspector')).status, 401)
  }
})

test("the owner's link becomes a cookie and leaves the address; a wrong one is refused", async () => {
  const anybody = new Api(live.service.url, '')
  const entered = await anybody.get(`/inspector?owner=${await ownerKey(live.store)}`)
  assert.is(entered.status, 303)
  assert.is(entered.headers.location, '/inspector')
  const [cookie = ''] = entered.headers['set-cookie'] ?? []
  assert.match(cookie, /^browser-task\.owner-session=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax$/)
  const page = await anybody.get('/inspector', { cookie: cookie.split(';')[0] ?? '' })
  assert.match(String(page.raw), /inspector&quot;.*workspaces&quot;:\[\]/)
  assert.is((await anybody.get('/inspector?owner=svc_owner_wrong')).status, 403)
})

test('[P41] the replay of a task that is not there names it, and leads to the tasks, as who is signed in', async () => {
  const [mine, theirs] = await Promise.all([live.workspace(), live.workspace()])
  const { id: session } = await theirs.browser()
  const foreign = (await theirs.api.start(session, 'call')).json.id
  const cookie = await signIn((await newKey(live.store, mine.id)).key)
  for (const id of [foreign, 'nothing']) {
    const { status, raw } = await new Api(live.service.url, '').get(`/inspector?task=${id}`, { cookie })
    assert.is(status, 404)
    assert.match(String(raw), `<code>${id}</code>`)
    assert.match(String(raw), '<a class="button" href="/dashboard">All tasks</a>')
    assert.match(String(raw), 'popovertarget="account"')
  }
})

test('metrics are read on this machine, elsewhere with the key of the owner', async () => {
  const anybody = new Api(live.service.url, '')
  const near = await anybody.get('/metrics')
  assert.is(near.status, 200)
  assert.match(near.headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/)
  const forwarded = { 'x-forwarded-for': '203.0.113.9' }
  assert.is((await anybody.get('/metrics', forwarded)).status, 403)
  assert.is((await new Api(live.service.url, await ownerKey(live.store)).get('/metrics', forwarded)).status, 200)
})

test('[A25] [A30] who signed in with a key acts from pages of ours only, and only in the own workspace', async () => {
  const [mine, theirs] = await Promise.all([live.workspace(), live.workspace()])
  const { id, key } = await newKey(live.store, theirs.id)
  const own = await newKey(live.store, mine.id)
  const cookie = await signIn(own.key)
  const nobody = new Api(live.service.url, '')
  const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    nobody.ask('POST', path, new URLSearchParams(fields).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      cookie,
      ...headers,
    })
  const api = (method: string, path: string, body: object, headers: Record<string, string> = {}) =>
    nobody.ask(method, path, body, { cookie, ...headers })
  const evil = { origin: 'https://evil.example' }
  // [A25] Nobody is signed in or out from elsewhere.
  assert.is((await form('/dashboard/sign-out', {}, evil)).status, 403)
  assert.is((await form('/dashboard/key', { key }, evil)).status, 403)
  const fields = { name: 'x', password: own.key }
  for (const headers of [evil, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
    assert.is((await api('POST', '/v1/api-keys', fields, headers)).status, 403)
  assert.is((await api('DELETE', `/v1/api-keys/${id}`, {})).status, 404)
  assert.is((await new Api(live.service.url, key).get('/v1/tasks')).status, 200)
  // [A29] Only to who gives the key again.
  for (const password of ['', 'svc_live_wrong', key])
    assert.is((await api('POST', '/v1/api-keys', { ...fields, password })).status, 403)
  const made = await api('POST', '/v1/api-keys', fields, { origin: live.service.url })
  assert.is((await new Api(live.service.url, made.json.key).get('/v1/tasks')).status, 200)
  assert.is((await form('/dashboard/key', { key: 'svc_live_wrong' })).status, 401)
})

const signIn = async (key: string): Promise<string> => {
  const entered = await new Api(live.service.url, '').ask('POST', '/dashboard/key', `key=${key}`, {
    'content-type': 'application/x-www-form-urlencoded',
  })
  return (entered.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? ''
}

test('[A23] a cookie holds no key: a random value, kept as its hash, that ends with the key and with signing out', async () => {
  const { id: workspaceId } = await live.workspace()
  const { id, key } = await newKey(live.store, workspaceId)
  const [first, second] = [await signIn(key), await signIn(key)]
  assert.match(first, /^browser-task\.key-session=[\w-]{32}$/)
  assert.is.not(first, second)
  const sees = async (cookie: string) =>
    String((await new Api(live.service.url, '').get('/dashboard/keys', { cookie })).raw).includes('of a test')
  assert.equal([await sees(first), await sees(second)], [true, true])
  assert.is(await sees(`browser-task.key-session=${key}`), false)
  assert.is(await sees(`browser-task.key=${key}`), false)
  const kept = JSON.stringify(await live.store.authTables.find('pageSession', []))
  for (const secret of [key, first.split('=')[1] ?? '']) assert.not.ok(kept.includes(secret))
  const out = await new Api(live.service.url, '').ask('POST', '/dashboard/sign-out', '', { cookie: first })
  assert.match(String(out.headers['set-cookie']), /browser-task\.key-session=; .*Max-Age=0/)
  assert.equal([await sees(first), await sees(second)], [false, true])
  await live.store.keys.remove(workspaceId, id)
  assert.is(await sees(second), false)
})

test('[A22] an owner key is kept as its hash; rotating them ends every link and every sign-in by one', async () => {
  const anybody = new Api(live.service.url, '')
  const key = await ownerKey(live.store)
  assert.not.ok(JSON.stringify(await live.store.authTables.find('ownerKey', [])).includes(key))
  const entered = await anybody.get(`/inspector?owner=${key}`)
  const cookie = (entered.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? ''
  const stays = await signIn((await newKey(live.store, (await live.workspace()).id)).key)
  assert.is((await anybody.get('/inspector', { cookie })).status, 200)
  await revokeOwnerKeys(live.store)
  assert.is((await anybody.get('/inspector', { cookie })).status, 401)
  assert.is((await anybody.get(`/inspector?owner=${key}`)).status, 403)
  assert.is((await anybody.get('/dashboard/keys', { cookie: stays })).status, 200)
  assert.is((await anybody.get(`/inspector?owner=${await ownerKey(live.store)}`)).status, 303)
})

test.run()
