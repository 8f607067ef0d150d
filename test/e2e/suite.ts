import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { type MongoServer, startMongoServer } from '../support/mongo/start.ts'
import { type CallResult, TestBrowser } from '../support/service/browser.ts'
import { finished, started, TASK_MS_MAX } from '../support/service/jobs.ts'
import { answerOf, type Job, JPEG, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

/**
 * The whole service from outside, as the process that `npm start` starts: HTTP, relay, the model's wire format.
 * The same tests for every transport and every store.
 */
export async function endToEnd({ transport, store }: { transport: 'uws' | 'node'; store: 'lmdb' | 'mongodb' }) {
  const test = suite(`end to end: ${transport}, ${store}`)
  const mongo: MongoServer | null = store === 'mongodb' ? await startMongoServer() : null
  const model = await openJobModel()
  const service = await openService({
    env: {
      ...model.env,
      TRANSPORT: transport,
      LOG_LEVEL: 'info',
      SHUTDOWN: 'end',
      ...(mongo && { MONGODB_URL: `${mongo.url}/e2e` }),
    },
  })
  const { api } = service
  const session = await api.pair()
  let answer: (name: string) => CallResult = () => ({})
  const browser = await TestBrowser.open({
    relayPort: session.relayPort,
    token: session.token,
    answer: ({ tool, input }) =>
      tool === 'computer' ? { output: 'taken', screenshot: JPEG } : answer(String(input.text)),
  })
  const start = (job: Job, more: object = {}) => started(api, session.id, job, more)

  test('[S4 S9 S10] a paired browser is a connected session', async () => {
    assert.is(session.relayPort, service.relayPort)
    const { json } = await api.get('/v1/browser-sessions')
    assert.equal(
      json.sessions.map(({ id, status, state }: { id: string; status: string; state: string }) => [id, status, state]),
      [[session.id, 'connected', 'connected']],
    )
  })

  test('[T20 T25 T42 T43] a task is seen to think and to act, and completes', async () => {
    answer = () => ({ output: 'slowly', ms: 250 })
    const job = { name: 'first', steps: 2, ms: 250 }
    const id = await start(job)
    const states = new Set<string>()
    let task = await api.task(id)
    await eventually(
      async () => {
        task = await api.task(id)
        states.add(task.state)
        return task.status !== 'running'
      },
      'an end',
      TASK_MS_MAX,
    )
    assert.ok(states.has('thinking') && states.has('acting'), [...states].join())
    assert.is(task.answer, answerOf(job))
    assert.equal([task.status, task.ended_by, task.failure, task.steps], ['complete', 'completed', null, 3])
    assert.is(task.usage.apiCalls, 3)
  })

  test('[T38 T40 T51 T52 T61] its steps and its screenshot are read', async () => {
    const id = await start({ name: 'pictures', steps: 1, pictures: true })
    assert.is((await finished(api, id)).status, 'complete')
    const { json } = await api.get(`/v1/tasks/${id}/steps`)
    assert.equal(
      json.steps.map(({ step, status }: { step: number; status: string }) => `${step} ${status}`),
      [
        ...['1 thinking', '1 tool_use', '1 tool_output', '1 screenshot', '1 tool_result'],
        ...['2 thinking', '2 tool_use', '2 tool_output', '2 tool_result', '2 complete'],
      ],
    )
    // [T61] A call has one id in steps and turns, and neither shows the marks that the model reads.
    const task = (await api.get(`/v1/tasks/${id}`)).json
    const callIds = json.steps.map(({ call_id }: { call_id: string | null }) => call_id)
    const [callId, finishId] = task.turns.map(({ tools: [tool] }: { tools: { call_id: string }[] }) => tool?.call_id)
    assert.match(callId, /^[0-9a-f-]{36}$/)
    assert.equal(callIds, [null, callId, callId, callId, callId, null, finishId, finishId, finishId, null])
    assert.not.match(JSON.stringify([task.turns, json.steps]), 'page_content')
    const image = await api.get(`/v1/tasks/${id}/screenshots/1`)
    assert.equal([image.status, image.headers['content-type']], [200, 'image/jpeg'])
    assert.is(image.raw.toString('base64'), JPEG)
    const asJson = await api.get(`/v1/tasks/${id}/screenshots/1`, { accept: 'application/json' })
    assert.equal(asJson.json, { screenshot: JPEG })
    assert.is((await api.get(`/v1/tasks/${id}/screenshots/2`)).status, 404)
  })

  test('[E16 R8 R10] nothing hostile ends the process', async () => {
    const { pid } = service
    const paths = ['/v1/tasks/%00', '/../../etc/passwd', '/v1/tasks?limit=-1', `/v1/tasks/${'x'.repeat(5_000)}`]
    for (const path of paths) assert.ok((await api.get(path)).status < 500, path)
    for (const body of ['{', '[]', 'null', '{"task":{}}', `"${'x'.repeat(200_000)}"`]) {
      assert.ok((await api.post('/v1/tasks', body)).status >= 400)
    }
    const other = await api.pair()
    for (const frame of ['{', '[]', '{"type":"tool_result"}', Buffer.alloc(100), `"${'x'.repeat(17 * 1024 * 1024)}"`]) {
      const hostile = await TestBrowser.open({ relayPort: other.relayPort, token: other.token })
      for (let times = 0; times < 4; times++) hostile.sendRaw(frame)
      hostile.send({ type: 'ping' })
      await eventually(() => hostile.closes.length > 0 || hostile.framesOf('pong').length > 0, 'an answer', 15_000)
      hostile.disconnect()
    }
    assert.equal([service.pid, service.exit], [pid, null])
    assert.is((await finished(api, await start({ name: 'after', steps: 1 }))).status, 'complete')
  })

  test('[T31 D10] SIGTERM ends what runs with its text, and the process with 0', async () => {
    answer = () => 'never'
    const acting = await start({ name: 'acting', steps: 1 })
    const thinking = await start({ name: 'thinking', steps: 0, end: 'hang' })
    await eventually(async () => (await api.task(acting)).state === 'acting', 'acting')
    await eventually(() => model.endpoint.requests.length > 0, 'thinking')
    const closes = browser.closes.length
    const from = performance.now()
    const exit = await service.stop()
    assert.equal(exit, { code: 0, signal: null }, service.output)
    assert.ok(performance.now() - from < 10_000, 'it takes 10 s at most')
    await eventually(() => browser.closes.length > closes, 'a close frame')
    assert.is(browser.closes[closes]?.code, 1001)
    service.spawn()
    await service.answers()
    for (const id of [acting, thinking]) {
      const task = await api.task(id)
      assert.equal(
        [task.status, task.answer, task.ended_by, task.failure],
        ['error', 'Task interrupted by server shutdown.', 'shutdown', 'aborted'],
      )
    }
  })

  if (mongo) {
    test('[D10] a second signal ends a process that cannot finish', async () => {
      await browser.registered()
      answer = () => 'never'
      const id = await start({ name: 'stuck', steps: 1 })
      await eventually(async () => (await api.task(id)).state === 'acting', 'acting')
      const stops = () => service.output.split('"Stopping."').length
      const before = stops()
      mongo.pause()
      service.signal('SIGTERM')
      await eventually(() => stops() > before, 'the first signal')
      assert.equal(await service.stop(), { code: 1, signal: null })
      mongo.resume()
    })
  }

  test.after(async () => {
    browser.disconnect()
    await service.kill()
    await model.endpoint.close()
    mongo?.resume()
    await mongo?.kill()
  })
  test.run()
}
