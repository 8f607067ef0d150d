import { ownerSuite } from '../e2e/owner-suite.ts'

await ownerSuite('lmdb', {}, ({ dataDir }) => `Data folder ${dataDir}`)
