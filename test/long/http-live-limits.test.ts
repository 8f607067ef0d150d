import { limits, PAID } from '../api/live/limits-suite.ts'
import { type Ground, openLive } from '../support/live.ts'

const GROUNDS: readonly Ground[] = [
  { transport: 'uws', store: 'mongodb' },
  { transport: 'node', store: 'lmdb' },
]
for (const ground of GROUNDS) limits(ground, ...(await Promise.all([openLive(ground), openLive(ground, PAID)])))
