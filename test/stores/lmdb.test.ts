import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { tempFolder } from '../support/stores.ts'
import { contract } from './contract.ts'

const dataDir = tempFolder()

await contract('the store on lmdb', {
  open: () => openLmdbStore({ dataDir }),
  // The folder goes with the process.
  remove: async () => {},
})
