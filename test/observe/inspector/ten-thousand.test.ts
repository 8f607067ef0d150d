import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Inspection } from '../../../actors/inspection/inspection.ts'
import { Registry } from '../../../actors/runtime/registry.ts'
import { sessionAddress, taskAddress, workspaceAddress } from '../../../machines/addresses.ts'
import { systemClock } from '../../../src/config/clock.ts'
import { openTransport } from '../../../src/net/open-transport.ts'
import { VIEWER_BYTES_PER_MS_MAX } from '../../../src/observe/inspector/limits.ts'
import { openViewers } from '../../../src/observe/inspector/viewers.ts'
import { eventStream } from '../../../src/web/streams.ts'
import { eventually } from '../../support/eventually.ts'
import { memoryLog } from '../../support/http-wire.ts'
import { hopper } from './viewer-support.ts'
import { listen } from './world.ts'

const test = suite('ten thousand actors')
const ACTORS = 10_000
const MOVED_EACH = 500
const MOVE_EVERY_MS = 50
const LOOK_MS = 1_000
const WAIT_MS = 20_000
/** What opening costs the process, generously: it is 0.2 s. */
const OPEN_CPU_MS_MAX = 2_000

/** They stand for the actors of a service; the listener is the one that a service opens. */
test('[P21] a plain reader has the list of ten thousand at once, also while nothing moves, and then what changes', async () => {
  const log = memoryLog()
  const inspection = new Inspection({ clock: systemClock, log })
  const registry = new Registry({ clock: systemClock, log, watch: inspection })
  registry.start(workspaceAddress('w'), () => hopper, { supervisor: null })
  const addresses = Array.from({ length: ACTORS - 1 }, (_, n) =>
    n % 2 === 0 ? taskAddress(`t${n}`) : sessionAddress(`s${n}`),
  )
  for (const address of addresses) registry.start(address, () => hopper, { supervisor: workspaceAddress('w') })
  const viewers = openViewers(inspection, systemClock)
  const scope = { counted: 'w', workspaces: ['w'], sees: () => true, stillAllowed: async () => true }
  const transport = await openTransport(null, log)
  const listener = await transport.listen({
    ...{ host: '127.0.0.1', port: 0, maxBodyBytes: 0, sockets: {} },
    handle: () => eventStream(viewers.actors(scope)),
  })
  const cpuMs = (since: NodeJS.CpuUsage) => {
    const { user, system } = process.cpuUsage(since)
    return (user + system) / 1_000
  }
  const before = process.cpuUsage()
  const reader = listen(`http://127.0.0.1:${listener.port}/`, {})
  try {
    await eventually(() => reader.heard.length === 1, 'the list', WAIT_MS)
    assert.is(reader.heard[0]?.data.actors.length, ACTORS)
    const opened = cpuMs(before)
    assert.ok(opened < OPEN_CPU_MS_MAX, `${opened} ms of CPU`)

    const from = performance.now()
    const used = process.cpuUsage()
    for (let at = 0; performance.now() - from < LOOK_MS; at = (at + MOVED_EACH) % addresses.length) {
      for (const address of addresses.slice(at, at + MOVED_EACH)) registry.post(address, { type: 'hop' })
      await new Promise((resolve) => setTimeout(resolve, MOVE_EVERY_MS))
    }
    registry.post(workspaceAddress('w'), { type: 'hop' })
    const states = () =>
      reader.heard.flatMap(({ data }) => data.actors).findLast(({ address }) => address === 'workspace:w')
    await eventually(() => states()?.state === 'b', 'the last move', WAIT_MS)
    const [first, ...later] = reader.heard.map(({ data }) => JSON.stringify(data).length)
    const ms = performance.now() - from
    const bytes = later.reduce((sum, length) => sum + length, 0)
    assert.ok(bytes <= ms * VIEWER_BYTES_PER_MS_MAX + Math.max(...later), `${bytes} bytes in ${ms} ms`)
    console.log(
      `  ${first} bytes at first, ${Math.round(opened)} ms of CPU; then ${Math.round((bytes / ms) * 1_000)} bytes/s and ${Math.round(cpuMs(used))} ms of CPU in ${Math.round(ms)} ms`,
    )
  } finally {
    reader.close()
    await listener.close()
  }
})

test.run()
