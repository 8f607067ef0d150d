import { shopping } from './shop-suite.ts'

await shopping({ transport: 'uws', store: 'lmdb' })
