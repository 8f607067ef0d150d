import { Agent, get } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import { ANSWERS_MS_MAX } from '../../../machines/limits.ts'
import { takePorts } from '../../../src/main/listening.ts'
import { openTransport } from '../../../src/net/open-transport.ts'

const silent = () => {}
const log = { debug: silent, info: silent, warn: silent, error: silent }
const test = suite('the ports of a service that stops')

for (const name of ['uws', 'node'] as const)
  test(`[D10] ${name}: what is under way is answered, what comes then is refused, also on open connections`, async () => {
    const transport = await openTransport(name, log)
    const opened: string[] = []
    const handlers = {
      maxFrameBytes: 1_024,
      data: () => ({}),
      open: () => void opened.push('open'),
      message() {},
      close() {},
    }
    const config = { host: '127.0.0.1', port: 0, relayPort: 0 }
    const ports = await takePorts({ config, transport, relay: { handlers } as never, maxBodyBytes: 1_024 })
    const answers: (() => void)[] = []
    ports.open((request) =>
      request.path === '/slow'
        ? new Promise((resolve) => answers.push(() => resolve({ status: 200, headers: [], body: 'slow' })))
        : { status: 200, headers: [], body: 'quick' },
    )
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    const ask = (path: string) =>
      new Promise<[number | undefined, string]>((resolve, reject) =>
        get(`http://127.0.0.1:${ports.http.port}${path}`, { agent }, (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (more: string) => {
            text += more
          })
          response.on('end', () => resolve([response.statusCode, text]))
        }).on('error', reject),
      )
    // A second connection, which stays open.
    const slow = ask('/slow')
    assert.equal(await ask('/quick'), [200, 'quick'])
    while (answers.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const from = performance.now()
    let isOver = false
    const paused = ports.pause().then(() => {
      isOver = true
    })
    const late = await ask('/quick').catch(() => [503, 'service_stopping'])
    assert.is(late[0], 503)
    assert.match(String(late[1]), 'service_stopping')
    assert.not.ok(isOver, 'it waits for the slow one')
    answers[0]?.()
    assert.equal(await slow, [200, 'slow'])
    await paused
    assert.ok(performance.now() - from < ANSWERS_MS_MAX, 'and no longer than for that')
    const socket = new WebSocket(`ws://127.0.0.1:${ports.http.port}/relay`)
    await new Promise((resolve) => socket.once('error', resolve).once('close', resolve))
    assert.equal(opened, [])
    agent.destroy()
    const inside = async () => (await ports.inside({ path: '/quick' } as never)).status
    assert.is(await inside(), 200, 'what was asked before may need it')
    const closed = ports.close()
    assert.is(await inside(), 503)
    await closed
  })

test('[D10] a request that goes on for ever holds a stop up for ANSWERS_MS_MAX at most', async () => {
  const transport = await openTransport('node', log)
  const config = { host: '127.0.0.1', port: 0, relayPort: 0 }
  const handlers = { maxFrameBytes: 1, data: () => ({}), open() {}, message() {}, close() {} }
  const ports = await takePorts({ config, transport, relay: { handlers } as never, maxBodyBytes: 1 })
  let asked = false
  ports.open(() => {
    asked = true
    return new Promise(() => {})
  })
  get(`http://127.0.0.1:${ports.http.port}/`).on('error', () => {})
  while (!asked) await new Promise((resolve) => setTimeout(resolve, 5))
  const from = performance.now()
  await ports.pause()
  assert.ok(performance.now() - from >= ANSWERS_MS_MAX - 20)
  await ports.close()
})

test.run()
