import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallStorage, KeptCall } from '../../src/browser/call-memory.ts'
import { eventually } from '../support/eventually.ts'
import { run, withClient } from '../support/relayed.ts'

const test = suite('the relay client, when connections break')

test('[R38] [R39] after a break it names what it remembers and sends what was not delivered', () =>
  withClient(async ({ service, runs }) => {
    const first = await service.connection(0)
    first.asks('one', 'a')
    first.asks('two', 'b')
    await run(runs, 1)
    first.cut()
    runs[0]?.answer('while away')
    const second = await service.connection(1)
    assert.equal(second.register.calls, [
      { requestId: 'two', state: 'running' },
      { requestId: 'one', state: 'done' },
    ])
    assert.is(second.register.instance, first.register.instance)
    await eventually(() => second.results().length === 1, 'the result that was not delivered')
    assert.is(second.results()[0]?.result, 'while away')
    second.asks('two', 'b')
    second.send({ type: 'ping' })
    await eventually(() => second.frames.some(({ type }) => type === 'pong'), 'the question was heard')
    runs[1]?.answer('attached')
    await eventually(() => second.results().length === 2, 'the result of what was running')
    assert.is(second.results()[1]?.result, 'attached')
    assert.is(runs.length, 2)
  }))

test('[R39] a result that the service is known to have is not sent again', () =>
  withClient(async ({ service, runs }) => {
    const first = await service.connection(0)
    first.asks('one', 'a')
    ;(await run(runs, 0)).answer('known')
    await eventually(() => first.results().length === 1, 'the first result')
    // The next question of the same task says that the answer came.
    first.asks('two', 'a')
    ;(await run(runs, 1)).answer('perhaps')
    await eventually(() => first.results().length === 2, 'the second result')
    first.cut()
    const second = await service.connection(1)
    await eventually(() => second.results().length === 1, 'the result that may be lost')
    assert.is(second.results()[0]?.requestId, 'two')
    second.send({ type: 'ping' })
    await eventually(() => second.frames.some(({ type }) => type === 'pong'), 'a pong')
    assert.is(second.results().length, 1)
  }))

const FINAL: readonly (readonly [code: number, why: string, line: RegExp])[] = [
  [4401, 'refused', /refused the session token.*Pair this browser again\.$/],
  [4403, 'revoked', /was removed\. Pair this browser again\.$/],
  [4409, 'replaced', /^Another browser took over this session\. This one stops\.$/],
]
for (const [code, why, line] of FINAL) {
  test(`[R3] [R6] closed with ${code} it stops for good, and says why in one line`, () =>
    withClient(async ({ service, client, lines }) => {
      const socket = await service.connection(0)
      socket.close(code)
      const stopped = await client.stopped
      assert.is(stopped.why, why)
      assert.match(stopped.message, line)
      assert.is(lines.at(-1), stopped.message)
      assert.is(client.send({ type: 'ping' }), false)
      assert.is(service.sockets.length, 1)
    }))
}

test('[R55] while a task runs a service that says nothing is asked, and given up within 9 s', () =>
  withClient(async ({ service, runs }) => {
    const first = await service.connection(0)
    first.asks('one', 'a')
    await run(runs, 0)
    const at = performance.now()
    await eventually(() => first.frames.some(({ type }) => type === 'ping'), 'it asks', 5_000)
    first.send({ type: 'pong' })
    const heardAt = performance.now()
    await eventually(() => service.sockets.length === 2, 'it connects again', 12_000)
    const ms = performance.now() - heardAt
    assert.ok(heardAt - at > 2_000 && ms > 7_000 && ms < 10_000, `${heardAt - at} ms, ${ms} ms`)
  }))

test('connects again after any other close, and says so once', () =>
  withClient(async ({ service, lines }) => {
    const first = await service.connection(0)
    await eventually(() => lines.includes('Connected to the service.'), 'the first connection')
    first.close(1001)
    await service.connection(1)
    await eventually(() => lines.filter((line) => line === 'Connected to the service.').length === 2, 'the second')
    assert.is(lines.filter((line) => /no connection/.test(line)).length, 1)
  }))

test('waits longer after each failure, and is woken at once', async () => {
  const delays: number[] = []
  const times: number[] = []
  await withClient(
    async ({ service, client }) => {
      await eventually(() => service.sockets.length === 4, 'four attempts')
      for (let n = 1; n < times.length; n += 1) delays.push((times[n] ?? 0) - (times[n - 1] ?? 0))
      // Half of 250, 500, 1,000 ms with the jitter at its least; a timer never fires early.
      assert.ok(
        delays.every((delay, n) => delay >= 125 * 2 ** n - 5),
        delays.join(', '),
      )
      service.answer = null
      client.wake()
      const woken = await service.connection(4)
      assert.is(woken.register.type, 'register')
    },
    {
      before: (service) => {
        service.answer = (socket) => {
          times.push(performance.now())
          socket.close(1011)
        }
      },
    },
  )
})

test('[R40] [D8] a call that ran when the browser was stopped is not run again: its outcome is unknown', async () => {
  const kept = new Map<string, KeptCall>()
  let name = ''
  const storage: CallStorage = {
    load: async () => (name ? { instance: name, calls: [...kept.values()] } : null),
    save: async ({ instance, put, removed }) => {
      name = instance
      for (const call of put) kept.set(call.requestId, call)
      for (const id of removed) kept.delete(id)
    },
  }
  let instance: unknown
  await withClient(
    async ({ service, runs }) => {
      const socket = await service.connection(0)
      instance = socket.register.instance
      socket.asks('one')
      await run(runs, 0)
      assert.is(kept.get('one')?.result, null)
      // What follows is what a worker leaves behind that is stopped here.
      const then = kept.get('one')
      socket.cut()
      if (then) kept.set('one', then)
    },
    { storage },
  )
  kept.set('one', { requestId: 'one', taskId: 'task', result: null, received: false })
  await withClient(
    async ({ service, runs }) => {
      const socket = await service.connection(0)
      assert.is(socket.register.instance, instance)
      assert.equal(socket.register.calls, [{ requestId: 'one', state: 'done' }])
      socket.asks('one')
      await eventually(() => socket.results().length > 0, 'an answer')
      assert.match(String(socket.results()[0]?.error), /outcome is unknown/)
      assert.is(runs.length, 0)
    },
    { storage },
  )
})

test.run()
