import { endToEnd } from './suite.ts'

await endToEnd({ transport: 'node', store: 'mongodb' })
