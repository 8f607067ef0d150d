import { openLmdbStore } from '../../src/stores/lmdb.ts'

/** Owns the folder of its first argument, listening at its second, until it is killed. */
const [, , dataDir = '', address = ''] = process.argv
await openLmdbStore({ dataDir, owner: { address } })
process.stdout.write('owned\n')
setInterval(() => {}, 1_000)
