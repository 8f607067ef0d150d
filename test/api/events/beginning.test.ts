import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { state } from '../../support/events.ts'
import { aKey, aWorkspace, makeSurface } from '../../support/http-surface.ts'
import { until } from '../../support/http-wire.ts'
import { aTask } from '../../support/stores.ts'

const surface = await makeSurface()
const { ask, taskService } = surface
const workspace = await aWorkspace(surface)
const { key } = await aKey(surface, workspace.id)

const test = suite('how a stream of events begins')

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

/** What a stream sends at once. */
async function firstBytes(path: string, headers: Record<string, string>): Promise<string> {
  const { raw } = await ask('GET', path, { key, headers })
  const sent: string[] = []
  const close: (() => void)[] = []
  raw.stream?.({
    write: (text) => sent.push(text) > 0,
    onDrain() {},
    onClose: (listener) => close.push(listener),
    end() {},
    destroy() {},
  })
  await until('the stream has begun', () => sent.length > 0)
  await new Promise((resolve) => setImmediate(resolve))
  for (const listener of close) listener()
  return sent.join('')
}

test('[V6] a stream begins behind Last-Event-ID before after, and says where', async () => {
  const id = aLog(3)
  const stream = (query: string, headers = {}) =>
    firstBytes(`/v1/tasks/${id}/events${query}`, { accept: 'text/event-stream', ...headers })
  const begins = (text: string) => [
    /: cursor (\d+)/.exec(text)?.[1],
    [...text.matchAll(/^id: (\d+)/gm)].map(([, n]) => n),
  ]
  assert.equal(begins(await stream('')), ['0', ['1', '2', '3', '4']])
  assert.equal(begins(await stream('?after=1')), ['1', ['2', '3', '4']])
  assert.equal(begins(await stream('?after=1', { 'last-event-id': '3' })), ['3', ['4']])
  assert.equal(begins(await stream('?after=now', { 'last-event-id': '3' })), ['3', ['4']])
  assert.equal(begins(await stream('?after=now')), ['4', []])
  assert.equal(begins(await stream('?after=99999')), ['4', []])
})

test('[V6] an event of the workspace says its cursor, on pages and streams', async () => {
  const mine = await aWorkspace(surface)
  const { key: own } = await aKey(surface, mine.id)
  aLog(1, mine.id)
  const { json } = await ask('GET', '/v1/events', { key: own })
  assert.is(json.events[1].cursor, json.next_cursor)
  const text = await firstBytes('/v1/events', { accept: 'text/event-stream', authorization: `Bearer ${own}` })
  const told = [...text.matchAll(/^id: (\d+)\n.*\ndata: ({.*})$/gm)]
  assert.equal(
    told.map(([, id, data = '']) => JSON.parse(data).cursor === Number(id)),
    [true, true],
  )
})

for (const [accept, isStream] of [
  ['text/event-stream', true],
  ['Text/Event-Stream; charset=utf-8', true],
  ['application/json, text/event-stream;q=0.5', true],
  ['text/event-stream;q=0', false],
  ['text/event-stream; q=0.000, application/json', false],
  ['text/event-streams', false],
  ['*/*', false],
] as const)
  test(`[V6] Accept: ${accept} is ${isStream ? 'a stream' : 'a page'}`, async () => {
    const { headers } = await events(aLog(1), '', { accept })
    assert.is(headers['content-type']?.startsWith('text/event-stream'), isStream)
  })

test.run()
