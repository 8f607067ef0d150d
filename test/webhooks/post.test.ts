import { createServer as createTcpServer } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WEBHOOK_TIMEOUT_MS, WEBHOOKS_AT_ONCE_MAX } from '../../machines/limits.ts'
import { closeReceivers, listening, open, receiver, until } from './receiver.ts'

const test = suite('webhooks')
test.after.each(closeReceivers)

test('[W3] sends one POST of JSON, without a signature', async () => {
  const { seen, port } = await receiver()
  const { webhook, lines, timers } = open()
  await webhook.post(`http://127.0.0.1:${port}/hook?secret=1`, {
    event: 'task.completed',
    task: { id: '1', answer: 'ä' },
  })
  assert.is(seen.length, 1)
  const [post] = seen
  assert.equal([post?.method, post?.path], ['POST', '/hook?secret=1'])
  assert.is(post?.body, '{"event":"task.completed","task":{"id":"1","answer":"ä"}}')
  assert.is(post?.headers['content-type'], 'application/json')
  const sent = Object.keys(post?.headers ?? {}).sort()
  assert.equal(sent, ['connection', 'content-length', 'content-type', 'host', 'user-agent'])
  const told = lines.map(({ taskId, status, reason, message }) => ({ taskId, status, reason, message }))
  assert.equal(told, [{ taskId: '1', status: 200, reason: null, message: 'A webhook was attempted' }])
  assert.is(timers.size, 0)
})

test('[W3] follows no redirect and repeats nothing', async () => {
  const target = await receiver()
  const { seen, port } = await receiver((req, res) => {
    if (req.url === '/moved') res.writeHead(307, { location: `http://127.0.0.1:${target.port}/` })
    else res.writeHead(500)
    res.end()
  })
  const { webhook, lines } = open()
  await webhook.post(`http://127.0.0.1:${port}/moved`, {})
  await webhook.post(`http://127.0.0.1:${port}/broken`, {})
  assert.is(seen.length, 2)
  assert.is(target.seen.length, 0)
  const host = `127.0.0.1:${port}`
  assert.equal(lines, [
    { host, status: 307, message: 'A webhook was not accepted.' },
    { host, status: 500, message: 'A webhook was not accepted.' },
  ])
})

/** Receivers that do not come to an end, each at another point. */
const SLOW: Readonly<Record<string, () => Promise<{ port: number; reached: () => boolean }>>> = {
  async 'never answers'() {
    const { seen, port } = await receiver(() => {})
    return { port, reached: () => seen.length === 1 }
  },
  async 'never ends its answer'() {
    const { seen, port } = await receiver((_, res) => res.write('and'))
    return { port, reached: () => seen.length === 1 }
  },
  async 'takes the connection and reads nothing'() {
    let connections = 0
    const server = createTcpServer((socket) => {
      connections++
      socket.on('error', () => {})
    })
    return { port: await listening(server), reached: () => connections === 1 }
  },
}
for (const [name, slow] of Object.entries(SLOW)) {
  test(`[W4] a receiver that ${name} is given up after 10 seconds`, async () => {
    const { port, reached } = await slow()
    const { webhook, lines, timers } = open()
    const posted = webhook.post(`http://127.0.0.1:${port}/`, {})
    await until(reached)
    const [timer] = timers.values()
    assert.is(timer?.ms, WEBHOOK_TIMEOUT_MS)
    timer?.fn()
    await posted
    assert.equal(lines, [
      { host: `127.0.0.1:${port}`, reason: 'timeout', message: 'A webhook could not be delivered.' },
    ])
  })
}

test('[W4] the time to find the name counts too', async () => {
  let asked = 0
  const resolve = () => {
    asked++
    return new Promise<string[]>(() => {})
  }
  const { webhook, lines, timers } = open({ resolve })
  const posted = webhook.post('http://slow.example/', {})
  await until(() => asked === 1)
  for (const { fn } of timers.values()) fn()
  await posted
  assert.equal(lines, [{ host: 'slow.example', reason: 'timeout', message: 'A webhook could not be delivered.' }])
})

test('[W5] a failure never rejects, and is logged without path, query and password', async () => {
  const gone = await receiver()
  await closeReceivers()
  const cut = await receiver((_, res) => void res.destroy())
  const { webhook, lines } = open({ resolve: async () => [] })
  await webhook.post(`http://user:pass@127.0.0.1:${gone.port}/SECRET?token=SECRET`, {})
  await webhook.post(`http://127.0.0.1:${cut.port}/SECRET`, {})
  await webhook.post('http://nowhere.example/SECRET', {})
  await webhook.post('no url SECRET', {})
  await webhook.post('ftp://example.com/SECRET', {})
  const circular: Record<string, unknown> = {}
  circular.self = circular
  await webhook.post('http://nowhere.example/SECRET', circular)
  assert.is(lines.length, 6)
  assert.equal(lines[0], {
    host: `127.0.0.1:${gone.port}`,
    reason: 'ECONNREFUSED',
    message: 'A webhook could not be delivered.',
  })
  for (const line of lines) assert.not.match(JSON.stringify(line), /SECRET|pass/)
})

test('[W5] at most so many run at once; the rest wait their turn', async () => {
  const waiting: (() => void)[] = []
  const { seen, port } = await receiver((_, res) => waiting.push(() => res.end()))
  const { webhook, lines } = open()
  const count = WEBHOOKS_AT_ONCE_MAX + 5
  const posts = Array.from({ length: count }, (_, n) => webhook.post(`http://127.0.0.1:${port}/${n}`, {}))
  await until(() => seen.length === WEBHOOKS_AT_ONCE_MAX)
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  assert.is(seen.length, WEBHOOKS_AT_ONCE_MAX)
  const pump = setInterval(() => {
    for (const end of waiting.splice(0)) end()
  }, 1)
  await Promise.all(posts)
  clearInterval(pump)
  assert.is(seen.length, count)
  assert.equal(lines, [])
})

test.run()
