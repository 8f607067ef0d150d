import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FetchFiles } from '../../src/api/deps.ts'
import { mcpOverHttp } from '../../src/api/mcp/http.ts'
import { McpServer } from '../../src/api/mcp/protocol.ts'
import { nodeTransport } from '../../src/net/node.ts'
import type { Handler, Listener } from '../../src/net/transport.ts'
import { uwsTransport } from '../../src/net/uws.ts'
import { HandClock } from '../support/hand-clock.ts'
import { aKey, aWorkspace, makeSurface } from '../support/http-surface.ts'
import { listenWith, memoryLog, RawClient, until } from '../support/http-wire.ts'
import { aTask, THEN } from '../support/stores.ts'

const hand = new HandClock(THEN)
const fetches: AbortSignal[] = []
const fetchFiles: FetchFiles = async (_, __, signal) => {
  fetches.push(signal)
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  return { failed: 0, isTooLarge: false }
}
const surface = await makeSurface({ clock: hand, fetchFiles })
const { taskService } = surface
const workspace = await aWorkspace(surface)
const { key } = await aKey(surface, workspace.id)

function runningTask(): string {
  const record = aTask({ workspaceId: workspace.id })
  taskService.tasksById.set(record.id, { ...record, state: 'thinking' })
  taskService.keep(taskService.log.begin(record))
  return record.id
}

for (const transport of [uwsTransport(memoryLog()), nodeTransport(memoryLog())]) {
  const test = suite(`requests that are given up: ${transport.name}`)
  const open: (Listener | RawClient)[] = []
  const serve = async (handle: Handler) => {
    const listener = await listenWith(transport, handle, {}, 10_000)
    open.push(listener)
    return async (head: string, body: object | null = null, headers = '') => {
      const client = await RawClient.open(listener.port)
      open.push(client)
      const text = body === null ? '' : JSON.stringify(body)
      const length = body === null ? '' : `Content-Length: ${text.length}\r\nContent-Type: application/json\r\n`
      await client.write(
        `${head} HTTP/1.1\r\nHost: svc.test\r\nAuthorization: Bearer ${key}\r\n${headers}${length}\r\n${text}`,
      )
      return client
    }
  }
  test.after.each(async () => {
    for (const one of open.splice(0).reverse()) await (one instanceof RawClient ? one.destroy() : one.close())
  })

  test('[E28 V9] 64 given-up long polls of one task leave room for the next viewer at once', async () => {
    const send = await serve(surface.handle)
    const id = runningTask()
    const polls = await Promise.all(Array.from({ length: 64 }, () => send(`GET /v1/tasks/${id}?wait_s=60`)))
    await until('they wait', () => taskService.log.viewers(id) === 64)
    const refused = await send(`GET /v1/tasks/${id}?wait_s=1`)
    assert.is(JSON.parse((await refused.answer()).body).code, 'too_many_viewers')
    for (const poll of polls) poll.destroy()
    await until('their places are free', () => taskService.log.viewers(id) === 0)
    assert.is(hand.pending(), 0, 'nor does a timer stay')
    const next = await send(`GET /v1/tasks/${id}?wait_s=1`)
    await until('it waits', () => taskService.log.viewers(id) === 1)
    hand.turn(1_000)
    assert.is((await next.answer()).status, 200)
  })

  test('[E28 U9] the fetching of files ends, and its place is free', async () => {
    const send = await serve(surface.handle)
    const files = [{ url: 'https://files.example/a' }]
    for (let n = 0; n < 20; n++) {
      const start = await send('POST /v1/tasks', { task: 'x', browser_session_id: 'b', files })
      await until('it fetches', () => fetches.length === 1)
      start.destroy()
      await until('it stops', () => fetches[0]?.aborted === true)
      fetches.length = 0
      hand.turn(60_000)
    }
  })

  test('[E28 E24] a wait for the first request with the key ends', async () => {
    const send = await serve(surface.handle)
    const body = { task: 'x', browser_session_id: 'b', files: [{ url: 'https://files.example/a' }] }
    const keyed = `Idempotency-Key: ${transport.name}\r\n`
    const first = await send('POST /v1/tasks', body, keyed)
    await until('the first one is under way', () => fetches.length === 1)
    const retry = await send('POST /v1/tasks', body, keyed)
    await until('the retry waits', () => hand.pending() === 1)
    retry.destroy()
    await until('it does not wait any more', () => hand.pending() === 0)
    first.destroy()
    await until('the first one ends', () => fetches[0]?.aborted === true)
    fetches.length = 0
  })

  test('[E28 Y7] the tool of an MCP call learns of it', async () => {
    const signals: AbortSignal[] = []
    const server = () => {
      const made = new McpServer({ name: 'test', version: '1' })
      made.registerTool('wait', { description: 'waits' }, async ({ mcpReq: { signal } }) => {
        signals.push(signal)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return { content: [] }
      })
      return made
    }
    const send = await serve(mcpOverHttp(server, () => {}))
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', arguments: {} } }
    const client = await send('POST /mcp', call, 'Accept: application/json, text/event-stream\r\n')
    await until('the tool runs', () => signals.length === 1)
    client.destroy()
    await until('it is told', () => signals[0]?.aborted === true)
  })

  test('[E28 Y7] of a client that left before its MCP call began no tool waits', async () => {
    const ran: string[] = []
    let begin = () => {}
    const loaded = new Promise<void>((resolve) => {
      begin = resolve
    })
    const server = () => {
      const made = new McpServer({ name: 'test', version: '1' })
      for (const name of ['gone', 'here'])
        made.registerTool(name, { description: 'runs' }, () => {
          ran.push(name)
          return { content: [] }
        })
      return made
    }
    const mcp = mcpOverHttp(server, () => {})
    let given = 0
    const left: boolean[] = []
    const send = await serve(async (request) => {
      given++
      request.signal.addEventListener('abort', () => left.push(true))
      await loaded
      return mcp(request)
    })
    const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })
    const accept = 'Accept: application/json, text/event-stream\r\n'
    const gone = await send('POST /mcp', call('gone'), accept)
    await until('it is there', () => given === 1)
    gone.destroy()
    await until('it has left', () => left.length === 1)
    await send('POST /mcp', call('here'), accept)
    await until('the other is there', () => given === 2)
    begin()
    await until('the other runs', () => ran.includes('here'))
    assert.equal(ran, ['here'])
  })

  test.run()
}
