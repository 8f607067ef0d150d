import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openStore } from '../../src/stores/open.ts'
import type { Written } from './parts/meter.ts'
import { replay } from './parts/replay.ts'
import { transitions } from './parts/transitions.ts'
import { usageOfThis } from './parts/usage.ts'
import { serve } from './remote.ts'

/** What everything is measured against, in a process of its own: the bare socket library, store and machines. */

/** The smallest answer that the library can give; or one with so many characters more. Resolves to its port. */
async function helloOf(transport: 'uws' | 'node', more = 0): Promise<number> {
  const hello = JSON.stringify({ hello: `world${'!'.repeat(more)}` })
  if (transport === 'node') {
    const server = createServer((_, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': hello.length })
      res.end(hello)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  const uws = await import('uWebSockets.js')
  return new Promise((resolve) => {
    uws
      .App()
      .get('/*', (res) => {
        res.writeHeader('content-type', 'application/json').end(hello)
      })
      .listen('127.0.0.1', 0, (socket) => resolve(socket ? uws.us_socket_local_port(socket) : 0))
  })
}

const calls = {
  hello: helloOf,
  transitions,
  async store(
    place: { mongodbUrl: string | null; dataDir: string },
    task: readonly Written[],
    size: Parameters<typeof replay>[2],
  ) {
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const store = await openStore({ ...place, log })
    try {
      return await replay(store, task, size)
    } finally {
      await store.close()
    }
  },
  usage: () => usageOfThis(),
}
export type BareCalls = typeof calls
serve(calls)
