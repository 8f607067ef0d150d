import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ended, state } from '../../support/events.ts'
import { HandClock } from '../../support/hand-clock.ts'
import { aKey, aMember, aWorkspace, fakeAccounts, makeSurface } from '../../support/http-surface.ts'
import { until } from '../../support/http-wire.ts'
import { aTask, THEN } from '../../support/stores.ts'

const surface = await makeSurface()
const { ask, taskService, clock } = surface
const workspace = await aWorkspace(surface)
const { key } = await aKey(surface, workspace.id)

const test = suite('events over HTTP')

/** A running task whose log has `task.created` and then so many states. */
function aLog(states: number, workspaceId = workspace.id): string {
  const record = aTask({ workspaceId })
  taskService.tasksById.set(record.id, { ...record, state: 'thinking' })
  const created = taskService.log.begin(record)
  taskService.keep(created)
  for (let n = 1; n <= states; n++) taskService.log.append(record.id, state(`state ${n}`))
  return record.id
}
const events = (id: string, query = '', headers = {}) => ask('GET', `/v1/tasks/${id}/events${query}`, { key, headers })
const seqs = (json: { events: { seq: number }[] }) => json.events.map(({ seq }) => seq)

test('[V5] the events of a task, page by page', async () => {
  const id = aLog(6)
  const all = await events(id)
  assert.is(all.status, 200)
  assert.equal(seqs(all.json), [1, 2, 3, 4, 5, 6, 7])
  assert.equal([all.json.next_cursor, all.json.has_more], [7, false])
  assert.equal(all.json.events[1], {
    id: `msg_${id}_2`,
    seq: 2,
    type: 'task.state',
    at: THEN,
    task_id: id,
    state: 'state 1',
  })
  const first = await events(id, '?limit=3')
  assert.equal([seqs(first.json), first.json.next_cursor, first.json.has_more], [[1, 2, 3], 3, true])
  const second = await events(id, `?limit=100&after=${first.json.next_cursor}`)
  assert.equal([seqs(second.json), second.json.has_more], [[4, 5, 6, 7], false])
  const none = await events(id, '?after=7')
  assert.equal(none.json, { data: [], events: [], next_cursor: 7, has_more: false })
})

test('[V5] only the types that are asked for; the cursor passes over the others', async () => {
  const id = aLog(3)
  const { json } = await events(id, '?types=task.created,task.ended')
  assert.equal([seqs(json), json.next_cursor, json.has_more], [[1], 4, false])
  const more = await events(id, '?types=task.created&limit=1')
  assert.equal([seqs(more.json), more.json.next_cursor, more.json.has_more], [[1], 1, true])
})

test('[V5] a page begins behind after, or at the beginning; now, and what is not yet, is the end', async () => {
  const id = aLog(3)
  assert.equal(seqs((await events(id, '', { 'last-event-id': '2' })).json), [1, 2, 3, 4])
  assert.equal(seqs((await events(id, '?after=3', { 'last-event-id': '1' })).json), [4])
  for (const after of ['now', '4', '99999'])
    assert.equal((await events(id, `?after=${after}`)).json, {
      data: [],
      events: [],
      next_cursor: 4,
      has_more: false,
    })
})

for (const query of ['after=-1', 'after=x', 'after=', 'limit=0', 'limit=1001', 'types=', 'types=task.state,nonsense'])
  test(`[V5 E12] ?${query} is 400 with its own code`, async () => {
    const { status, json } = await events(aLog(1), `?${query}`)
    assert.equal([status, json.code], [400, `${query.split('=')[0]}_invalid`])
  })

test('[V5] a Last-Event-ID that is none is 400', async () => {
  const { status, json } = await events(aLog(1), '', { 'last-event-id': 'abc', accept: 'text/event-stream' })
  assert.equal([status, json.code], [400, 'last_event_id_invalid'])
})

test('[V5] the task of somebody else, an unknown and a malformed id are 404', async () => {
  for (const id of [aLog(1, randomUUID()), randomUUID(), 'x']) {
    for (const [method, end] of [
      ['GET', 'events'],
      ['POST', 'tokens'],
    ] as const) {
      const { status, json } = await ask(method, `/v1/tasks/${id}/${end}`, { key })
      assert.equal([status, json.code], [404, 'task_not_found'])
    }
  }
})

