import { looks } from './looks-suite.ts'

await looks('dark')
