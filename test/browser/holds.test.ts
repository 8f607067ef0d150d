import { holdsSuite } from '../support/holds/run.ts'

await holdsSuite('headless', { every: 8 })
