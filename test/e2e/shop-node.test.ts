import { shopping } from './shop-suite.ts'

await shopping({ transport: 'node', store: 'lmdb' })
