import { holdsSuite } from '../support/holds/run.ts'

await holdsSuite('headless, all', { every: 1 })
