import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BrowserTaskError, BrowserTasks, type TaskEvent } from '../../src/client/index.ts'
import { eventually } from '../support/eventually.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { answerOf, JPEG, lastResults, openJobModel, taskOf } from '../support/service/model.ts'
import { allowManyStarts, openService } from '../support/service.ts'

const test = suite('the client against a running service')
const model = await openJobModel()
const service = await openService({ env: model.env })
allowManyStarts(service)
const client = new BrowserTasks({ baseUrl: `${service.url}/`, key: service.key })
const session = await service.api.pair()
let hangs = false
const browser = await TestBrowser.open({
  relayPort: session.relayPort,
  token: session.token,
  answer: () => (hangs ? 'never' : { output: 'done', screenshot: JPEG, ms: 20 }),
})
const job = (name: string, more: object = {}) => ({ name, steps: 2, pictures: true, ...more })
const params = (name: string, more: object = {}) => ({
  task: taskOf(job(name, more)),
  browser_session_id: session.id,
  metadata: { name },
})

test('[Y1] run: starts a task, tells its events, and gives it when it has ended', async () => {
  const events: TaskEvent[] = []
  const task = await client.tasks.run(params('run'), { onEvent: (event) => events.push(event) })
  assert.equal([task.status, task.answer, task.ended_by], ['complete', answerOf(job('run')), 'completed'])
  assert.equal(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  )
  assert.equal([events[0]?.type, events.at(-1)?.type], ['task.created', 'task.ended'])
  const image = await client.tasks.screenshot(task.id, 1)
  assert.is(Buffer.from((await image?.arrayBuffer()) ?? new ArrayBuffer(0)).toString('base64'), JPEG)
  assert.is(await client.tasks.screenshot(task.id, 99), null)
  const steps = []
  for await (const { status } of client.tasks.steps(task.id)) steps.push(status)
  assert.equal([steps[0], steps.at(-1)], ['thinking', 'complete'])
  await client.tasks.delete(task.id)
  await rejects(() => client.tasks.get(task.id), 'task_not_found', 404)
})

test('[Y1] create and wait; the same idempotency key is the same task; a list reads page by page', async () => {
  const key = randomUUID()
  const created = await client.tasks.create(params('wait'), { idempotencyKey: key })
  assert.is((await client.tasks.create(params('wait'), { idempotencyKey: key })).id, created.id)
  assert.is((await client.tasks.wait(created.id)).answer, answerOf(job('wait')))
  const again = await client.tasks.rerun(created.id, { metadata: { name: 'again' } })
  await client.tasks.wait(again.id)
  const found = []
  for await (const { id } of client.tasks.list({ limit: 1, q: '"wait"' })) found.push(id)
  assert.equal(found, [again.id, created.id])
  for await (const { id } of client.tasks.list({ metadata: { name: 'again' } })) assert.is(id, again.id)
})

test('[T65] one request starts a task and waits for its end', async () => {
  const body = params('one request')
  const task = await client.request('POST /v1/tasks', { query: { wait_s: 30 }, body })
  assert.equal([task.status, task.answer], ['complete', answerOf(job('one request'))])
  const atOnce = await client.request('POST /v1/tasks', { body })
  assert.is(atOnce.status, 'running')
  assert.is((await client.tasks.wait(atOnce.id)).request.task, body.task)
})

test('[Y3] events go on over a restart of the service, each once', async () => {
  const { id } = await client.tasks.create(params('restart', { steps: 6, ms: 150, pictures: false }))
  const seen: number[] = []
  for await (const { seq } of client.tasks.events(id)) {
    seen.push(seq)
    if (seq !== 6) continue
    await service.kill()
    service.spawn()
    await service.answers()
  }
  assert.equal(
    seen,
    seen.map((_, index) => index + 1),
  )
  const { answer, ended_by } = await client.tasks.get(id)
  assert.equal([ended_by, answer], ['completed', answerOf(job('restart', { steps: 6 }))])
})

test('[Y1] a signal cancels the task that it runs', async () => {
  await browser.registered()
  hangs = true
  const controller = new AbortController()
  const run = client.tasks.run(params('cancelled'), {
    signal: controller.signal,
    onEvent: ({ type }) => type === 'tool.called' && controller.abort(),
  })
  assert.is(await run.catch((error: Error) => error.name), 'AbortError')
  for await (const task of client.tasks.list({ metadata: { name: 'cancelled' } })) assert.is(task.ended_by, 'cancelled')
  hangs = false
})

