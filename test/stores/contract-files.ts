import { randomBytes, randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import { aFile, anEnding, aTask, THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'

const bytes = new Uint8Array([1, 2, 3])
const LATER = THEN + 1_000

export function filesContract(test: Test): void {
  test('[U2] a file is kept whole, byte for byte, and once', async ({ store, other, seen }) => {
    for (const size of [0, 3, 1024 * 1024, 3_500_000]) {
      const content = randomBytes(size)
      const record = aFile({ size })
      assert.is(await store.files.put(record, content, LATER), true)
      assert.equal(await seen.files.get(record.id), record)
      assert.is(Buffer.compare((await seen.files.read(record.id)) ?? Buffer.from('none'), content), 0)
      assert.is(await other.files.put({ ...record, name: 'other' }, bytes, LATER), false)
      assert.is((await seen.files.get(record.id))?.name, record.name)
      await store.files.remove([record.id])
      assert.is(await seen.files.read(record.id), null)
      assert.is(await seen.files.get(record.id), null)
    }
  })

  test('[U2] of one file that is put ten times at once one is kept', async ({ store, other, seen }) => {
    const record = aFile()
    const puts = Array.from({ length: 10 }, (_, n) => (n % 2 ? store : other).files.put(record, bytes, LATER))
    assert.is((await Promise.all(puts)).filter(Boolean).length, 1)
    assert.equal(await seen.files.takenBy(record.workspaceId), { files: 1, bytes: 3 })
    await store.files.remove([record.id])
  })

  test('[U7] files go with their task, retired or deleted, and those of others stay', async ({ store, seen }) => {
    const workspaceId = randomUUID()
    const tasks = [aTask({ workspaceId }), aTask({ workspaceId }), aTask({ workspaceId })]
    for (const record of tasks) await store.commit([{ kind: 'task.insert', record }])
    const files = tasks.map(({ id: taskId }, n) => aFile({ workspaceId, taskId, createdAt: THEN + n }))
    for (const file of files) await store.files.put(file, bytes, LATER)
    const [one, two, three] = tasks.map(({ id }) => id) as [string, string, string]
    assert.equal(await seen.files.ofTask(one), [files[0]])
    for (const id of [one, two]) await store.tasks.end(anEnding(id, { completedAt: 10 }))
    assert.is(await store.tasks.remove(one), 'removed')
    while ((await store.tasks.retire(20, 100)) > 0);
    assert.equal(await seen.files.ofTask(one), [])
    assert.equal(await seen.files.ofTask(two), [])
    assert.is(await seen.files.read(files[1]?.id ?? ''), null)
    assert.equal(await seen.files.ofTask(three), [files[2]])
    assert.equal(await seen.files.takenBy(workspaceId), { files: 1, bytes: 3 })
  })

  test('[U7] a file without a task goes when its time is over, and later when it was used', async ({ store, seen }) => {
    const task = aTask()
    await store.commit([{ kind: 'task.insert', record: task }])
    const [unused, used, ofTask, ofNone] = [
      aFile(),
      aFile(),
      aFile({ taskId: task.id }),
      aFile({ taskId: randomUUID() }),
    ] as const
    for (const file of [unused, used, ofTask, ofNone]) await store.files.put(file, bytes, LATER)
    await store.files.touch(used.id, LATER + 500)
    while ((await store.files.sweep(LATER + 1, 2)) > 0);
    const kept = await Promise.all([unused, used, ofTask, ofNone].map(({ id }) => seen.files.get(id)))
    assert.equal(
      kept.map((file) => file !== null),
      [false, true, true, false],
    )
    while ((await store.files.sweep(LATER + 501, 2)) > 0);
    assert.is(await seen.files.get(used.id), null)
    assert.equal(await seen.files.read(ofTask.id).then((found) => new Uint8Array(found ?? [])), bytes)
  })
}