test('[V5] by the cookie of a user, too', async () => {
  const member = aMember('ann', [workspace])
  const signedIn = await makeSurface({ accounts: fakeAccounts(new Map([['ann', member]])) })
  const record = aTask({ workspaceId: workspace.id })
  signedIn.taskService.tasksById.set(record.id, { ...record, state: 'thinking' })
  signedIn.taskService.keep(signedIn.taskService.log.begin(record))
  const headers = { cookie: 'session=ann' }
  assert.equal(seqs((await signedIn.ask('GET', `/v1/tasks/${record.id}/events`, { headers })).json), [1])
  assert.equal(seqs((await signedIn.ask('GET', '/v1/events', { headers })).json), [1])
  assert.is((await signedIn.ask('POST', `/v1/tasks/${record.id}/tokens`, { headers })).status, 201)
})

test('[V5] publishable keys read no events', async () => {
  const { key: publishable } = await aKey(surface, workspace.id, 'publishable')
  const id = aLog(1)
  for (const path of [`/v1/tasks/${id}/events`, '/v1/events'])
    assert.is((await ask('GET', path, { key: publishable })).json.code, 'publishable_key')
})

test('[V3] a cursor from before what is kept is 410, with the oldest that is', async () => {
  const id = aLog(6)
  taskService.removeEvents((event) => event.taskId === id && event.seq <= 3)
  const { status, json } = await events(id, '?after=1')
  assert.equal([status, json.code, json.oldest], [410, 'events_expired', 4])
  assert.equal(seqs((await events(id, '?after=3')).json), [4, 5, 6, 7])
})

test('[V4 V5] the events of a workspace, of all its tasks and of nobody else', async () => {
  const mine = await aWorkspace(surface)
  const { key: own } = await aKey(surface, mine.id)
  const [one, two] = [aLog(1, mine.id), aLog(1, mine.id)]
  aLog(1)
  taskService.log.append(one, state('more'))
  const { json } = await ask('GET', '/v1/events', { key: own })
  assert.equal(
    json.events.map(({ task_id, seq }: { task_id: string; seq: number }) => [task_id, seq]),
    [
      [one, 1],
      [one, 2],
      [two, 1],
      [two, 2],
      [one, 3],
    ],
  )
  const after = (await ask('GET', '/v1/events?limit=2', { key: own })).json.next_cursor
  const rest = await ask('GET', `/v1/events?after=${after}`, { key: own })
  assert.is(rest.json.events.length, 3)
  assert.is((await ask('GET', '/v1/events?after=now', { key: own })).json.events.length, 0)
})

test('[V6] a stream of a task that has ended and was read to its end is 204', async () => {
  const id = aLog(2)
  const sse = { accept: 'text/event-stream' }
  taskService.end(id, ended)
  const at = await events(id, '?after=4', sse)
  assert.is(at.status, 204)
  assert.is((await events(id, '?after=3', sse)).status, 200)
})

test('[V8] a read token opens the events of its task for 15 minutes, and nothing else', async () => {
  const [id, other] = [aLog(1), aLog(1)]
  const made = await ask('POST', `/v1/tasks/${id}/tokens`, { key })
  assert.equal([made.status, made.json.expires_at], [201, clock.at + 15 * 60_000])
  const { token } = made.json
  const read = (path: string) => ask('GET', `${path}?token=${token}`, {})
  assert.equal(seqs((await read(`/v1/tasks/${id}/events`)).json), [1, 2])
  assert.is((await read(`/v1/tasks/${other}/events`)).json.code, 'read_token_invalid')
  assert.is((await read(`/v1/tasks/${id}`)).status, 401)
  assert.is((await read(`/v1/tasks/${id}/live`)).status, 401)
  assert.is((await read('/v1/events')).status, 401)
  const [said = '', signature = ''] = token.slice('svc_read_'.length).split('.')
  const forged = (from: string | RegExp, to: string) =>
    `svc_read_${Buffer.from(Buffer.from(said, 'base64url').toString().replace(from, to)).toString('base64url')}.${signature}`
  assert.is(forged('none', ''), token)
  const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
  const longer = forged(String(clock.at + 15 * 60_000), String(clock.at + 99 * 60_000))
  for (const wrong of [
    changed,
    longer,
    forged(workspace.id, randomUUID()),
    '',
    'svc_read_',
    `${token}.x`,
    'svc_read_..',
    token.slice(0, -1),
  ]) {
    const { status, json } = await ask('GET', `/v1/tasks/${id}/events?token=${wrong}`, {})
    assert.equal([status, json.code], [401, 'read_token_invalid'])
  }
  clock.at += 15 * 60_000
  assert.is((await read(`/v1/tasks/${id}/events`)).json.code, 'read_token_invalid')
})