test('[Y1] message, answer, pause and resume: the model reads what is said, a pause holds its next call', async () => {
  const wanted = job('asked', { asks: 'Which size?', ms: 100 })
  const { id } = await client.tasks.create({ ...params('asked', wanted), ask_user: true })
  await eventually(async () => (await client.tasks.get(id)).state === 'waitingForInput', 'it asks')
  const { input_request: request } = await client.tasks.get(id)
  assert.equal([request?.kind, request?.message], ['question', 'Which size?'])
  await client.tasks.message(id, 'Wrap it as a gift')
  await client.tasks.pause(id)
  await client.tasks.answer(id, request?.id ?? '', { action: 'accept', content: 'Size 42' })
  await rejects(() => client.tasks.answer(id, request?.id ?? '', { action: 'accept' }), 'input_answered', 409)
  await eventually(async () => (await client.tasks.get(id)).state === 'paused', 'it is paused')
  assert.is((await client.tasks.resume(id)).status, 'running')
  assert.is((await client.tasks.wait(id)).ended_by, 'completed')
  const read = lastResults(model.endpoint)
  assert.match(read, 'Size 42')
  assert.match(read, 'Wrap it as a gift')
  await rejects(() => client.tasks.message(id, 'Too late'), 'task_ended', 409)
})

test('[Y10] run answers by onInput what its task asks, and without it gives the task that asks', async () => {
  const wanted = (name: string) => ({ ...params(name, { asks: 'Which size?' }), ask_user: true })
  const asked: string[] = []
  const onInput = ({ message }: { message: string }) => {
    asked.push(message)
    return { action: 'accept', content: 'Size 43' } as const
  }
  assert.is((await client.tasks.run(wanted('on-input'), { onInput })).ended_by, 'completed')
  assert.is((await client.tasks.run(wanted('on-event'), { onInput, onEvent: () => {} })).ended_by, 'completed')
  assert.equal(asked, ['Which size?', 'Which size?'])
  assert.match(lastResults(model.endpoint), 'Size 43')
  const task = await client.tasks.run(wanted('nobody'))
  assert.equal([task.status, task.state, task.input_request?.message], ['running', 'waitingForInput', 'Which size?'])
  await client.tasks.cancel(task.id)
})

test('[Y1] files: uploaded, given to a task, listed and read', async () => {
  const words = 'Signed by Ada Lovelace'
  const uploaded = await client.files.upload('contract.txt', words)
  assert.equal([uploaded.name, uploaded.media_type, uploaded.size], ['contract.txt', 'text/plain', words.length])
  const given = { ...params('files'), files: [{ file_id: uploaded.id }] }
  const { id } = await client.tasks.create(given)
  await client.tasks.wait(id)
  const files = []
  for await (const file of client.tasks.files(id)) files.push(file)
  assert.equal(
    files.map(({ name, origin }) => [name, origin]),
    [['contract.txt', 'given']],
  )
  assert.is(await (await client.tasks.file(id, files[0]?.id ?? ''))?.text(), words)
  assert.is(await client.tasks.file(id, randomUUID()), null)
})

test('[Y4] [E31] what goes wrong is one kind of error, with code, status and the id of the request', async () => {
  await rejects(() => client.tasks.create({ ...params('x'), task: ' ' }), 'task_required', 400)
  const refused = await client.tasks
    .create({ ...params('x'), metadata: { a: 'x'.repeat(501) } })
    .catch((reason) => reason)
  assert.equal([refused.param, refused.pointer], ['metadata', '/metadata/a'])
  assert.is(refused.docUrl, `${service.url}/docs/errors#metadata_invalid`)
  await rejects(() => client.tasks.get('nothing'), 'task_not_found', 404)
  const wrong = new BrowserTasks({ baseUrl: service.url, key: 'svc_live_wrong' })
  await rejects(() => wrong.usage.get(), 'unauthorized', 401)
  const nowhere = new BrowserTasks({ baseUrl: 'http://127.0.0.1:9', key: 'x', maxRetries: 0 })
  const error = await nowhere.usage.get().catch((reason: unknown) => reason)
  assert.ok(error instanceof BrowserTaskError)
  assert.equal([error.code, error.status, error.requestId], ['connection_failed', 0, null])
})

test('[Y1] browsers, keys and usage', async () => {
  const { pairing_url } = await client.browsers.pair({ label: 'Ann’s' })
  assert.match(pairing_url, '/pair/svc_pair_')
  const sessions = []
  for await (const { id } of client.browsers.list()) sessions.push(id)
  assert.equal(sessions, [session.id])
  assert.is((await client.browsers.connected()).id, session.id)
  const key = await client.keys.create({ name: 'another', type: 'publishable' })
  assert.ok((await client.keys.list()).some(({ id }) => id === key.id))
  await client.keys.delete(key.id)
  assert.ok((await client.usage.get()).taskCount >= 4)
  assert.is((await client.usage.credits()).free_remaining, null)
})

async function rejects(work: () => Promise<unknown>, code: string, status: number): Promise<void> {
  const error = await work().then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof BrowserTaskError, String(error))
  assert.equal([error.code, error.status], [code, status])
  assert.match(error.requestId ?? '', /^[0-9a-f-]{8}$/)
}

test.after(async () => {
  browser.disconnect()
  await service.kill()
  await model.endpoint.close()
})
test.run()
