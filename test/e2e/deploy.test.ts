import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import { eventually } from '../support/eventually.ts'
import { type CallResult, TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { answerOf, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const test = suite('a deploy: SIGTERM and a start, with the settings that a service has by itself')

const model = await openJobModel()
const service = await openService({ env: { ...model.env, LOG_LEVEL: 'info' } })
const { api } = service
const session = await api.pair()
let answer: () => CallResult = () => ({})
const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token, answer: () => answer() })

test('[M7 D10] tasks that think, act, are paused or wait for a person go on, and nothing is done twice', async () => {
  const thinking = { name: 'thinking', steps: 1, ms: 1_500 }
  const acting = { name: 'acting', steps: 1 }
  const asking = { name: 'asking', steps: 2, asks: 'Which one?' }
  const paused = { name: 'paused', steps: 1 }
  const askingId = await started(api, session.id, asking, { ask_user: true })
  await eventually(async () => (await api.task(askingId)).state === 'waitingForInput', 'a question')
  const pausedId = await started(api, session.id, paused)
  await api.post(`/v1/tasks/${pausedId}/pause`, {})
  answer = () => ({ output: 'slowly', ms: 1_500 })
  const actingId = await started(api, session.id, acting)
  await eventually(async () => (await api.task(actingId)).state === 'acting', 'acting')
  const thinkingId = await started(api, session.id, thinking)
  assert.equal(await service.stop(), { code: 0, signal: null }, service.output)
  assert.match(service.output, 'Stopped.')
  service.spawn()
  await service.answers()
  await browser.registered()
  const { input_request: request } = (await api.task(askingId)) as { input_request?: { id: string } }
  assert.ok(request, 'the question is still asked')
  await api.post(`/v1/tasks/${askingId}/inputs/${request.id}`, { action: 'accept', content: 'the second' })
  await api.post(`/v1/tasks/${pausedId}/resume`, {})
  for (const [id, job] of [
    [thinkingId, thinking],
    [actingId, acting],
    [askingId, asking],
    [pausedId, paused],
  ] as const) {
    const task = await finished(api, id)
    assert.equal([task.status, task.answer], ['complete', answerOf(job)], job.name)
  }
  assert.equal([...new Set(browser.executed.values())], [1])
})

test('[D10] SIGTERM among many sockets and requests: those under way are answered, and nothing goes wrong', async () => {
  const sockets = Array.from({ length: 200 }, () => new WebSocket(`ws://127.0.0.1:${service.relayPort}`))
  for (const socket of sockets) socket.on('error', () => {})
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('open', resolve))))
  const statuses = new Map<number | string, number>()
  let stops = false
  const count = (what: number | string) => statuses.set(what, (statuses.get(what) ?? 0) + 1)
  const client = async (n: number) => {
    while (!stops) {
      const path = ['/v1/tasks', '/v1/browser-sessions', '/v1/usage'][n % 3] as string
      await api.get(path).then(
        ({ status }) => count(status),
        () => {
          count('refused')
          stops = true
        },
      )
      // Register with a token that the store has to look for.
      sockets[n]?.send(JSON.stringify({ type: 'register', token: 'x'.repeat(43), protocol: 2 }), () => {})
    }
  }
  const clients = Array.from({ length: 40 }, (_, n) => client(n))
  await eventually(() => (statuses.get(200) ?? 0) > 200, 'answers')
  const printed = service.output.length
  const from = performance.now()
  const exit = await service.stop()
  const took = performance.now() - from
  stops = true
  await Promise.all(clients)
  const output = service.output.slice(printed)
  assert.equal(exit, { code: 0, signal: null }, output)
  assert.match(output, 'Stopped.')
  assert.not.match(output, /closed database|nobody caught|"level":(50|"error")/)
  assert.is(statuses.get(500), undefined, JSON.stringify([...statuses]))
  assert.ok(took < 8_000, `${took} ms`)
})

test.after(async () => {
  browser.disconnect()
  await service.kill()
  await model.endpoint.close()
})
test.run()
