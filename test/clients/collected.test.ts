import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BrowserTasks } from '../../src/client/index.ts'

const test = suite('the TypeScript client: what is collected while it waits')

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('[Y1] signal and timeout end calls and streams whose requests the garbage collector has taken', async () => {
  const server = createServer(({ url }, response) => {
    // A stream without events, and otherwise no answer at all.
    if (url?.includes('/events')) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hi\n\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { tasks } = new BrowserTasks({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const aborting = new AbortController()
  const { signal } = aborting
  const calls = {
    'a call': tasks.get('a', { signal }),
    'a call with a time limit': tasks.get('a', { timeout: 500 }),
    'a stream': tasks.events('a', { signal }).next(),
    'a stream with a time limit': tasks.events('a', { timeout: 500 }).next(),
  }
  const pending = new Set(Object.keys(calls))
  const over = Object.entries(calls).map(([name, call]) => call.catch(() => {}).then(() => pending.delete(name)))
  for (let round = 0; round < 3; round++) {
    await delay(100)
    collectGarbage()
  }
  aborting.abort()
  await Promise.race([Promise.all(over), delay(10_000, undefined, { ref: false })])
  server.closeAllConnections()
  server.close()
  assert.equal([...pending], [])
})

test.run()
