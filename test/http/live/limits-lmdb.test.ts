import { limits } from './limits-suite.ts'

await limits({ transport: 'uws', store: 'lmdb' })
