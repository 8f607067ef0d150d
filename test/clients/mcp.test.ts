import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ENTRY } from '../support/built.ts'
import { Api } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { answerOf, answers, doJob, JPEG, lastResults, openJobModel, taskOf } from '../support/service/model.ts'
import { allowManyStarts, openService } from '../support/service.ts'

const test = suite('MCP by the official client')
const model = await openJobModel()
const service = await openService({ env: model.env })
allowManyStarts(service)
const session = await service.api.pair()
let hangs = false
const browser = await TestBrowser.open({
  relayPort: session.relayPort,
  token: session.token,
  answer: () => (hangs ? 'never' : { output: 'done', screenshot: JPEG, ms: 30 }),
})
const job = (name: string, more: object = {}) => ({ name, steps: 2, pictures: true, ...more })
const TOOLS = [
  'browser_run_task',
  'browser_get_task',
  'browser_list_tasks',
  'browser_send_message',
  'browser_answer_input',
  'browser_pause_task',
  'browser_resume_task',
  'browser_cancel_task',
  'browser_list_browsers',
  'browser_pair_browser',
  'browser_screenshot',
]

const overHttp = (headers: Record<string, string> = { authorization: `Bearer ${service.key}` }) =>
  new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } })
const overStdio = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [ENTRY, 'mcp', '--service', service.url],
    env: { PATH: process.env.PATH ?? '', BROWSER_TASK_KEY: service.key },
  })
type Answer = {
  readonly isError?: boolean
  readonly structuredContent?: Record<string, unknown>
  content: { type: string; text?: string; data?: string }[]
}
/** A connected client of an era, and its calls. */
async function connected(
  transport: Parameters<Client['connect']>[0],
  era: 'modern' | 'legacy',
  onAsked?: (message: string) => { action: 'accept' | 'decline'; content?: Record<string, string | boolean> },
) {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
      ...(onAsked ? { capabilities: { elicitation: {} } } : {}),
    },
  )
  if (onAsked) client.setRequestHandler('elicitation/create', async ({ params }) => onAsked(params.message))
  await client.connect(transport)
  const call = async (name: string, args: Record<string, unknown> = {}, options: object = {}) =>
    (await client.callTool({ name, arguments: args }, options)) as unknown as Answer
  return { client, call }
}

for (const era of ['modern', 'legacy'] as const) {
  for (const [name, transport] of [
    ['HTTP', () => overHttp()],
    ['stdio', overStdio],
  ] as const) {
    test(`[Y7] [Y9] a ${era} client over ${name} lists the tools, runs a task with progress, and sees it`, async () => {
      const { client, call } = await connected(transport(), era)
      try {
        const { tools } = await client.listTools()
        assert.equal(
          tools.map((tool) => tool.name),
          TOOLS,
        )
        assert.ok(tools.every(({ annotations, description }) => annotations?.readOnlyHint !== undefined && description))
        assert.is(tools.filter(({ outputSchema }) => outputSchema).length, TOOLS.length - 1)
        const progress: number[] = []
        const wanted = job(`${era} ${name}`, { ms: 700 })
        const run = await call(
          'browser_run_task',
          { task: taskOf(wanted) },
          { onprogress: ({ progress: done }: { progress: number }) => progress.push(done) },
        )
        assert.equal([run.structuredContent?.status, run.structuredContent?.answer], ['complete', answerOf(wanted)])
        assert.ok(progress.length > 0, 'progress')
        const { task_id } = run.structuredContent ?? {}
        const shot = await call('browser_screenshot', { task_id })
        assert.equal([shot.content[0]?.type, shot.content[0]?.data], ['image', JPEG])
        const listed = await call('browser_list_tasks', { q: wanted.name, limit: 1 })
        assert.equal(((listed.structuredContent?.tasks ?? []) as { task_id: string }[])[0]?.task_id, task_id)
      } finally {
        await client.close()
      }
    })
  }
}

test('[Y7] a longer task is answered with a handle; it is read, and cancelled', async () => {
  const { client, call } = await connected(overHttp(), 'modern')
  hangs = true
  const { structuredContent: task } = await call('browser_run_task', {
    task: taskOf(job('long')),
    browser_session_id: session.id,
    wait_seconds: 1,
  })
  assert.is(task?.status, 'running')
  assert.match(String(task?.next), 'browser_get_task')
  const { structuredContent: cancelled } = await call('browser_cancel_task', { task_id: task?.task_id })
  assert.is(cancelled?.ended_by, 'cancelled')
  hangs = false
  await client.close()
})

