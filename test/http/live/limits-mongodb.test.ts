import { type Ground, openLive } from '../../support/live.ts'
import { limits, PAID } from './limits-suite.ts'

const uws: Ground = { transport: 'uws', store: 'mongodb' }
const node: Ground = { transport: 'node', store: 'mongodb' }
const [first, second, third, fourth] = await Promise.all([
  openLive(uws),
  openLive(uws, PAID),
  openLive(node),
  openLive(node, PAID),
])
limits(uws, first, second)
limits(node, third, fourth)
