import { type Ground, openLive } from '../../support/live.ts'
import { paths } from './paths-suite.ts'
import { ONE_TASK, relay } from './relay-suite.ts'
import { surface } from './surface-suite.ts'

const ground: Ground = { transport: 'uws', store: 'lmdb' }
const [first, second] = await Promise.all([openLive(ground), openLive(ground, ONE_TASK)])
paths(ground, first)
surface(ground, first)
relay(ground, second)
