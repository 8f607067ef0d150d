import { looks } from '../extension/looks-suite.ts'

await looks('dark')
