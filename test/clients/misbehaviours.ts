import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'

/**
 * A server that misbehaves, and what a client makes of it, in whatever language it is written. Each case is a base URL
 * of its own: its requests get the acts of their route in turn, the last one for ever.
 */
export interface Case {
  readonly name: string
  /** What the client is asked to do. */
  readonly call: 'events' | 'workspace_events' | 'usage' | 'list' | 'create' | 'wait' | 'run' | 'run_with_events'
  readonly acts: readonly Act[] | Readonly<Record<string, readonly Act[]>>
  /** Options of the client; 1 and a minute when they are left out. */
  readonly maxRetries?: number
  readonly retryForMs?: number
  /** Options of the call. */
  readonly after?: number
  readonly timeoutMs?: number
  readonly answersInputs?: boolean
  /** Ends the call when the server says so (`aborts`). */
  readonly isAborted?: boolean
  readonly gives: Given
  /** Beside what is checked of each case: no more than this is asked. */
  readonly requestsMax?: number
  readonly check?: (asked: readonly Asked[]) => void
}
/** What a call gave, or how it failed. */
export type Given =
  | { readonly seqs: readonly number[] }
  | { readonly value: unknown }
  | { readonly error: string; readonly seqs?: readonly number[] }
export interface Asked {
  readonly at: number
  readonly route: string
  readonly query: URLSearchParams
  readonly key: string | undefined
  readonly body: string
}
interface Context {
  readonly request: IncomingMessage
  readonly query: URLSearchParams
  readonly key: string | undefined
  /** Tasks by the key that started them, and whether they run. */
  readonly tasks: Map<string, { readonly id: string; isRunning: boolean }>
  abort(): void
}
type Act = (response: ServerResponse, context: Context) => unknown

const frame = (seq: number, type = seq === 3 ? 'task.ended' : 'step.started') =>
  `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, type })}\n\n`
const opened = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1000\n: connected\n\n')
const sending =
  (text: string | Buffer, end: 'end' | 'cut' = 'end'): Act =>
  (response) => {
    opened(response)
    response.write(text, () => setTimeout(() => (end === 'end' ? response.end() : response.destroy()), 10))
  }
const bytewise =
  (text: string): Act =>
  async (response) => {
    opened(response)
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    response.end()
  }
const all = [1, 2, 3].map((seq) => frame(seq)).join('')
const rest: Act = (response, context) => {
  const after = Number(context.query.get('after'))
  const left = [1, 2, 3].filter((seq) => seq > after).map((seq) => frame(seq))
  sending(left.join(''))(response, context)
}
const json =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Act =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const raw =
  (status: number, type: string, text: string, headers: Record<string, string> = {}): Act =>
  (response) =>
    response.writeHead(status, { 'content-type': type, ...headers }).end(text)
const html = (status: number) => raw(status, 'text/html', '<!doctype html><h1>Sorry</h1>')
const half = (status: number, text: string, length: number): Act => {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': String(length) }).write(text)
    setTimeout(() => response.destroy(), 10)
  }
}
const cut: Act = (response) => response.destroy()
const never: Act = () => {}
const now = (ms: number) => new Date(Date.UTC(2030, 0, 1) + ms).toUTCString()
const aborting =
  (act: Act): Act =>
  (response, context) => {
    context.abort()
    return act(response, context)
  }

/** Starts a task, once for each key. */
const starting =
  (act: (created: object) => Act): Act =>
  (response, context) => {
    const key = context.key ?? String(context.tasks.size)
    const task = context.tasks.get(key) ?? { id: 'a', isRunning: true }
    context.tasks.set(key, task)
    return act({ ...running, id: task.id })(response, context)
  }
