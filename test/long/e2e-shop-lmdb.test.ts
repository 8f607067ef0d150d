import { shopping } from '../e2e/shop-suite.ts'

await shopping({ transport: 'uws', store: 'lmdb' })
