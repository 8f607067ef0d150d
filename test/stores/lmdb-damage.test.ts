import { spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { damageIn } from '../../src/stores/lmdb/database.ts'
import { openRoot, Table } from '../../src/stores/lmdb/table.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { Random } from '../simulation/random.ts'
import { answersOf, DAMAGED_BYTES } from '../support/lmdb-damaged.ts'
import { anEnding, aStep, aTask, tempFolder } from '../support/stores.ts'

const test = suite('lmdb and damage')
const DAMAGED = 'test/support/lmdb-damaged.ts'
const PLACES = 120
const TASKS = 40
const PAGE = 4096
/** How many rows a page has, and where, is in its head: who changes that may hide rows whose neighbours are whole. */
const PAGE_HEAD = 192

/** A store with tasks that run and tasks that ended, and what is answered about it while it is whole. */
async function aStore() {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const workspaceId = 'w'
  const ids: string[] = []
  for (let n = 0; n < TASKS; n++) {
    const record = aTask({
      id: `${n}-${'0'.repeat(30)}`,
      workspaceId,
      browserSessionId: 's',
      apiKeyId: 'k',
      createdAt: n,
    })
    ids.push(record.id)
    const address = `task/${record.id}` as never
    await store.commit([
      { kind: 'task.insert', record },
      { kind: 'actor.put', row: { address, snapshot: { n, text: 'x'.repeat(500) } } as never },
      { kind: 'journal.append', taskId: record.id, seq: 0, entry: { kind: 'message', text: `Part ${n}.` } as never },
      {
        kind: 'event.append',
        record: { taskId: record.id, workspaceId, seq: 1, position: n + 1, event: { seq: 1 } as never },
      },
    ])
    await store.steps.append([aStep(record.id, 0)], [])
    if (n % 2 === 0) await store.tasks.end(anEnding(record.id))
  }
  const truth = await answersOf(store, workspaceId, ids)
  await store.close()
  const truthPath = join(tempFolder(), 'truth.json')
  writeFileSync(truthPath, JSON.stringify({ workspaceId, truth: [...truth] }))
  return { dataDir, truthPath }
}

/** What a process says about these places; where lmdb ended it, the next one goes on behind. */
function saidAt(places: readonly number[], { dataDir, truthPath }: Awaited<ReturnType<typeof aStore>>): string[] {
  const lines: string[] = []
  for (let left = places; left.length > 0; ) {
    const run = spawnSync(process.execPath, ['--import', 'tsx', DAMAGED, dataDir, truthPath, JSON.stringify(left)], {
      encoding: 'utf8',
      timeout: 60_000,
    })
    const said = run.stdout.trim().split('\n')
    lines.push(...said)
    if (run.status === 0) break
    const at = Number(said.findLast((line) => line.endsWith(' begins'))?.split(' ')[0])
    assert.ok(left.includes(at), run.stderr)
    lines.push(`${at} ended the process (${run.signal ?? run.status})`)
    left = left.slice(left.indexOf(at) + 1)
  }
  return lines
}

test('[D18] 64 bytes that were changed anywhere in rows and indexes are reported by what reads them: no answer is wrong', async () => {
  const store = await aStore()
  const size = statSync(join(store.dataDir, 'store.mdb')).size
  const random = new Random(17)
  // Behind the two meta pages.
  const places = Array.from(
    { length: PLACES },
    () => random.whole(2, size / PAGE - 1) * PAGE + random.whole(PAGE_HEAD, PAGE - DAMAGED_BYTES),
  )
  const lines = saidAt([...new Set(places)], store)

  assert.equal(
    lines.filter((line) => / WRONG/.test(line)),
    [],
  )
  assert.ok(lines.filter((line) => / SAID /.test(line)).length > 0)
})

test('[D18] a row under the key of another, or of another table, is damage; one from before checksums is read', async () => {
  const path = join(tempFolder(), 'rows.mdb')
  const root = openRoot(path)
  const raw = root.openDB<Buffer, string>('notes', { encoding: 'binary' })
  const tableOf = (name: string) =>
    new Table<{ n: number }>(root, name, 'json', (table, why) => damageIn(path, table, why))
  const notes = tableOf('notes')
  await root.batch(() => notes.put('a', { n: 1 }))
  const bytes = raw.get('a') ?? Buffer.alloc(0)
  await raw.put('b', bytes)
  await raw.put('old', Buffer.from('{"n":2}'))
  await root.openDB<Buffer, string>('others', { encoding: 'binary' }).put('a', bytes)
  assert.equal([notes.get('a'), notes.get('old')], [{ n: 1 }, { n: 2 }])
  assert.throws(() => notes.get('b'), /is damaged: table notes of rows.mdb is not as it was written/)
  assert.throws(() => tableOf('others').get('a'), /table others of rows.mdb/)
  assert.throws(() => notes.range({ from: 'a', to: 'c', limit: 9 }), /table notes of rows.mdb/)
  await root.close()
})

test.run()
