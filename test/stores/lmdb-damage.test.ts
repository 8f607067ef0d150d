import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StoreDamaged } from '../../src/stores/errors.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { collected } from '../../src/stores/port.ts'
import { aFile, aTask, THEN, tempFolder } from '../support/stores.ts'

const test = suite('lmdb: damage')

test('[D18] a row of which a byte was changed is reported, and never read as another one', async () => {
  const dataDir = tempFolder()
  const path = join(dataDir, 'store.mdb')
  const record = aTask({ task: 'Buy the tea that nobody else has' })
  const store = await openLmdbStore({ dataDir })
  await store.commit([{ kind: 'task.insert', record }])
  await store.close()
  const whole = readFileSync(path)
  const at = whole.indexOf(record.task)
  assert.ok(at > 0)
  let told = 0
  for (let n = 0; n < record.task.length; n++) {
    const changed = Buffer.from(whole)
    for (let from = whole.indexOf(record.task); from >= 0; from = whole.indexOf(record.task, from + 1))
      changed[from + n] = (whole[from + n] as number) ^ 1
    writeFileSync(path, changed)
    const damaged = await openLmdbStore({ dataDir })
    const read = await damaged.tasks.get(record.id).catch((error: Error) => error.message)
    await damaged.close()
    assert.is(read, `The store is damaged: tasks ${record.id} is not what was written. Restore a backup`)
    told++
  }
  assert.is(told, record.task.length)
})

test('[D18] what is damaged can be removed: a row is not read for that', async () => {
  const dataDir = tempFolder()
  const [content, picture] = [Buffer.from('a page that was downloaded'), Buffer.from('what the tab showed')]
  const record = aTask({ status: 'complete', completedAt: THEN })
  const file = aFile({ taskId: record.id, size: content.length })
  const store = await openLmdbStore({ dataDir })
  await store.commit([{ kind: 'task.insert', record }])
  await store.files.put(file, content, THEN)
  await store.commit([{ kind: 'image.put', image: { taskId: record.id, step: 1, number: 0, image: picture } }])
  await store.close()
  for (const name of readdirSync(dataDir).filter((each) => each.endsWith('.mdb'))) {
    const bytes = readFileSync(join(dataDir, name))
    for (const what of [content, picture])
      for (let at = bytes.indexOf(what); at >= 0; at = bytes.indexOf(what, at + 1)) bytes[at] = 0
    writeFileSync(join(dataDir, name), bytes)
  }
  const damaged = await openLmdbStore({ dataDir })
  assert.instance(await damaged.files.read(file.id).catch((error: Error) => error), StoreDamaged)
  assert.instance(await damaged.image(record.id, 0).catch((error: Error) => error), StoreDamaged)
  assert.is(await damaged.tasks.remove(record.id), 'removed')
  assert.is(await damaged.files.read(file.id), null)
  assert.is(await damaged.image(record.id, 0), null)
  await damaged.close()
})

/** Changes a byte of each place where one of these texts stands in the files of a store. */
function damage(dataDir: string, ...texts: readonly string[]): void {
  for (const name of readdirSync(dataDir).filter((each) => each.endsWith('.mdb'))) {
    const bytes = readFileSync(join(dataDir, name))
    for (const text of texts)
      for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(join(dataDir, name), bytes)
  }
}

test('[D23] one damaged row keeps nobody from the others: actors, running and listed tasks, events; a log is whole or rejects', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const workspaceId = 'w'
  const tasks = ['one', 'two', 'three'].map((word) => aTask({ workspaceId, task: `Buy the ${word} nobody has` }))
  const address = (n: number) => `task:${tasks[n]?.id}` as const
  for (const [n, record] of tasks.entries()) {
    const entries = [1, 2].map((each) => ({
      ...{ n: each, kind: 'message.received' as const, at: THEN },
      public: { text: `Message ${each} of ${record.task}` },
    }))
    await store.commit([
      { kind: 'task.insert', record },
      {
        kind: 'actor.put',
        row: { address: address(n), version: 1, at: THEN, snapshot: { said: `Row of ${record.task}` } },
      },
      ...entries.map((entry, at) => ({
        kind: 'log.append' as const,
        record: { taskId: record.id, workspaceId, position: 1 + 2 * n + at, entries: [entry] },
      })),
    ])
  }
  await store.close()
  damage(dataDir, `"Buy the one`, 'Row of Buy the two', 'Message 1 of Buy the three')
  const damaged = await openLmdbStore({ dataDir })
  const told: string[] = []
  const tell = (key: string) => void told.push(key)
  const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id).sort()
  const others = ids(tasks.slice(1))
  assert.equal(ids(await collected(damaged.tasks.running(tell))), others)
  assert.equal(
    (await collected(damaged.actors(tell))).map((row) => row.address).sort(),
    [address(0), address(2)].sort(),
  )
  assert.equal(told, [tasks[0]?.id, address(1)])
  const page = { workspaceId, status: null, browserSessionId: null, after: null, limit: 10 }
  assert.equal(ids(await damaged.tasks.list(page)), others)
  assert.is((await damaged.events.ofWorkspace(workspaceId, 0, 100, 100)).length, 5)
  assert.is((await damaged.events.ofTask(tasks[2]?.id ?? '', 0, 100)).length, 1)
  assert.instance(await damaged.log(tasks[2]?.id ?? '').catch((error: Error) => error), StoreDamaged)
  await damaged.close()
})

test.run()
