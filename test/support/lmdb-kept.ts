import * as assert from 'uvu/assert'
import type { Store } from '../../actors/runtime/ports.ts'
import { collected } from './stores.ts'

/** Asserts that the store has all that a writer of `lmdb-writer.ts` said. */
export async function assertKept(store: Store, said: readonly string[]): Promise<void> {
  const rows = new Map((await collected(store.actors())).map((row) => [row.address, row.snapshot as { n: number }]))
  for (const line of said) {
    const [writer = '', n] = line.split(' ')
    const record = await store.tasks.get(`${writer}-${n}`)
    assert.ok(record, `task ${line}`)
    assert.ok((rows.get(writer)?.n ?? -1) >= Number(n), `row ${line}`)
    assert.is((await store.log(writer))[Number(n)]?.kind, 'tool.result', `log ${line}`)
  }
}
