import { endToEnd } from './suite.ts'

await endToEnd({ transport: 'uws', store: 'lmdb' })