test('[Y7] a task that asks is answered, and is told something', async () => {
  const { client, call } = await connected(overHttp(), 'modern')
  const wanted = job('asked', { asks: 'Which size?', ms: 100 })
  const asked = (await call('browser_run_task', { task: taskOf(wanted), ask_user: true })).structuredContent ?? {}
  assert.is(asked.state, 'waitingForInput')
  assert.match(String(asked.next), 'browser_answer_input')
  const { task_id, input_request } = asked as { task_id: string; input_request: { id: string; message: string } }
  assert.is(input_request.message, 'Which size?')
  const said = await call('browser_send_message', { task_id, text: 'Wrap it as a gift' })
  assert.is(said.structuredContent?.ok, true)
  const answer = { task_id, request_id: input_request.id, action: 'accept', content: 'Size 42' }
  assert.is((await call('browser_answer_input', answer)).structuredContent?.ok, true)
  const again = await call('browser_answer_input', answer)
  assert.ok(again.isError)
  const ended = await call('browser_get_task', { task_id, wait_seconds: 30 })
  assert.is(ended.structuredContent?.status, 'complete')
  const read = lastResults(model.endpoint)
  assert.match(read, 'Size 42')
  assert.match(read, 'Wrap it as a gift')
  await client.close()
})

for (const [era, name, transport] of [
  ['modern', 'HTTP', () => overHttp()],
  ['modern', 'stdio', overStdio],
  ['legacy', 'stdio', overStdio],
] as const)
  test(`[Y15] a ${era} client over ${name} that can ask its user does so itself, and the call goes on`, async () => {
    const asked: string[] = []
    const { client, call } = await connected(transport(), era, (message) => {
      asked.push(message)
      return asked.length === 1 ? { action: 'accept', content: { answer: 'Size 43' } } : { action: 'decline' }
    })
    const click = { calls: [{ tool: 'computer', input: { action: 'left_click', coordinate: [1, 1] } }] }
    model.endpoint.plan(
      { calls: [{ tool: 'ask_user', input: { question: 'Which size?' } }] },
      click,
      answers('Not bought.'),
    )
    const run = await call('browser_run_task', { task: 'Buy shoes', ask_user: true, approvals: 'irreversible' })
    assert.equal([run.structuredContent?.status, run.structuredContent?.answer], ['complete', 'Not bought.'])
    assert.equal([asked.length, asked[0]], [2, 'Which size?'])
    const read = lastResults(model.endpoint)
    assert.match(read, 'The user answered: Size 43')
    assert.match(read, 'Not approved: the user declined')
    model.endpoint.plan(doJob)
    await client.close()
  })

test('[Y15] a task links to its log, a screenshot to itself; both are read as resources', async () => {
  const { client, call } = await connected(overHttp(), 'modern')
  const run = await call('browser_run_task', { task: taskOf(job('linked')) })
  const link = run.content.find(({ type }) => type === 'resource_link') as unknown as { uri: string }
  const [log] = (await client.readResource({ uri: link.uri })).contents as { text: string }[]
  const events = JSON.parse(log?.text ?? '[]')
  assert.equal([events[0].type, events.at(-1).type], ['task.created', 'task.ended'])
  const shot = await call('browser_screenshot', { task_id: run.structuredContent?.task_id })
  const { uri } = shot.content[1] as unknown as { uri: string }
  const [image] = (await client.readResource({ uri })).contents as { blob: string }[]
  assert.is(image?.blob, JPEG)
  await client.readResource({ uri: uri.replace(/\d+$/, '999') }).then(
    () => assert.unreachable(),
    () => {},
  )
  await client.close()
})

test('[Y15] metadata, budgets and waiting of a start', async () => {
  const { client, call } = await connected(overHttp(), 'modern')
  const fields = { metadata: { order: '4711' }, max_steps: 9, max_tokens: 900_000, on_limit: 'queue', on_away: 'wait' }
  const run = await call('browser_run_task', { task: taskOf(job('fields')), model: 'test-model', ...fields })
  const { json } = await service.api.get(`/v1/tasks/${run.structuredContent?.task_id}`)
  const { metadata, max_steps, max_tokens, model: asked } = json.request
  assert.equal([metadata, max_steps, max_tokens, asked], [{ order: '4711' }, 9, 900_000, 'test-model'])
  const refused = await call('browser_run_task', { task: 'x', model: 'none' })
  assert.match(String(refused.content[0]?.text), 'model_invalid')
  await client.close()
})

test('[I10 I4 I2] a task asks, is answered, paused and resumed, and another one continues it', async () => {
  const { client, call } = await connected(overHttp(), 'modern')
  const ask = { calls: [{ tool: 'ask_user', input: { question: 'Green or black?' } }] }
  model.endpoint.plan(ask, 'hang')
  const { structuredContent: asking = {} } = await call('browser_run_task', { task: 'Choose a tea', ask_user: true })
  const { id: request_id, message } = asking.input_request as { id: string; message: string }
  assert.equal([asking.state, message], ['waitingForInput', 'Green or black?'])
  const { task_id } = asking
  const { structuredContent: paused } = await call('browser_pause_task', { task_id })
  assert.is(paused?.state, 'paused')
  await call('browser_answer_input', { task_id, request_id, action: 'accept', content: 'green' })
  assert.is((await call('browser_get_task', { task_id })).structuredContent?.state, 'paused')
  const { structuredContent: resumed } = await call('browser_resume_task', { task_id })
  assert.is(resumed?.state, 'thinking')
  await call('browser_cancel_task', { task_id })
  model.endpoint.plan(answers('Green it is.'))
  const { structuredContent: next } = await call('browser_run_task', { task: 'Go on', continue_task_id: task_id })
  assert.equal([next?.status, next?.answer], ['complete', 'Green it is.'])
  assert.match(JSON.stringify(model.endpoint.requests.at(-1)?.body), /Choose a tea.*The user answered: green.*Go on/)
  model.endpoint.plan(doJob)
  await client.close()
})

