import { type Ground, openLive } from '../../support/live.ts'
import { ONE_TASK, relay } from './relay-suite.ts'
import { surface } from './surface-suite.ts'

const ground: Ground = { transport: 'uws', store: 'mongodb' }
const [first, second] = await Promise.all([openLive(ground), openLive(ground, ONE_TASK)])
surface(ground, first)
relay(ground, second)
