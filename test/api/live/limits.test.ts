import { type Ground, openLive } from '../../support/live.ts'
import { limits, PAID } from './limits-suite.ts'

const ground: Ground = { transport: 'uws', store: 'lmdb' }
const [first, second] = await Promise.all([openLive(ground), openLive(ground, PAID)])
limits(ground, first, second)