const started = starting((created) => json(201, created))
const startedUnheard = starting(() => cut)
const cancelled: Act = (response, context) => {
  for (const task of context.tasks.values()) task.isRunning = false
  return json(200, { ...complete, status: 'error', ended_by: 'cancelled' })(response, context)
}
const ended: Act = (response, context) => {
  for (const task of context.tasks.values()) task.isRunning = false
  return json(200, complete)(response, context)
}
const asked = { task: 'Buy tea', context: null, url: null, browser_session_id: 's', webhook_url: null }
const task = {
  ...{ id: 'a', task: 'Buy tea', url: null, browser_session_id: 's', created_at: 1, deadline_at: 2, metadata: {} },
  ...{ steps: 0, usage: { inputTokens: 0, outputTokens: 0, apiCalls: 0 }, cost_usd: null, success: null },
  ...{ answer: null, output: null, failure: null, ended_by: null, completed_at: null, turns: null },
  ...{ output_sources: null, ungrounded: null },
  request: {
    ...{ ...asked, metadata: {}, output_schema: null, approvals: 'never', ask_user: false, model: null, effort: null },
    ...{ max_steps: null, max_tokens: null, max_cost_usd: null, allowed_domains: null, secrets: [], files: [] },
  },
}
const running = { ...task, status: 'running', state: 'thinking', seq: 1 }
const complete = { ...task, status: 'complete', state: 'complete', seq: 3, answer: 'done' }
const request = { id: 'r-1', kind: 'question', message: 'Which size?', schema: null, call: null, expires_at: 1 }
const asking = { ...running, state: 'waitingForInput', input_request: request }
const USAGE = { taskCount: 3, totalInputTokens: 0, totalOutputTokens: 0, totalApiCalls: 0, totalCostUsd: null }
const used = json(200, USAGE)
const POST = 'POST /v1/tasks'
const GET = 'GET /v1/tasks/a'
const CANCEL = 'POST /v1/tasks/a/cancel'
const EVENTS = 'GET /v1/tasks/a/events'
const ANSWER = 'POST /v1/tasks/a/inputs/r-1'
const soon = { 'retry-after': '0' }
const code = (name: string) => ({ error: 'A sentence.', code: name })

const after = (...expected: string[]) => ({
  check: (asked: readonly Asked[]) =>
    assert.equal(
      asked.map(({ query }) => query.get('after')),
      expected,
    ),
})
const oneKey = {
  check: (asked: readonly Asked[]) =>
    assert.is(new Set(asked.filter(({ route }) => route === POST).map(({ key, body }) => `${key} ${body}`)).size, 1),
}
const three = { seqs: [1, 2, 3] }
const events = (name: string, acts: Act[], gives: Given = three, more: Partial<Case> = {}): Case => ({
  name,
  call: 'events',
  acts,
  gives,
  ...more,
})
const usage = (name: string, acts: Act[], gives: Given = { value: 3 }, more: Partial<Case> = {}): Case => ({
  name,
  call: 'usage',
  acts,
  gives,
  ...more,
})
const aborted = (name: string, acts: Readonly<Record<string, Act[]>>, call: Case['call'] = 'run'): Case => ({
  name,
  call,
  acts,
  isAborted: true,
  gives: { error: 'aborted' },
  ...oneKey,
})

