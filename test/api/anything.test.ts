import { anythingOverHttp } from './anything-suite.ts'

await anythingOverHttp(60)
