import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hashToken } from '../../../src/identity/tokens.ts'
import { openStore } from '../../../src/stores/open.ts'
import { eventually } from '../../support/eventually.ts'
import type { Ground, Live } from '../../support/live.ts'
import { Api } from '../../support/service/api.ts'
import { TestBrowser } from '../../support/service/browser.ts'
import { finished } from '../../support/service/jobs.ts'
import { JPEG } from '../../support/service/model.ts'
import { closeReceivers, receiver } from '../../webhooks/receiver.ts'

/** What clients read, change and are told, with real taskService, relay and store. The same on every ground. */
export function surface(ground: Ground, live: Live) {
  const test = suite(`surface: ${ground.transport}, ${ground.store}`)
  const { service, store } = live
  const anybody = new Api(service.url, '')
  const start = async (api: Api, session: string, task: string, more: object = {}): Promise<string> => {
    const { status, json } = await api.start(session, task, more)
    assert.is(status, 201, JSON.stringify(json))
    return json.id
  }

  test('[S1 S3 S4 S6 S7 S8 K4] of 20 registrations at once with one token one succeeds, on the relay’s real port', async () => {
    const { api, id } = await live.workspace()
    const { json: pairing } = await api.post('/v1/browser-sessions/pair', { label: 'laptop' })
    const body = { pairing_token: pairing.pairing_token }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => anybody.post('/v1/browser-sessions/register', body)),
    )
    const [made, ...more] = answers.filter(({ status }) => status === 201)
    assert.is(more.length, 0)
    assert.is(answers.filter(({ status }) => status === 401).length, 19)
    // Each of several nodes on one machine has a port of its own.
    if (!ground.nodes) assert.is(made?.json.relay_port, service.relayPort)
    assert.is(made?.json.workspace_id, id)
    const kept = await store.sessions.byTokenHash(hashToken(made?.json.session_token))
    assert.is(kept?.id, made?.json.browser_session_id)
    assert.not.match(JSON.stringify(kept), made?.json.session_token)
  })

  test('[T20 T22 T25 T38 T42 T44 T51 T52 S9 S10] a task with a call, from its start to its records', async () => {
    const { api, id: workspaceId, keyId } = await live.workspace()
    const session = await api.pair()
    const own = await live.workspace()
    assert.equal((await own.api.get('/v1/browser-sessions')).json, {
      data: [],
      next_cursor: null,
      has_more: false,
      sessions: [],
    })
    const answer = () => ({ output: 'seen', screenshot: JPEG })
    const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token, answer })
    const id = await start(api, session.id, 'call', { context: 'a context', url: 'https://shop.example/' })
    const task = (await finished(api, id)) as unknown as Record<string, unknown>
    assert.equal([task.status, task.answer, task.ended_by, task.failure], ['complete', 'Done.', 'completed', null])
    const [turn] = task.turns as { tools: { name: string; result: string }[] }[]
    assert.is(turn?.tools[0]?.name, 'find')
    assert.match(turn?.tools[0]?.result ?? '', /seen/)
    const { json } = await api.get(`/v1/tasks/${id}/steps`)
    assert.equal(
      json.steps.map(({ status }: { status: string }) => status),
      [
        // The page is opened before the model is asked.
        ...['tool_use', 'tool_output', 'screenshot', 'tool_result'],
        ...['thinking', 'tool_use', 'tool_output', 'screenshot', 'tool_result'],
        ...['thinking', 'tool_use', 'tool_output', 'tool_result', 'complete'],
      ],
    )
    const image = await api.get(`/v1/tasks/${id}/screenshots/1`)
    assert.equal([image.headers['content-type'], image.raw.toString('base64')], ['image/jpeg', JPEG])
    const kept = await store.tasks.get(id)
    assert.equal([kept?.workspaceId, kept?.apiKeyId, kept?.context], [workspaceId, keyId, 'a context'])
    const [listed] = (await api.get('/v1/browser-sessions')).json.sessions
    assert.equal([listed.id, listed.status, listed.state], [session.id, 'connected', 'connected'])
    browser.disconnect()
  })

  test('[T42 T43] a running task that is read again and again is as it is now, and ended once it has ended', async () => {
    const tenant = await live.workspace()
    const { id: session, browser } = await tenant.browser(() => 'never')
    const id = await start(tenant.api, session, 'call')
    await eventually(async () => (await tenant.api.task(id)).state === 'acting', 'acting')
    assert.equal((await tenant.api.task(id)).usage, { inputTokens: 7, outputTokens: 3, apiCalls: 1 })
    assert.is((await (await live.workspace()).api.get(`/v1/tasks/${id}`)).status, 404)
    browser.send({ type: 'tool_result', requestId: browser.calls[0]?.requestId, result: 'found' })
    await eventually(async () => (await tenant.api.task(id)).status === 'complete', 'its end is seen')
    assert.is((await tenant.api.task(id)).usage.apiCalls, 2)
  })

  test('[T33 T48 T50] a cancelled task ends once, and what its browser says late changes nothing', async () => {
    const tenant = await live.workspace()
    const { id: session, browser } = await tenant.browser(() => 'never')
    const id = await start(tenant.api, session, 'call')
    await eventually(() => browser.calls.length === 1, 'a call')
    const { json } = await tenant.api.post(`/v1/tasks/${id}/cancel`)
    assert.equal([json.status, json.answer, json.ended_by], ['error', 'Task was cancelled.', 'cancelled'])
    browser.send({ type: 'tool_result', requestId: browser.calls[0]?.requestId, result: 'late' })
    browser.send({ type: 'ping' })
    await eventually(() => browser.framesOf('pong').length > 0, 'the late result was read')
    assert.is((await tenant.api.post(`/v1/tasks/${id}/cancel`)).json.code, 'task_not_running')
    assert.is((await tenant.api.task(id)).answer, 'Task was cancelled.')
  })

  test('[T45 T46 T47] the list, page by page, and its filters', async () => {
    const tenant = await live.workspace()
    const { id: session } = await tenant.browser()
    const other = await tenant.browser()
    const ids: string[] = []
    for (let at = 0; at < 5; at++) {
      ids.unshift(await start(tenant.api, at === 2 ? other.id : session, 'at once'))
      await finished(tenant.api, ids[0] ?? '')
    }
    ids.unshift(await start(tenant.api, session, 'hang'))
    const seen: string[] = []
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const { json } = await tenant.api.get(`/v1/tasks?limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`)
      seen.push(...json.tasks.map((task: { id: string }) => task.id))
      cursor = json.next_cursor
    }
    assert.equal(seen, ids)
    const listed = async (query: string) =>
      (await tenant.api.get(`/v1/tasks?${query}`)).json.tasks.map((task: { id: string }) => task.id)
    assert.equal(await listed('status=running'), ids.slice(0, 1))
    assert.equal(await listed(`browser_session_id=${other.id}`), [ids[3]])
    assert.equal(await listed(`browser_session_id=${randomUUID()}`), [])
    assert.is((await tenant.api.get('/v1/tasks?limit=101')).status, 400)
  })

  test('[A8 E14] nothing of a workspace can be read or changed with a key of another', async () => {
    const [tenant, stranger] = [await live.workspace(), await live.workspace()]
    const { id: session } = await tenant.browser()
    const id = await start(tenant.api, session, 'hang with a canary')
    for (const [method, path] of [
      ['GET', `/v1/tasks/${id}`],
      ['GET', `/v1/tasks/${id}/steps`],
      ['GET', `/v1/tasks/${id}/screenshots/1`],
      ['POST', `/v1/tasks/${id}/cancel`],
      ['DELETE', `/v1/browser-sessions/${session}`],
      ['DELETE', `/v1/api-keys/${tenant.keyId}`],
    ] as const) {
      assert.is((await stranger.api.ask(method, path)).status, 404, `${method} ${path}`)
    }
    for (const path of ['/v1/tasks', `/v1/tasks?browser_session_id=${session}`, '/v1/browser-sessions', '/v1/api-keys'])
      assert.not.match(String((await stranger.api.get(path)).raw), /canary/)
    assert.is((await stranger.api.start(session, 'hang')).status, 403)
    assert.is((await tenant.api.task(id)).status, 'running')
    assert.is((await tenant.api.get('/v1/api-keys')).json.keys.length, 1)
  })
  test('[A5 A7] a publishable key reaches the sessions that it paired, and no others', async () => {
    const tenant = await live.workspace()
    const [first, second] = [await tenant.key('publishable'), await tenant.key('publishable')]
    const [mine, theirs, secret] = [await first.api.pair(), await second.api.pair(), await tenant.api.pair()]
    const listed = async (api: Api) =>
      (await api.get('/v1/browser-sessions')).json.sessions.map(({ id }: { id: string }) => id)
    assert.equal(await listed(first.api), [mine.id])
    assert.equal((await listed(tenant.api)).sort(), [mine.id, theirs.id, secret.id].sort())
    for (const { id } of [theirs, secret])
      assert.is((await first.api.ask('DELETE', `/v1/browser-sessions/${id}`)).status, 404)
    assert.is((await first.api.ask('DELETE', `/v1/browser-sessions/${mine.id}`)).status, 200)
    assert.is((await first.api.start(mine.id, 'x')).status, 403)
  })

  test('[K1 K5 K6] a key that is deleted is dead at once, also when it was used a moment before', async () => {
    const { api } = await live.workspace()
    const { json: made } = await api.post('/v1/api-keys', { name: 'short-lived' })
    const short = new Api(service.url, made.key)
    for (let times = 0; times < 3; times++) assert.is((await short.get('/v1/tasks')).status, 200)
    assert.is((await api.ask('DELETE', `/v1/api-keys/${made.id}`)).status, 200)
    assert.is((await short.get('/v1/tasks')).status, 401)
    assert.is((await api.get('/v1/tasks')).status, 200)
  })
  test('[Q4] a key that another process revokes is refused within a second', async () => {
    const tenant = await live.workspace()
    const mongodbUrl = live.mongo && `${live.mongo.url}/live`
    const other = await openStore({ mongodbUrl, dataDir: live.dataDir, log: live.log })
    assert.is((await tenant.api.get('/v1/tasks')).status, 200)
    assert.is(await other.keys.remove(tenant.id, tenant.keyId), true)
    await eventually(async () => (await tenant.api.get('/v1/tasks')).status === 401, 'it is refused', 1_000)
    await other.close()
  })

  test('[S11 S12 R3] a session that is deleted: its socket is closed at once, its token is dead', async () => {
    const tenant = await live.workspace()
    const { id, browser } = await tenant.browser()
    assert.is((await tenant.api.ask('DELETE', `/v1/browser-sessions/${id}`)).status, 200)
    await eventually(() => browser.closes.some(({ code }) => code === 4403), 'the socket is closed')
    await eventually(() => browser.closes.some(({ code }) => code === 4401), 'its token is refused')
    browser.disconnect()
    assert.is((await tenant.api.ask('DELETE', `/v1/browser-sessions/${id}`)).status, 404)
  })

  test('[W1 W3] an ending is posted once: what ended, and how', async () => {
    const tenant = await live.workspace()
    const { id: session } = await tenant.browser()
    const { seen, port } = await receiver()
    const id = await start(tenant.api, session, 'at once', { webhook_url: `http://127.0.0.1:${port}/hook` })
    await eventually(() => seen.length > 0, 'the webhook')
    const { completed_at, created_at, ...rest } = JSON.parse(seen[0]?.body ?? '').task
    assert.is(JSON.parse(seen[0]?.body ?? '').event, 'task.completed')
    const usage = { inputTokens: 7, outputTokens: 3, apiCalls: 1 }
    assert.equal(rest, { id, status: 'complete', answer: 'Done.', steps: 1, usage, success: true, output: null })
    assert.ok(Number.isInteger(created_at) && completed_at >= created_at)
    assert.is((await tenant.api.task(id)).status, 'complete', 'the final write came before')
    assert.equal([seen[0]?.method, seen[0]?.headers['content-type']], ['POST', 'application/json'])
  })
  test('[T27 W2] a loop that throws is posted as task.failed, with its answer', async () => {
    const tenant = await live.workspace()
    const { id: session } = await tenant.browser()
    const { seen, port } = await receiver()
    const id = await start(tenant.api, session, 'throw', { webhook_url: `http://127.0.0.1:${port}/` })
    await eventually(() => seen.length > 0, 'the webhook')
    assert.equal(JSON.parse(seen[0]?.body ?? ''), {
      event: 'task.failed',
      task: { id, status: 'error', answer: 'Agent loop crashed: a bug', success: false, output: null },
    })
  })

  test('[B13 B14] usage of every ending is summed, of this workspace alone', async () => {
    const [tenant, other] = [await live.workspace(), await live.workspace()]
    const { id: session } = await tenant.browser()
    for (const task of ['at once', 'call']) await finished(tenant.api, await start(tenant.api, session, task))
    const { json } = await tenant.api.get('/v1/usage')
    const { totalCostUsd: _, ...sums } = json
    const counts = { totalInputTokens: 21, totalOutputTokens: 9, totalApiCalls: 3, taskCount: 2 }
    assert.equal(sums, { ...counts, unpricedModels: ['played'] })
    assert.is((await other.api.get('/v1/usage')).json.taskCount, 0)
  })

  test.after(async () => {
    await closeReceivers()
    await live.close()
  })
  test.run()
}
