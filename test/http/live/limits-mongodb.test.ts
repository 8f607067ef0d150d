import { limits } from './limits-suite.ts'

await limits({ transport: 'node', store: 'mongodb' })
