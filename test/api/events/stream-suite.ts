import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Listener, Transport } from '../../../src/net/transport.ts'
import { ended, StreamReader, state } from '../../support/events.ts'
import { HandClock } from '../../support/hand-clock.ts'
import { aKey, aWorkspace, makeSurface } from '../../support/http-surface.ts'
import { RawClient, until } from '../../support/http-wire.ts'
import { aTask, THEN } from '../../support/stores.ts'

/** [V6, V7] Streams of events over a real listener. */
export async function streamSuite(transport: Transport): Promise<void> {
  const test = suite(`event streams: ${transport.name}`)
  const clock = new HandClock(THEN)
  const surface = await makeSurface({ clock })
  const { handle, taskService, store } = surface
  const workspace = await aWorkspace(surface)
  const { key, id: keyId } = await aKey(surface, workspace.id)
  const open: StreamReader[] = []
  let listener: Listener
  test.before(async () => {
    listener = await transport.listen({ host: '127.0.0.1', port: 0, maxBodyBytes: 1_000, handle, sockets: {} })
  })
  test.after.each(() => {
    for (const reader of open.splice(0)) reader.close()
  })
  test.after(() => listener.close())

  function aLog(states: number, workspaceId = workspace.id): string {
    const record = aTask({ workspaceId })
    taskService.tasksById.set(record.id, { ...record, state: 'thinking' })
    taskService.keep(taskService.log.begin(record))
    for (let n = 1; n <= states; n++) taskService.log.append(record.id, state(`state ${n}`))
    return record.id
  }
  const say = (id: string, name: string) => taskService.log.append(id, state(name))
  const viewersOf = (id: string) => taskService.log.viewers(id)
  async function read(path: string, headers: Record<string, string> = {}): Promise<StreamReader> {
    const auth: Record<string, string> = path.includes('token=') ? {} : { authorization: `Bearer ${key}` }
    const reader = await StreamReader.open(`http://127.0.0.1:${listener.port}${path}`, { ...auth, ...headers })
    open.push(reader)
    return reader
  }
  const eventsOf = (id: string, query = '') => `/v1/tasks/${id}/events${query}`
  const ids = (reader: StreamReader) => reader.events.map(({ id }) => id)

  test('[V6] first what is kept, then what comes, each once; with task.ended the response ends', async () => {
    const id = aLog(2)
    const reader = await read(eventsOf(id))
    assert.is(reader.response.status, 200)
    assert.is(reader.response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.is(reader.response.headers.get('cache-control'), 'no-cache, no-transform')
    assert.is(reader.response.headers.get('x-accel-buffering'), 'no')
    await reader.until('what is kept', () => ids(reader).length === 3)
    assert.ok(reader.text.startsWith('retry: 1000\n: connected\n: cursor 0\n\n'))
    say(id, 'more')
    await reader.until('what comes', () => ids(reader).length === 4)
    taskService.end(id, ended)
    await reader.until('the end', () => reader.over)
    assert.equal(ids(reader), [1, 2, 3, 4, 5])
    for (const { id: seq, type, data } of reader.events) assert.equal([data.seq, data.type], [seq, type])
    assert.is(viewersOf(id), 0)
    assert.is((await read(eventsOf(id), { 'last-event-id': '5' })).response.status, 204)
    const again = await read(eventsOf(id), { 'last-event-id': '3' })
    await again.until('the end', () => again.over)
    assert.equal(ids(again), [4, 5])
  })

  test('[V6] the first bytes of a stream without events come at once; after 15 s of silence a ping', async () => {
    const id = aLog(0)
    const reader = await read(eventsOf(id, '?after=now'))
    await reader.until('the opening', () => /^retry: 1000\n: connected\n: cursor \d+\n\n$/.test(reader.text))
    clock.turn(14_999)
    say(id, 'a')
    await reader.until('the event', () => ids(reader).length === 1)
    clock.turn(14_999)
    assert.not.ok(reader.text.includes(': ping'))
    clock.turn(1)
    await reader.until('a ping', () => reader.text.endsWith(': ping\n\n'))
    clock.turn(15_000)
    await reader.until('another', () => reader.text.endsWith(': ping\n\n: ping\n\n'))
  })

  test('[V6] only the types that are asked for, and the end all the same', async () => {
    const id = aLog(3)
    const reader = await read(eventsOf(id, '?types=task.created'))
    say(id, 'a')
    taskService.end(id, ended)
    await reader.until('the end', () => reader.over)
    assert.equal(ids(reader), [1])
  })

  test('[V10] with live=true also the words of a reply, without an id, to who listens then', async () => {
    const id = aLog(0)
    const [usual, live] = [await read(eventsOf(id)), await read(eventsOf(id, '?live=true'))]
    for (const reader of [usual, live]) await reader.until('what is kept', () => ids(reader).length === 1)
    const say = taskService.log.live.reply(id, 1)
    say('I op')
    say('I open it.')
    await live.until('the first words', () => live.text.includes('model.words'))
    const words = /\n\nevent: model\.words\ndata: (.*)\n\n$/.exec(live.text)?.[1]
    const { at, ...told } = JSON.parse(words ?? '{}')
    assert.equal([typeof at, told], ['number', { type: 'model.words', task_id: id, step: 1, text: 'I op' }])
    taskService.end(id, ended)
    for (const reader of [usual, live]) await reader.until('the end', () => reader.over)
    assert.not.match(usual.text, 'model.words')
    assert.is(live.text.split('model.words').length, 3, 'what follows at once is not told by itself')
    assert.is((await read(eventsOf(id, '?live=maybe'))).response.status, 400)
  })

  test('[V5] a viewer that reconnects 50 times at random sees every number once', async () => {
    const id = aLog(0)
    const seen: number[] = []
    let said = 0
    const talk = setInterval(() => ++said <= 300 && say(id, `state ${said}`), 1)
    let random = 7
    const next = (below: number) => {
      random = (random * 48_271) % 2_147_483_647
      return random % below
    }
    for (let n = 0; n < 50; n++) {
      const reader = await read(eventsOf(id), { 'last-event-id': String(seen.at(-1) ?? 0) })
      const wanted = next(12)
      await reader.until('a few', () => ids(reader).length >= wanted || (seen.at(-1) ?? 0) + ids(reader).length >= 301)
      reader.close()
      seen.push(...ids(reader))
    }
    clearInterval(talk)
    while (++said <= 300) say(id, `state ${said}`)
    taskService.end(id, ended)
    const last = await read(eventsOf(id), { 'last-event-id': String(seen.at(-1) ?? 0) })
    await last.until('the end', () => last.over)
    seen.push(...ids(last))
    assert.equal(
      seen,
      Array.from({ length: 302 }, (_, index) => index + 1),
    )
  })

  test('[V7] 64 viewers of a task, then 503', async () => {
    const id = aLog(0)
    const readers = await Promise.all(Array.from({ length: 64 }, () => read(eventsOf(id))))
    await Promise.all(readers.map((reader) => reader.until('an event', () => ids(reader).length === 1)))
    const refused = await read(eventsOf(id))
    assert.is(refused.response.status, 503)
    await refused.until('the reason', () => refused.text.includes('"too_many_viewers"'))
    readers[0]?.close()
    await until('one is gone', () => viewersOf(id) === 63)
    assert.is((await read(eventsOf(id))).response.status, 200)
  })

  test('[V7] a viewer that does not read is cut off once too much waits for it; others go on', async () => {
    const id = aLog(0)
    const raw = await RawClient.open(listener.port)
    await raw.write(
      `GET ${eventsOf(id)} HTTP/1.1\r\nHost: svc.test\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    )
    await until('it looks', () => viewersOf(id) === 1)
    raw.pause()
    const other = await read(eventsOf(id))
    await until('both look', () => viewersOf(id) === 2)
    const long = 'x'.repeat(60_000)
    // What the kernel takes of it is not known; far more than that.
    for (let n = 0; n < 400 && viewersOf(id) === 2; n++) {
      say(id, long)
      await other.until('it', () => ids(other).length === n + 2)
    }
    assert.is(viewersOf(id), 1)
    raw.destroy()
  })

  test('[V7] a log that is long comes whole to a viewer that reads slowly', async () => {
    const id = aLog(0)
    for (let n = 0; n < 300; n++) say(id, 'x'.repeat(20_000))
    taskService.end(id, ended)
    const reader = await read(eventsOf(id))
    reader.slowMs = 3
    await reader.until('the end', () => reader.over)
    assert.equal(
      ids(reader),
      Array.from({ length: 302 }, (_, index) => index + 1),
    )
  })

  test('[V7] the stream of a key that was deleted ends', async () => {
    const id = aLog(0)
    const reader = await read(eventsOf(id))
    await reader.until('an event', () => ids(reader).length === 1)
    await store.keys.remove(workspace.id, keyId)
    clock.turn(15_000)
    await reader.until('the end', () => reader.over)
    assert.is(viewersOf(id), 0)
  })

  test('[V8] what a read token has opened stays open when it expires, and ends with its key', async () => {
    const { key: another, id: anotherId } = await aKey(surface, workspace.id)
    const id = aLog(0)
    const made = await fetch(`http://127.0.0.1:${listener.port}/v1/tasks/${id}/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${another}` },
    })
    const { token } = (await made.json()) as { token: string }
    const reader = await read(eventsOf(id, `?token=${token}`))
    await reader.until('an event', () => ids(reader).length === 1)
    clock.turn(20 * 60_000)
    say(id, 'later')
    await reader.until('what comes later', () => ids(reader).length === 2)
    assert.is((await read(eventsOf(id, `?token=${token}`))).response.status, 401)
    await store.keys.remove(workspace.id, anotherId)
    clock.turn(15_000)
    await reader.until('the end', () => reader.over)
  })

  test('[V4 V6] the stream of a workspace: all of its tasks, by their positions', async () => {
    const mine = await aWorkspace(surface)
    const { key: own } = await aKey(surface, mine.id)
    const one = aLog(1, mine.id)
    const reader = await read('/v1/events', { authorization: `Bearer ${own}` })
    await reader.until('what is kept', () => ids(reader).length === 2)
    const two = aLog(1, mine.id)
    taskService.end(one, ended)
    say(two, 'more')
    await reader.until('what comes', () => ids(reader).length === 6)
    assert.equal(
      reader.events.map(({ data }) => [data.task_id, data.seq]),
      [
        [one, 1],
        [one, 2],
        [two, 1],
        [two, 2],
        [one, 3],
        [two, 3],
      ],
    )
    const again = await read(`/v1/events?after=${ids(reader)[3]}`, { authorization: `Bearer ${own}` })
    await again.until('the rest', () => ids(again).length === 2)
    assert.equal(ids(again), ids(reader).slice(4))
  })

  test.run()
}