export const CASES: readonly Case[] = [
  // Streams that go on: each event once and in order.
  events('a first connection that is lost before its first event', [sending('', 'cut'), rest], three, after('0', '0')),
  events('a first request that nobody answers', [cut, rest], three, after('0', '0')),
  events('half an event', [sending(frame(1) + frame(2).slice(0, 20), 'cut'), rest], three, after('0', '1')),
  events('an event that is not JSON', [sending(`${frame(1)}id: 2\ndata: {"seq":\n\n`), rest], three, after('0', '1')),
  events('events that come twice', [sending(frame(1) + frame(1) + frame(2)), sending(frame(1) + frame(3))]),
  events('a reconnection from the beginning, whatever was asked', [sending(frame(1) + frame(2), 'cut'), sending(all)]),
  events('an event without a number', [sending(`data: {"type":"x"}\n\n${frame(1)}`), rest], three, after('0', '1')),
  events('500, 502 and 503 in the middle', [sending(frame(1)), html(502), json(503), json(500), rest]),
  events('Retry-After in seconds', [json(503, {}, soon), rest], three, after('0', '0')),
  events('Retry-After as a date', [json(503, {}, { date: now(0), 'retry-after': now(1_000) }), rest]),
  events('one byte after the other, with half characters', [
    bytewise(all.replaceAll('{"seq"', '{"text":"äöü😀","seq"')),
  ]),
  events('line breaks of Windows', [bytewise(all.replaceAll('\n', '\r\n'))]),
  events('comments and pings in between', [sending(`: ping\n\n${frame(1)}: ping\n\n:\n${frame(2)}: x\n${frame(3)}`)]),
  events('a type of event that nobody knows', [sending(frame(1) + frame(2, 'task.danced') + frame(3))]),
  events('an end that was told before', [(response) => response.writeHead(204).end()], { seqs: [] }),
  events('a log of which the beginning is lost', [json(410, { ...code('events_expired'), oldest: 2 }), rest], {
    error: 'events_expired',
    seqs: [],
  }),
  events('the same, read on behind it', [rest], { seqs: [2, 3] }, { after: 1 }),
  {
    ...events('events of a workspace, lost before the first one', []),
    call: 'workspace_events',
    acts: [
      json(200, { events: [], data: [], next_cursor: 41, has_more: false }),
      sending('', 'cut'),
      sending(`id: 44\ndata: {"seq":7,"type":"task.ended"}\n\n`),
    ],
    gives: { seqs: [7] },
    ...after('now', '41', '41'),
  },
  // Streams that cannot go on: an error of the client, and not a request each second.
  events('502 from the beginning, for ever', [html(502)], { error: 'http_502', seqs: [] }),
  events(
    '503 afterwards, for ever',
    [sending(frame(1)), html(503)],
    { error: 'http_503', seqs: [1] },
    { retryForMs: 400 },
  ),
  events(
    'connections that end at once, for ever',
    [sending('')],
    { error: 'connection_failed', seqs: [] },
    { retryForMs: 400 },
  ),
  events(
    'nobody there afterwards',
    [sending(frame(1)), cut],
    { error: 'connection_failed', seqs: [1] },
    { retryForMs: 400 },
  ),
  events('a page where a stream should be', [html(200)], { error: 'answer_invalid', seqs: [] }),
  events('JSON where a stream should be', [json(200, { events: [] })], { error: 'answer_invalid', seqs: [] }),
  events('a page instead of a refusal', [html(404)], { error: 'http_404', seqs: [] }),
  events('a key that was deleted meanwhile', [sending(frame(1)), json(401, code('unauthorized'))], {
    error: 'unauthorized',
    seqs: [1],
  }),
  // Answers.
  usage('half an answer', [half(200, '{"taskCount":', 100), used]),
  usage('half answers, for ever', [half(200, '{"taskCount":3}', 100)], { error: 'connection_failed' }),
  usage('nobody there', [cut], { error: 'connection_failed' }),
  usage(
    'an answer that says it is compressed and is not',
    [raw(200, 'application/json', '{}', { 'content-encoding': 'gzip' })],
    {
      error: 'connection_failed',
    },
  ),
  usage('a page instead of an answer', [html(200)], { error: 'answer_invalid' }),
  usage('an empty answer', [raw(200, 'application/json', '')], { error: 'answer_invalid' }),
  usage('JSON that ends early', [raw(200, 'application/json', '{"taskCount":')], { error: 'answer_invalid' }),
  usage('JSON that is no object', [raw(200, 'application/json', '"hello"')], { error: 'answer_invalid' }),
  usage('500 with a page, for ever', [html(500)], { error: 'http_500' }),
  usage('a refusal that is no JSON', [raw(400, 'text/plain', 'no')], { error: 'http_400' }, { requestsMax: 1 }),
  usage('a refusal without a code', [json(400, { error: 'no' })], { error: 'http_400' }, { requestsMax: 1 }),
  usage('a refusal whose fields have other types', [json(400, { error: 4, code: [], oldest: 'x' })], {
    error: 'http_400',
  }),
  usage('429, come again at once', [json(429, code('rate_limited'), soon), used]),
  usage(
    '429, come again in ten minutes',
    [json(429, code('rate_limited'), { 'retry-after': '600' })],
    { error: 'rate_limited' },
    { requestsMax: 1 },
  ),
  usage('a Retry-After that is neither', [json(503, {}, { 'retry-after': 'soon' }), used]),
  usage('a Retry-After in the past', [json(503, {}, { date: now(9_000), 'retry-after': now(0) }), used]),
  usage(
    '503 of what is not configured',
    [json(503, code('auth_not_configured'))],
    { error: 'auth_not_configured' },
    { requestsMax: 1 },
  ),
  usage('an answer that never comes', [never], { error: 'timeout' }, { timeoutMs: 300, requestsMax: 1 }),
  {
    name: 'a list whose pages go round',
    call: 'list',
    acts: [json(200, { tasks: [running], data: [running], next_cursor: 'c', has_more: true })],
    gives: { error: 'answer_invalid' },
    requestsMax: 2,
  },
  // Starts: one task, whatever happens.
  {
    name: 'a start whose answer is lost',
    call: 'create',
    acts: [startedUnheard, started],
    gives: { value: 'a' },
    ...oneKey,
  },
  {
    name: 'a start whose answer is half',
    call: 'create',
    acts: [starting(() => half(201, '{"id"', 60)), started],
    gives: { value: 'a' },
    ...oneKey,
  },
  {
    name: 'a start that a proxy calls failed',
    call: 'create',
    acts: [starting(() => html(504)), started],
    gives: { value: 'a' },
    ...oneKey,
  },
  {
    name: 'a start that is still under way',
    call: 'create',
    acts: [json(409, code('idempotency_in_progress'), soon), started],
    gives: { value: 'a' },
    ...oneKey,
  },
  {
    name: 'a start whose key was used for another',
    call: 'create',
    acts: [json(422, code('idempotency_key_reused'))],
    gives: { error: 'idempotency_key_reused' },
    requestsMax: 1,
  },
  // Waiting.
  {
    name: 'a wait that is answered at once, for ever',
    call: 'wait',
    acts: [json(200, running)],
    timeoutMs: 4_000,
    gives: { error: 'timeout' },
    requestsMax: 4,
  },
  {
    name: 'a wait over lost connections',
    call: 'wait',
    acts: [cut, json(200, running), cut, cut, json(200, complete)],
    gives: { value: 'complete' },
  },
  {
    name: 'a wait over 502',
    call: 'wait',
    acts: [json(200, running), html(502), html(502), json(200, complete)],
    gives: { value: 'complete' },
  },
  {
    name: 'a wait for a task that is deleted',
    call: 'wait',
    acts: [json(200, running), json(404, code('task_not_found'))],
    gives: { error: 'task_not_found' },
  },
  {
    name: 'a wait for a service that stays away',
    call: 'wait',
    acts: [json(200, running), cut],
    retryForMs: 400,
    gives: { error: 'connection_failed' },
  },
  {
    name: 'a question that is asked in every answer',
    call: 'wait',
    answersInputs: true,
    acts: { [GET]: [json(200, asking), json(200, asking), json(200, complete)], [ANSWER]: [json(200, {})] },
    gives: { value: 'complete' },
    check: (asked) => assert.is(asked.filter(({ route }) => route === ANSWER).length, 1),
  },
  {
    name: 'a question that somebody else has answered',
    call: 'wait',
    answersInputs: true,
    acts: { [GET]: [json(200, asking), json(200, complete)], [ANSWER]: [json(409, code('input_answered'))] },
    gives: { value: 'complete' },
  },
  {
    name: 'a question that nobody answers',
    call: 'wait',
    acts: [json(200, asking)],
    gives: { value: 'running' },
    requestsMax: 1,
  },
  // Aborted: no task is left running.
  aborted('aborted while its start is under way', {
    [POST]: [aborting((response, context) => setTimeout(() => started(response, context), 200))],
    [CANCEL]: [cancelled],
  }),
  aborted('aborted while the answer of its start is lost', {
    [POST]: [aborting(startedUnheard), started],
    [CANCEL]: [cancelled],
  }),
  aborted('aborted while it waits', { [POST]: [started], [GET]: [aborting(never)], [CANCEL]: [cancelled] }),
  aborted(
    'aborted while its stream is open',
    { [POST]: [started], [EVENTS]: [aborting(opened)], [CANCEL]: [cancelled] },
    'run_with_events',
  ),
  aborted(
    'aborted while its stream is lost',
    { [POST]: [started], [EVENTS]: [sending(frame(1)), aborting(html(503)), html(503)], [CANCEL]: [cancelled] },
    'run_with_events',
  ),
  aborted('aborted, and its cancelling fails at first', {
    [POST]: [started],
    [GET]: [aborting(never)],
    [CANCEL]: [html(502), cancelled],
  }),
  {
    ...aborted('out of time while its start is under way', {
      [POST]: [(response, context) => setTimeout(() => started(response, context), 600)],
      [CANCEL]: [cancelled],
    }),
    isAborted: false,
    timeoutMs: 300,
    gives: { error: 'timeout' },
  },
  {
    name: 'a run whose answers are all lost once',
    call: 'run',
    acts: { [POST]: [startedUnheard, started], [GET]: [cut, json(200, running), cut, ended] },
    gives: { value: 'complete' },
    ...oneKey,
  },
  {
    name: 'a run whose service is away from its start on',
    call: 'run',
    acts: { [POST]: [started], [GET]: [html(502), cut, html(502), ended] },
    gives: { value: 'complete' },
  },
  {
    name: 'a run with events whose service is away from its start on, and from its end on',
    call: 'run_with_events',
    acts: {
      [POST]: [started],
      [EVENTS]: [html(502), cut, html(502), sending(all)],
      [GET]: [html(502), cut, html(502), ended],
    },
    gives: { value: 'complete' },
  },
]

