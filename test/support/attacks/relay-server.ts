import { systemClock } from '../../../src/config/clock.ts'
import { openTransport } from '../../../src/net/open-transport.ts'
import { openRelay } from '../../../src/relay/relay.ts'
import type { SocketState } from '../../../src/relay/socket-state.ts'
import { memoryLog } from '../http-wire.ts'

// A relay in a process of its own: `node relay-server.ts uws|node`, which sends its port to its parent.

const unused = new Proxy({}, { get: () => () => Promise.reject(new Error('not used here')) }) as never
const log = memoryLog()
const relay = openRelay({
  store: unused,
  clock: systemClock,
  ids: { uuid: () => crypto.randomUUID() },
  log,
})
relay.attach(unused)
const transport = await openTransport(process.argv[2] === 'node' ? 'node' : 'uws', log)
const { port } = await transport.listen({
  host: '127.0.0.1',
  port: 0,
  maxBodyBytes: 1_000,
  handle: () => ({ status: 200, headers: [], body: 'ok' }),
  sockets: { '/relay': relay.handlers satisfies { data(): SocketState } },
})
process.send?.(port)
