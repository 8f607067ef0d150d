import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { REGISTER_BYTES_MAX } from '../../machines/limits.ts'
import { ToolError } from '../../src/browser/act/cdp.ts'
import type { CallLoad } from '../../src/browser/call-load.ts'
import { CALLS_REMEMBERED_MAX } from '../../src/wire/limits.ts'
import { eventually } from '../support/eventually.ts'
import { SESSION } from '../support/relay-service.ts'
import { run, withClient } from '../support/relayed.ts'

const test = suite('the relay client')

test('[R1] [R50] registers with its token, protocol 2 and the name of its memory', () =>
  withClient(async ({ service, client }) => {
    const { register } = await service.connection(0)
    assert.is(register.role, 'extension')
    assert.is(register.session_token, 'svc_sess_test')
    assert.equal(register.tools, ['tabs'])
    assert.is(register.protocol, 2)
    assert.equal(register.calls, [])
    assert.match(String(register.instance), /^[0-9a-f-]{36}$/)
    await eventually(() => client.send({ type: 'ping' }), 'frames of its own can be sent')
  }))

test('[R4] answers pings', () =>
  withClient(async ({ service }) => {
    const socket = await service.connection(0)
    socket.send({ type: 'ping' })
    await eventually(() => socket.frames.some(({ type }) => type === 'pong'), 'a pong')
  }))

test('[R13] [R14] [R16] [R42] [G35] runs a call and sends its result, with screenshot and tab', () =>
  withClient(async ({ service, runs }) => {
    const socket = await service.connection(0)
    socket.asks('one', 'task', { url: 'x' })
    const first = await run(runs, 0)
    assert.equal(first.call.input, { url: 'x' })
    first.answer('picture', { content: 'of a page', fingerprint: 'f1' })
    await eventually(() => socket.results().length === 1, 'the result')
    const [{ load, ...result } = {}] = socket.results() as { load?: CallLoad }[]
    assert.is(load?.tool, 'navigate')
    assert.ok((load?.cpuMs ?? -1) >= 0 && (load?.blockedMs ?? -1) >= 0)
    assert.equal(result, {
      type: 'tool_result',
      requestId: 'one',
      result: 'picture\nof a page',
      said: 'picture',
      content: 'of a page',
      fingerprint: 'f1',
      screenshot: '/9j/x',
      tabContext: { tabId: 3, windowId: 4, browserSessionId: SESSION },
    })
    socket.asks('two')
    ;(await run(runs, 1)).fail(new ToolError('Element e1 is covered by e2.', 'e2: <dialog>'))
    await eventually(() => socket.results().length === 2, 'the failure')
    const [, { load: failed, ...failure } = {}] = socket.results() as { load?: CallLoad }[]
    assert.is(failed?.tool, 'navigate')
    assert.equal(failure, {
      type: 'tool_result',
      requestId: 'two',
      error: 'Element e1 is covered by e2.',
      content: 'e2: <dialog>',
    })
  }))

test('[R40] a repeated request is answered with the remembered result, and not run again', () =>
  withClient(async ({ service, runs }) => {
    const socket = await service.connection(0)
    socket.asks('one')
    ;(await run(runs, 0)).answer('once')
    await eventually(() => socket.results().length === 1, 'the result')
    socket.asks('one')
    await eventually(() => socket.results().length === 2, 'the result again')
    assert.equal(socket.results()[0], socket.results()[1])
    assert.is(runs.length, 1)
  }))

test('[R40] a request repeated while it runs is answered once, when it is done', () =>
  withClient(async ({ service, runs }) => {
    const socket = await service.connection(0)
    socket.asks('one')
    await run(runs, 0)
    socket.asks('one')
    socket.asks('other', 'other task')
    await run(runs, 1)
    runs[0]?.answer('once')
    runs[1]?.answer('other')
    await eventually(() => socket.results().length === 2, 'both results')
    assert.equal(
      socket.results().map(({ requestId }) => requestId),
      ['one', 'other'],
    )
    assert.is(runs.length, 2)
  }))

test('calls of one task run one after the other, those of two tasks at the same time', () =>
  withClient(async ({ service, runs }) => {
    const socket = await service.connection(0)
    socket.asks('a1', 'a')
    socket.asks('a2', 'a')
    socket.asks('b1', 'b')
    await run(runs, 1)
    assert.equal(
      runs.map(({ call }) => call.requestId),
      ['a1', 'b1'],
    )
    runs[0]?.answer('done')
    assert.is((await run(runs, 2)).call.requestId, 'a2')
  }))

test('[R38] remembers the newest 100 calls, within the 8 KB of the first frame', () =>
  withClient(async ({ service, runs }) => {
    const socket = await service.connection(0)
    const ids = Array.from({ length: CALLS_REMEMBERED_MAX + 5 }, () => crypto.randomUUID())
    for (const [n, id] of ids.entries()) {
      socket.asks(id)
      ;(await run(runs, n)).answer('done')
      await eventually(() => socket.results().length > n, `result ${n}`)
    }
    socket.cut()
    const next = await service.connection(1)
    const calls = next.register.calls as { requestId: string }[]
    assert.ok(next.bytesOfRegister <= REGISTER_BYTES_MAX, `${next.bytesOfRegister} bytes`)
    assert.equal(
      calls.map(({ requestId }) => requestId),
      ids.slice(5).reverse(),
    )
  }))

test('[G13] the end of a task ends what runs for it, and is told', () =>
  withClient(async ({ service, runs, ended }) => {
    const socket = await service.connection(0)
    socket.asks('one', 'a')
    socket.asks('two', 'a')
    const { signal } = await run(runs, 0)
    socket.send({ type: 'task_complete', targetSessionId: SESSION, taskId: 'a', answer: 'x', status: 'error' })
    await eventually(() => signal.aborted && ended.length === 1, 'the end')
    assert.equal(ended, ['a'])
    socket.send({ type: 'task_error', targetSessionId: SESSION, taskId: 'b', error: 'x' })
    await eventually(() => ended.length === 2, 'the second end')
    await eventually(() => socket.results().length === 2, 'both are answered')
    assert.is(runs.length, 1)
    assert.is(socket.results()[1]?.error, 'The task has ended.')
  }))

test('frames that are no JSON, or not of this protocol, are let pass', () =>
  withClient(async ({ service, runs }) => {
    const socket = await service.connection(0)
    socket.sendRaw('{')
    socket.sendRaw('null')
    socket.send({ type: 'something_new' })
    socket.send({ type: 'mcp_execute_tool', requestId: 7 })
    socket.asks('one')
    ;(await run(runs, 0)).answer('still here')
    await eventually(() => socket.results().length === 1, 'the result')
  }))

test.run()