/** Serves every case, for one client. */
export async function serveCases() {
  const all = new Map(
    CASES.map((each, index) => [
      String(index),
      { ...each, asked: [] as Asked[], tasks: new Map(), turns: new Map<string, number>(), ...waiting() },
    ]),
  )
  const server = createServer(async (request, response) => {
    const [, id = '', path = '', text = ''] = /^\/(\d+)(\/[^?]*)\??(.*)$/.exec(request.url ?? '') ?? []
    const each = all.get(id)
    if (!each) return response.writeHead(404).end()
    if (path === '/abort') return each.aborted.then(() => response.writeHead(204).end())
    let body = ''
    for await (const chunk of request) body += chunk
    const route = `${request.method} ${path}`
    const query = new URLSearchParams(text)
    const key = request.headers['idempotency-key']?.toString()
    each.asked.push({ at: performance.now(), route, query, key, body })
    const acts = Array.isArray(each.acts) ? each.acts : ((each.acts as Record<string, Act[]>)[route] ?? [])
    const turnKey = Array.isArray(each.acts) ? '' : route
    const turn = each.turns.get(turnKey) ?? 0
    each.turns.set(turnKey, turn + 1)
    const act = acts[Math.min(turn, acts.length - 1)] ?? json(404, code('not_found'))
    await act(response, { request, query, key, tasks: each.tasks, abort: each.abort })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    /** What a client is to do, as JSON. */
    calls: [...all].map(([id, each]) => ({
      name: each.name,
      baseUrl: `${url}/${id}`,
      call: each.call,
      maxRetries: each.maxRetries ?? 1,
      retryForMs: each.retryForMs ?? 60_000,
      after: each.after ?? null,
      timeoutMs: each.timeoutMs ?? null,
      answersInputs: each.answersInputs ?? false,
      isAborted: each.isAborted ?? false,
    })),
    /** Fails unless the client has done the right thing. */
    check(name: string, given: unknown): void {
      const each = [...all.values()].find((one) => one.name === name)
      assert.ok(each)
      const { asked } = each
      assert.equal(given, each.gives)
      const seconds = ((asked.at(-1)?.at ?? 0) - (asked[0]?.at ?? 0)) / 1_000
      const planned = Array.isArray(each.acts) ? each.acts.length : Object.values(each.acts).flat().length
      const most = each.requestsMax ?? planned + 1 + Math.ceil(seconds)
      assert.ok(asked.length <= most, `${asked.length} requests in ${seconds} s, at most ${most}`)
      assert.ok(each.tasks.size <= 1, 'one task was started')
      if (each.isAborted || each.call.startsWith('run'))
        assert.ok(![...each.tasks.values()].some(({ isRunning }) => isRunning), 'no task is left running')
      each.check?.(asked)
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function waiting() {
  let abort = () => {}
  const aborted = new Promise<void>((resolve) => {
    abort = resolve
  })
  return { aborted, abort }
}
