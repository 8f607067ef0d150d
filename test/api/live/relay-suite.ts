import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import { newToken } from '../../../src/identity/tokens.ts'
import { eventually } from '../../support/eventually.ts'
import type { Ground, Live } from '../../support/live.ts'

/** A bare socket: what came, and how it was closed. */
function connect(url: string) {
  const socket = new WebSocket(url)
  const seen = { frames: [] as Record<string, unknown>[], closed: null as { code: number; reason: string } | null }
  socket.on('message', (data) => seen.frames.push(JSON.parse(String(data))))
  socket.on('close', (code, reason) => {
    seen.closed = { code, reason: String(reason) }
  })
  socket.on('error', () => {})
  return Object.assign(seen, {
    opened: () => eventually(() => socket.readyState !== WebSocket.CONNECTING, 'the socket is open'),
    send: (frame: unknown) => socket.send(typeof frame === 'object' ? JSON.stringify(frame) : String(frame)),
    bytes: (data: Buffer) => socket.send(data),
    end: () => socket.terminate(),
  })
}

/** One task is free. */
export const ONE_TASK = { PAYMENT_WEBHOOK_SECRET: 'x', FREE_TASKS_PER_MONTH: '1' }

/** The relay over real sockets, where ONE_TASK is free. The same on every ground. */
export function relay(ground: Ground, live: Live) {
  const test = suite(`relay: ${ground.transport}, ${ground.store}`)
  const { httpPort, relayPort } = live.service
  const doors = [`ws://127.0.0.1:${relayPort}/`, `ws://127.0.0.1:${httpPort}/relay`]
  const registered = async (token: string, url = doors[0] ?? '', more: object = { protocol: 2 }) => {
    const socket = connect(url)
    await socket.opened()
    socket.send({ type: 'register', role: 'extension', session_token: token, ...more })
    await eventually(() => socket.frames.length > 0 || socket.closed !== null, 'an answer')
    return socket
  }

  test('[R2 R11] both doors lead to the one listener: the newer socket takes the session over', async () => {
    const { api } = await live.workspace()
    const { id, token } = await api.pair()
    const first = await registered(token, doors[0])
    assert.equal([first.frames[0]?.type, first.frames[0]?.browserSessionId], ['registered', id])
    const second = await registered(token, doors[1])
    assert.equal([second.frames[0]?.type, second.frames[0]?.protocol], ['registered', 2])
    await eventually(() => first.closed?.code === 4409, 'the first is replaced')
    const [session] = (await api.get('/v1/browser-sessions')).json.sessions
    assert.is(session.status, 'connected')
    second.end()
  })
  test('[R11] at other paths there is no socket', async () => {
    for (const url of [`ws://127.0.0.1:${httpPort}/`, `ws://127.0.0.1:${httpPort}/v1/tasks`, `${doors[0]}elsewhere`]) {
      const socket = connect(url)
      await eventually(() => socket.closed !== null, `${url} is refused`)
      assert.is(socket.closed?.code, 1006)
    }
  })
  test('[R3] a token that is none is answered, then closed with 4401', async () => {
    for (const token of [newToken('session'), 'x', '__proto__']) {
      const socket = await registered(token)
      await eventually(() => socket.closed !== null, 'it is closed')
      assert.equal(socket.frames, [{ type: 'error', error: 'Invalid session token' }])
      assert.is(socket.closed?.code, 4401)
    }
  })

  const hostile: readonly (readonly [what: string, frame: string | Buffer])[] = [
    ['over-size', `"${'x'.repeat(16 * 1024 * 1024)}"`],
    ['malformed', '{"type":'],
    ['binary', Buffer.alloc(64)],
    ['nested', '['.repeat(100_000)],
  ]
  for (const [what, frame] of hostile) {
    test(`[R1 R8 R10] a frame that is ${what}, before and after register, closes its socket alone`, async () => {
      const tenant = await live.workspace()
      const { browser: bystander } = await tenant.browser()
      const early = connect(doors[0] ?? '')
      await early.opened()
      const late = await registered((await tenant.api.pair()).token)
      for (const socket of [early, late]) {
        for (let times = 0; times < 3; times++) {
          if (typeof frame === 'string') socket.send(frame)
          else socket.bytes(frame)
        }
        await eventually(() => socket.closed !== null, 'it is closed', 15_000)
      }
      // uWebSockets.js drops one that has sent so much before its register without a close frame.
      assert.ok((what === 'over-size' ? [1009, 1006] : [4402]).includes(early.closed?.code ?? 0))
      assert.is(late.closed?.code, what === 'over-size' ? 1009 : 4400)
      bystander.send({ type: 'ping' })
      await eventually(() => bystander.framesOf('pong').length > 0, 'the bystander is heard')
      assert.equal(bystander.closes, [])
    })
  }

  test('[R22 R23 R24 R26 R28 R30 R32] a task from the panel: each refusal in its order, then the task', async () => {
    const tenant = await live.workspace()
    const { id, browser } = await tenant.browser()
    const create = async (requestId: string, fields: object) => {
      browser.send({ type: 'create_task', requestId, task: 'at once', browserSessionId: id, ...fields })
      const answered = () =>
        browser.frames.find(
          (one) => one.requestId === requestId && !['task_started', 'task_update'].includes(String(one.type)),
        )
      await eventually(() => answered() !== undefined, `an answer to ${requestId}`)
      return answered()
    }
    for (const [at, task] of [undefined, null, 7, '', ' \n', 'x'.repeat(10_001)].entries()) {
      const refused = await create(`task ${at}`, { task, browserSessionId: randomUUID() })
      assert.equal([refused?.type, refused?.error, refused?.taskId], ['task_error', 'Invalid task', undefined])
      assert.is(refused?.targetSessionId, id)
    }
    const foreign = (await (await live.workspace()).browser()).id
    for (const [at, browserSessionId] of [undefined, null, 5, randomUUID(), foreign].entries()) {
      assert.is((await create(`session ${at}`, { browserSessionId }))?.error, 'Browser session not found')
    }
    const complete = await create('good', {})
    assert.equal([complete?.type, complete?.answer, complete?.status], ['task_complete', 'Done.', 'complete'])
    assert.is((await create('one too many', {}))?.error, 'No tasks remaining')
  })

  test('[R34 R35 R37] a model request is answered and metered; one with a foreign session is not', async () => {
    const tenant = await live.workspace()
    const { id, browser } = await tenant.browser()
    const messages = [{ role: 'user', content: 'Hello' }]
    browser.send({ type: 'llm_request', requestId: 'own', messages, maxTokens: 10, sessionId: id })
    browser.send({ type: 'llm_request', requestId: 'foreign', messages, maxTokens: 10, sessionId: randomUUID() })
    await eventually(() => browser.framesOf('llm_response').length === 2, 'two answers')
    const answer = (requestId: string) => browser.framesOf('llm_response').find((one) => one.requestId === requestId)
    assert.equal(answer('own')?.content, [{ type: 'text', text: 'Done.' }])
    assert.is(answer('foreign')?.error, 'Browser session not found')
    const { json } = await tenant.api.get('/v1/usage')
    assert.equal([json.totalApiCalls, json.totalInputTokens, json.taskCount], [1, 7, 0])
  })

  test('[R7 R17] a result through another session’s socket settles nothing', async () => {
    const tenant = await live.workspace()
    const { id, browser } = await tenant.browser(() => 'never')
    const stranger = await (await live.workspace()).browser()
    const { json } = await tenant.api.start(id, 'call')
    await eventually(() => browser.calls.length === 1, 'a call')
    const forged = { type: 'tool_result', requestId: browser.calls[0]?.requestId, result: 'forged' }
    for (const more of [{}, { browserSessionId: id }, { targetSessionId: id, sessionId: id }]) {
      stranger.browser.send({ ...forged, ...more })
    }
    stranger.browser.send({ type: 'ping' })
    await eventually(() => stranger.browser.framesOf('pong').length > 0, 'the forged results were read')
    assert.is((await tenant.api.task(json.id)).state, 'acting')
    browser.send({ ...forged, result: 'own' })
    await eventually(async () => (await tenant.api.task(json.id)).status === 'complete', 'the own result counts')
    const { json: read } = await tenant.api.get(`/v1/tasks/${json.id}`)
    assert.match(read.turns[0].tools[0].result, /own/)
  })

  test.after(() => live.close())
  test.run()
}
