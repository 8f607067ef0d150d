import { endToEnd } from '../e2e/suite.ts'

await endToEnd({ transport: 'node', store: 'lmdb' })
