import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { InputRequest } from '../../src/client/index.ts'
import { type Act, answering, failure, sending, serving } from './misbehaving-server.ts'

const test = suite('the client: waiting for a task, and aborting it')

const REQUEST = { id: 'r-1', kind: 'question', message: 'Which size?', schema: null, call: null, expires_at: 1 }
const running = (seq?: number) => ({ id: 'a', status: 'running', state: 'thinking', seq })
const asking = (seq?: number) => ({ ...running(seq), state: 'waitingForInput', input_request: REQUEST })
const complete = { id: 'a', status: 'complete', state: 'complete', seq: 9 }

test('[Y10] wait gives a task that needs an answer, and with onInput answers it', async () => {
  const without = await serving([answering(200, running(3)), answering(200, asking(5))])
  const { state, input_request } = await without.client.tasks.wait('a')
  assert.equal([state, input_request?.message], ['waitingForInput', 'Which size?'])
  without.close()

  const { client, asked, close } = await serving([
    answering(200, asking(5)),
    answering(202, {}),
    answering(200, complete),
  ])
  const requests: InputRequest[] = []
  const task = await client.tasks.wait('a', {
    onInput: (request) => {
      requests.push(request)
      return { action: 'accept', content: '42' }
    },
  })
  assert.is(task.status, 'complete')
  assert.equal(
    requests.map(({ id }) => id),
    ['r-1'],
  )
  assert.equal(
    asked.map(({ method, url, body }) => `${method} ${url} ${body}`),
    [
      'GET /v1/tasks/a?wait_s=30 ',
      'POST /v1/tasks/a/inputs/r-1 {"action":"accept","content":"42"}',
      'GET /v1/tasks/a?wait_s=30&since=5 ',
    ],
  )
  close()
})

test('[Y10] a service that does not wait while a task asks is not asked again and again', async () => {
  const { client, asked, close } = await serving([answering(200, asking())])
  const stop = new AbortController()
  let calls = 0
  const wait = client.tasks.wait('a', { signal: stop.signal, onInput: () => void calls++ })
  setTimeout(() => stop.abort(), 2_000)
  assert.is((await failure(wait)).name, 'AbortError')
  assert.ok(asked.length <= 3, `${asked.length} requests in two seconds`)
  assert.is(calls, 1)
  close()
})

test('[Y10] what onInput throws ends the waiting; that somebody else was faster does not', async () => {
  const { client, close } = await serving([
    answering(200, asking(5)),
    (response) => setTimeout(() => response.end(), 9_000),
  ])
  const broken = client.tasks.wait('a', { onInput: () => Promise.reject(new Error('No terminal')) })
  assert.is((await failure(broken)).message, 'No terminal')
  close()
  const late = await serving([
    answering(200, asking(5)),
    answering(409, { error: 'This input was answered already.', code: 'input_answered' }),
    answering(200, complete),
  ])
  assert.is((await late.client.tasks.wait('a', { onInput: () => ({ action: 'decline' }) })).status, 'complete')
  late.close()
})

test('[Y10] run with onEvent gives a task that needs an answer unless onEvent has answered it', async () => {
  const events = `id: 1\ndata: {"seq":1,"type":"input.requested"}\n\nid: 3\ndata: {"seq":3,"type":"task.ended"}\n\n`
  for (const [now, status] of [
    [asking(1), 'running'],
    [running(2), 'complete'],
  ] as const) {
    const { client, close } = await serving([
      answering(201, { id: 'a' }),
      sending(events),
      answering(200, now),
      answering(200, complete),
    ])
    const task = await client.tasks.run({ task: 'x', browser_session_id: 's' }, { onEvent: () => {} })
    assert.is(task.status, status)
    close()
  }
})

for (const [what, acts] of [
  ['is answered late', [(response) => setTimeout(() => answering(201, { id: 'a' })(response, null as never), 100)]],
  ['is lost', [(response) => setTimeout(() => response.destroy(), 100), answering(201, { id: 'a' })]],
] as [string, Act[]][]) {
  test(`[Y1] an abort while the start ${what} leaves no task running`, async () => {
    const { client, asked, close } = await serving([...acts, answering(200, complete)])
    const stop = new AbortController()
    const run = client.tasks.run({ task: 'x', browser_session_id: 's' }, { signal: stop.signal })
    setTimeout(() => stop.abort(), 30)
    assert.is((await failure(run)).name, 'AbortError')
    const starts = asked.filter(({ url }) => url === '/v1/tasks')
    assert.is(starts.length, acts.length)
    assert.is(new Set(starts.map(({ key }) => key)).size, 1)
    assert.equal(asked.at(-1)?.url, '/v1/tasks/a/cancel')
    close()
  })
}

test('[Y1] what was aborted before it began sends nothing', async () => {
  const { client, asked, close } = await serving([answering(201, { id: 'a' })])
  const params = { task: 'x', browser_session_id: 's' }
  assert.is((await failure(client.tasks.run(params, { signal: AbortSignal.abort() }))).name, 'AbortError')
  assert.is(asked.length, 0)
  close()
})

test.run()
