import { ownerSuite } from './owner-suite.ts'

await ownerSuite('lmdb', {}, ({ dataDir }) => `Data folder ${dataDir}`)
