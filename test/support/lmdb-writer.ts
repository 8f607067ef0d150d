import { writeSync } from 'node:fs'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { appending } from './logs.ts'
import { aTask, THEN } from './stores.ts'

/*
 * A process that is there to be killed: writes to the store in the folder that it is given, and says `<writer> <n>` once
 * the write was acknowledged. With a number as its second argument it kills itself after so many.
 */
const store = await openLmdbStore({ dataDir: process.argv[2] ?? '' })
const WRITERS = 8
let left = Number(process.argv[3] ?? Number.POSITIVE_INFINITY)

async function write(writer: string): Promise<never> {
  for (let n = 0; ; n++) {
    await store.commit([
      appending(writer, n, String(n)),
      { kind: 'task.insert', record: aTask({ id: `${writer}-${n}` }) },
      { kind: 'actor.put', row: { address: writer, version: 1, at: THEN, snapshot: { n } } },
    ])
    writeSync(1, `${writer} ${n}\n`)
    if (--left === 0) process.kill(process.pid, 'SIGKILL')
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, index) => write(`${process.pid}.${index}`)))