test('[V8] a read token ends with the key that made it, and so does what it has opened', async () => {
  const id = aLog(1)
  const own = await aKey(surface, workspace.id)
  const { token } = (await ask('POST', `/v1/tasks/${id}/tokens`, { key: own.key })).json
  const read = () => ask('GET', `/v1/tasks/${id}/events?token=${token}`, {})
  assert.is((await read()).status, 200)
  assert.is((await ask('DELETE', `/v1/api-keys/${own.id}`, { key })).status, 200)
  assert.is((await read()).json.code, 'read_token_invalid')
})

for (const wait of ['-1', '61', '1.5', 'x', ''])
  test(`[V9 E12] wait_s=${wait} is 400`, async () => {
    const { status, json } = await ask('GET', `/v1/tasks/${aLog(0)}?wait_s=${wait}`, { key })
    assert.equal([status, json.code], [400, 'wait_s_invalid'])
  })

/** A surface whose time the test turns, with a task that runs. */
async function waiting() {
  const hand = new HandClock(THEN)
  const own = await makeSurface({ clock: hand })
  const { key } = await aKey(own, workspace.id)
  const record = aTask({ workspaceId: workspace.id })
  own.taskService.tasksById.set(record.id, { ...record, state: 'thinking' })
  own.taskService.keep(own.taskService.log.begin(record))
  const get = (waitS: number, since = '') => own.ask('GET', `/v1/tasks/${record.id}?wait_s=${waitS}${since}`, { key })
  return { hand, taskService: own.taskService, id: record.id, record, get, log: own.taskService.log }
}

test('[V9] who waits for a task is answered when it has ended', async () => {
  const { taskService, id, get, log, hand } = await waiting()
  const answer = get(60)
  await until('somebody waits', () => log.viewers(id) === 1)
  taskService.end(id, ended)
  assert.is((await answer).json.status, 'complete')
  assert.equal([log.viewers(id), hand.pending()], [0, 0])
  assert.is((await get(60)).json.status, 'complete')
})

test('[V9] or when it needs input, or after the time', async () => {
  const { taskService, id, get, log, hand, record } = await waiting()
  const late = get(5)
  await until('somebody waits', () => log.viewers(id) === 1)
  hand.turn(5_000)
  assert.is((await late).json.state, 'thinking')
  const answer = get(60)
  await until('somebody waits', () => log.viewers(id) === 1)
  taskService.tasksById.set(id, { ...record, state: 'waitingForInput' })
  log.append(id, asks('r'))
  assert.is((await answer).json.state, 'waitingForInput')
  assert.is((await get(60)).json.state, 'waitingForInput')
  assert.is((await get(0)).status, 200)
})

const asks = (request_id: string) =>
  ({ type: 'input.requested', at: THEN, request_id, kind: 'question', message: '?', expires_at: THEN }) as const

test('[V9] since a number that it knows: a client waits for the next change, and not again for what it was told', async () => {
  const { taskService, id, get, log, record } = await waiting()
  taskService.tasksById.set(id, { ...record, state: 'waitingForInput' })
  log.append(id, asks('first'))
  const told = (await get(60)).json
  assert.equal([told.state, told.seq], ['waitingForInput', 2])
  assert.is((await get(60, '&since=1')).json.seq, 2, 'the question came after 1')
  for (const change of [() => log.append(id, asks('second')), () => taskService.end(id, ended)]) {
    const { seq } = (await get(0)).json
    const next = get(60, `&since=${seq}`)
    await until('it waits', () => log.viewers(id) === 1)
    log.append(id, state('something else'))
    assert.is(log.viewers(id), 1)
    change()
    assert.is((await next).json.seq, seq + 2)
  }
  assert.equal([(await get(60, '&since=5')).json.seq, (await get(0)).json.seq], [6, 6])
})

for (const since of ['-1', 'x', '', '1.5'])
  test(`[V9 E12] since=${since} is 400`, async () => {
    const { status, json } = await ask('GET', `/v1/tasks/${aLog(0)}?since=${since}`, { key })
    assert.equal([status, json.code], [400, 'since_invalid'])
  })

test('[V7 V9] 64 wait for a task, then 503', async () => {
  const { id, get, log, hand } = await waiting()
  const all = Array.from({ length: 64 }, () => get(1))
  await until('they wait', () => log.viewers(id) === 64)
  assert.is((await get(1)).json.code, 'too_many_viewers')
  hand.turn(1_000)
  for (const one of all) assert.is((await one).status, 200)
})

test.run()
