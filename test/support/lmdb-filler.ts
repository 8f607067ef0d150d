import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { appending } from './logs.ts'
import { aPairing, aTask } from './stores.ts'

/*
 * Writes to the store in its folder until a write is refused, in a process whose files may not grow beyond a limit that
 * the store does not know of. Says what it was refused with, and whether what had been kept is still there.
 */
const store = await openLmdbStore({ dataDir: process.argv[2] ?? '', freeBytes: () => Number.MAX_SAFE_INTEGER })
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: Error) => `${error.name}: ${error.message}`,
  )
const text = 'x'.repeat(100_000)
const write = (seq: number) =>
  store.commit([appending('task', seq, text), { kind: 'task.insert', record: aTask({ id: String(seq) }) }])

let seq = 0
let refused: string | null = null
while (refused === null) {
  refused = await reasonOf(write(seq))
  if (refused === null) seq++
}
const others = [write(seq + 1), store.setting('a', () => 'b'), store.pairings.insert(aPairing())].map(reasonOf)
const answer = {
  refused,
  others: await Promise.all(others),
  ping: await store.ping(),
  kept: (await store.log('task')).length === seq && (await store.tasks.get(String(seq - 1))) !== null,
}
process.stdout.write(`${JSON.stringify(answer)}\n`)
// A promise that nobody heard would end the process with another code.
setTimeout(() => process.exit(0), 100)
