import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { streamed } from '../../clients/typescript/src/events.ts'
import { Patience } from '../../clients/typescript/src/patience.ts'
import type { InputRequest } from '../../src/client/index.ts'
import { failure, json, lost, never, scripted, stream } from './scripted.ts'

const test = suite('the TypeScript client: waiting for a task, and following it')

const REQUEST = { id: 'r-1', kind: 'question', message: 'Which size?', schema: null, call: null, expires_at: 1 }
const running = (seq?: number) => ({ id: 'a', status: 'running', state: 'thinking', seq, output: null })
const asking = (seq?: number) => ({ ...running(seq), state: 'waitingForInput', input_request: REQUEST })
const complete = { id: 'a', status: 'complete', state: 'complete', seq: 9, output: null }
const params = { task: 'x', browser_session_id: 's' }

test('[Y10] wait gives a task that needs an answer, and with onInput answers it', async () => {
  const without = scripted([json(200, running(3)), json(200, asking(5))])
  const { state, input_request } = await without.client.tasks.wait('a')
  assert.equal([state, input_request?.message], ['waitingForInput', 'Which size?'])

  const { client, sent } = scripted([json(200, asking(5)), json(200), json(200, complete)])
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
    sent.map(({ method, path, body }) => `${method} ${path} ${body}`),
    [
      'GET /v1/tasks/a?wait_s=30 ',
      'POST /v1/tasks/a/inputs/r-1 {"action":"accept","content":"42"}',
      'GET /v1/tasks/a?wait_s=30&since=5 ',
    ],
  )
})

test('[Y10] what onInput throws ends the waiting; what is aborted before it began sends nothing', async () => {
  const { client } = scripted([json(200, asking(5)), never])
  const broken = client.tasks.wait('a', { onInput: () => Promise.reject(new Error('No terminal')) })
  assert.is((await failure(broken)).message, 'No terminal')
  const aborted = scripted([json(201, { id: 'a' })])
  assert.is((await failure(aborted.client.tasks.run(params, { signal: AbortSignal.abort() }))).name, 'AbortError')
  assert.is(aborted.sent.length, 0)
})

test('[Y10] run with onEvent gives a task that needs an answer unless onEvent has answered it', async () => {
  const events = `id: 1\ndata: {"seq":1,"type":"input.requested"}\n\nid: 3\ndata: {"seq":3,"type":"task.ended"}\n\n`
  for (const [now, status] of [
    [asking(1), 'running'],
    [running(2), 'complete'],
  ] as const) {
    const { client } = scripted([json(201, { id: 'a' }), stream(events), json(200, now), json(200, complete)])
    assert.is((await client.tasks.run(params, { onEvent: () => {} })).status, status)
  }
})

test('[Y3] a stream that falls silent is a lost connection; 204 is the end', async () => {
  const texts = [null, 'id: 1\ndata: x\n\n']
  const events = streamed<string>({
    open: async () => {
      if (texts.length === 0) return new Response(null, { status: 204 })
      const text = texts.shift()
      const body = text ?? new ReadableStream<Uint8Array>()
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
    take: ({ data }) => data,
    isLast: () => false,
    patience: new Patience({ retriesMax: 1, retryForMs: 60_000, random: () => 0 }),
    stop: new AbortController().signal,
    refused: async () => new Error('refused'),
    silenceMsMax: 50,
  })
  const seen: string[] = []
  for await (const data of events) seen.push(data)
  assert.equal(seen, ['x'])
})

test('[Y3] onAway tells once that the connection is lost, and once that it is back', async () => {
  const event = (seq: number, type: string) => `id: ${seq}\ndata: {"seq":${seq},"type":"${type}"}\n\n`
  const { client } = scripted([stream(event(1, 'step.started')), json(502), lost, stream(event(2, 'task.ended'))], {
    maxRetries: 1,
  })
  const told: boolean[] = []
  for await (const _ of client.tasks.events('a', { onAway: (isAway) => told.push(isAway) }));
  assert.equal(told, [true, false])
})

test('[Y3] events of chosen types end with the task all the same; the read token of a page is sent', async () => {
  const { client, sent } = scripted([stream('id: 9\ndata: {"type":"task.ended"}\n\n')])
  for await (const _ of client.tasks.events('a', { types: ['tool.called'], token: 't', after: 4 }));
  assert.is(sent[0]?.path, '/v1/tasks/a/events?after=4&types=tool.called%2Ctask.ended&token=t')
})

test.run()
