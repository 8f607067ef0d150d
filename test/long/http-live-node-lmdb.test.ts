import { paths } from '../api/live/paths-suite.ts'
import { ONE_TASK, relay } from '../api/live/relay-suite.ts'
import { surface } from '../api/live/surface-suite.ts'
import { type Ground, openLive } from '../support/live.ts'

const ground: Ground = { transport: 'node', store: 'lmdb' }
const [first, second] = await Promise.all([openLive(ground), openLive(ground, ONE_TASK)])
paths(ground, first)
surface(ground, first)
relay(ground, second)
