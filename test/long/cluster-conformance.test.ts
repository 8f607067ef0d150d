import { suite } from 'uvu'
import { paths } from '../api/live/paths-suite.ts'
import { ONE_TASK, relay } from '../api/live/relay-suite.ts'
import { surface } from '../api/live/surface-suite.ts'
import { type Ground, openLive } from '../support/live.ts'
import { hasNats } from '../support/nats.ts'

// [M1] What one process answers, three nodes answer, each request at another one.
const ground: Ground = { transport: 'uws', store: 'mongodb', nodes: 3 }
if (hasNats) {
  const first = await openLive(ground)
  const second = await openLive(ground, ONE_TASK)
  paths(ground, first)
  surface(ground, first)
  relay(ground, second)
} else {
  console.log('SKIPPED 20 no nats-server is installed')
  suite('conformance').run()
}