test('[Y7] a call that is given up ends its waiting and not the task', async () => {
  const { client, call } = await connected(overHttp(), 'modern')
  hangs = true
  const givenUp = new AbortController()
  const options = { signal: givenUp.signal, onprogress: () => givenUp.abort() }
  const run = call('browser_run_task', { task: taskOf(job('given up')) }, options)
  assert.ok(
    await run.then(
      () => false,
      () => true,
    ),
  )
  const { structuredContent } = await call('browser_list_tasks', { q: 'given up' })
  const [task] = (structuredContent?.tasks ?? []) as { task_id: string; status: string }[]
  assert.is(task?.status, 'running')
  await call('browser_cancel_task', { task_id: task?.task_id })
  hangs = false
  await client.close()
})

test('[Y7] browsers and pairing; what the API refuses is the tool’s error', async () => {
  const { client, call } = await connected(overHttp(), 'modern')
  const { structuredContent } = await call('browser_list_browsers')
  const [only] = (structuredContent?.browsers ?? []) as { browser_session_id: string; status: string }[]
  assert.equal([only?.browser_session_id, only?.status], [session.id, 'connected'])
  assert.match(String((await call('browser_pair_browser')).structuredContent?.pairing_url), '/pair/svc_pair_')
  const refused = await call('browser_get_task', { task_id: 'nothing' })
  assert.equal([refused.isError, refused.content[0]?.text], [true, 'Task not found (task_not_found)'])
  await client.close()
})

test('[Y8] a secret key alone, and pages of allowed origins', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const ask = (key: string, headers: Record<string, string> = {}) =>
    new Api(service.url, key).post('/mcp', body, { accept: 'application/json, text/event-stream', ...headers })
  const publishable = await service.api.post('/v1/api-keys', { name: 'p', type: 'publishable' })
  assert.is((await ask('')).status, 401)
  assert.is((await ask('svc_live_wrong')).status, 401)
  assert.is((await ask(publishable.json.key)).status, 403)
  assert.equal((await ask(service.key, { origin: 'https://evil.example' })).json.code, 'origin_not_allowed')
  assert.is((await ask(service.key, { origin: service.url })).status, 200)
  assert.is((await ask('', { cookie: 'better-auth.session_token=x' })).status, 401)
})

test('[X9] browser_run_task takes secrets; what is wrong with them is told without their values', async () => {
  const { client, call } = await connected(overHttp(), 'modern')
  const secret = { name: 'password', value: 'Tr0ub4dor', domains: ['shop.example'] }
  const args = { task: taskOf(job('secret')), wait_seconds: 0 }
  const refused = await call('browser_run_task', { ...args, secrets: [{ ...secret, domains: ['*.com'] }] })
  assert.ok(refused.isError)
  assert.match(JSON.stringify(refused), /secrets\[0\]\.domains must be a list of domains/)
  assert.not.match(JSON.stringify(refused), 'Tr0ub')
  const started = await call('browser_run_task', { ...args, secrets: [secret] })
  assert.not.ok(started.isError, JSON.stringify(started))
  await call('browser_get_task', { task_id: started.structuredContent?.task_id, wait_seconds: 20 })
  assert.match(lastResults(model.endpoint), '{{secret:password}} for shop.example')
  assert.not.match(JSON.stringify(model.endpoint.requests.map(({ body }) => body)), 'Tr0ub')
  await client.close()
})

test('[U9] browser_run_task takes files by URL', async () => {
  const { client, call } = await connected(overHttp(), 'modern')
  const args = { task: taskOf(job('files')), wait_seconds: 20 }
  const refused = await call('browser_run_task', { ...args, files: [{ url: `${service.url}/nothing` }] })
  assert.ok(refused.isError)
  assert.match(JSON.stringify(refused), /files\[0\]\.url could not be fetched/)
  const ended = await call('browser_run_task', { ...args, files: [{ url: `${service.url}/openapi.json` }] })
  const { structuredContent: task } = await call('browser_get_task', { task_id: ended.structuredContent?.task_id })
  assert.match(JSON.stringify(task?.files), /"openapi\.json","media_type":"application\/json"/)
  await client.close()
})

test.after(async () => {
  browser.disconnect()
  await service.kill()
  await model.endpoint.close()
})
test.run()
