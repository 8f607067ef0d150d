import { openGatedExtension } from '../extension/gated.ts'
import { holdsSuite } from '../support/holds/run.ts'

await holdsSuite('extension, all', { every: 1 }, openGatedExtension)
