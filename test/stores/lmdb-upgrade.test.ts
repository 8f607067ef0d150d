import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LmdbFile } from '../../src/stores/lmdb/database.ts'
import { LmdbDriver } from '../../src/stores/lmdb/driver.ts'
import { FILES } from '../../src/stores/lmdb/folder.ts'
import { isOfEarlierLayout, upgradeTables } from '../../src/stores/lmdb/upgrade.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import type { Driver } from '../../src/stores/port.ts'
import { collected, tempFolder } from '../support/stores.ts'

const test = suite('lmdb: upgrade')
const owner = { address: 'a test' }

/** A data folder as cdfb5c9 left it when it was killed. */
function oldFolder(): string {
  const dataDir = tempFolder()
  cpSync('test/upgrade/cdfb5c9/lmdb', dataDir, { recursive: true })
  return dataDir
}

/** Everything that can be read of a folder. */
async function contents(dataDir: string) {
  const store = await openLmdbStore({ dataDir, owner })
  const workspaces = await store.workspaces.list()
  const ofWorkspaces = workspaces.map(async ({ id }) => {
    const page = { workspaceId: id, status: null, browserSessionId: null, after: null, limit: 1_000 }
    const tasks = await store.tasks.list(page)
    const ofTasks = tasks.map(async ({ id }) => [
      await store.log(id),
      await store.events.ofTask(id, 0, 1_000),
      await store.traces.get(id, 'transitions'),
      await store.image(id, 0),
    ])
    return [
      tasks,
      await Promise.all(ofTasks),
      await store.keys.list(id),
      await store.sessions.list(id, null),
      await store.usage.totals(id, 0),
      await store.ledger.get(id, '2026-11'),
      await store.events.ofWorkspace(id, 0, Number.MAX_SAFE_INTEGER, 10_000),
    ]
  })
  const all = [
    workspaces,
    await Promise.all(ofWorkspaces),
    (await collected(store.actors())).map(({ address }) => address).sort(),
    (await collected(store.tasks.running())).map(({ id }) => id).sort(),
    await store.events.lastPosition(),
    (await store.authTables.find('user', [])).length,
  ]
  await store.close()
  return all
}

test('[O10] an upgrade that was cut short anywhere begins anew, and all is there', async () => {
  const whole = oldFolder()
  const expected = await contents(whole)
  const [workspaces, , actors, running, position, users] = expected as [
    unknown[],
    unknown,
    unknown[],
    unknown[],
    number,
    number,
  ]
  assert.ok(workspaces.length > 0 && actors.length > 0 && running.length > 0 && position > 0 && users > 0)
  assert.equal(await contents(whole), expected)
  for (let cut = 0; ; cut++) {
    const dataDir = oldFolder()
    const [main, large] = [new LmdbFile(join(dataDir, 'store.mdb')), new LmdbFile(join(dataDir, 'screenshots.mdb'))]
    const driver = new LmdbDriver(main, large)
    let left = cut
    const cutting = {
      transact: (work: never) => (left-- > 0 ? driver.transact(work) : Promise.reject(new Error('cut'))),
      range: (...which: Parameters<Driver['range']>) => driver.range(...which),
    } as unknown as Driver
    const isCut = await upgradeTables(main, large, undefined, cutting).then(
      () => false,
      ({ message }: Error) => message === 'cut',
    )
    assert.is(isOfEarlierLayout(main), isCut)
    await Promise.all([main.close(), large.close()])
    assert.equal(await contents(dataDir), expected, `cut after ${cut} transactions`)
    if (!isCut) break
  }
})

test('[O10] what does not own the store does not upgrade it, and says what does', async () => {
  const dataDir = oldFolder()
  const reason = await openLmdbStore({ dataDir }).catch(({ message }: Error) => message)
  assert.is(reason, `Data folder ${dataDir} is of an earlier version: start the service on it once, which upgrades it`)
})

test('[Z10 D12] the values of profiles move to their profiles, and those of deleted ones go', async () => {
  const dataDir = tempFolder()
  const record = { id: randomUUID(), workspaceId: randomUUID(), name: 'acme', createdAt: 1, savedAt: null }
  const gone = { ...record, id: randomUUID(), name: 'gone' }
  const before = await openLmdbStore({ dataDir, owner })
  for (const each of [record, gone]) {
    await before.profiles.insert(each)
    await before.profiles.save(each.id, `sealed ${each.name}`, 2)
  }
  await before.close()
  // As an earlier version left them.
  const [main, large] = [new LmdbFile(join(dataDir, FILES.store)), new LmdbFile(join(dataDir, FILES.screenshots))]
  const [values, old] = [main, large].map((file) => file.table<Buffer>('profile_values', 'binary'))
  for (const { id } of [record, gone]) {
    const bytes = Buffer.from(values?.getBytes(id) ?? [])
    await large.write(() => old?.putBytes(id, bytes))
    await main.write(() => values?.remove(id))
  }
  await main.write(() => main.table('profiles', 'binary').remove(gone.id))
  await Promise.all([main.close(), large.close()])

  for (const _ of ['upgraded', 'opened again']) {
    const store = await openLmdbStore({ dataDir, owner })
    assert.equal([await store.profiles.values(record.id), await store.profiles.values(gone.id)], ['sealed acme', null])
    await store.close()
  }
  const left = new LmdbFile(join(dataDir, FILES.screenshots))
  assert.equal(await collected(left.table('profile_values', 'binary').keys({})), [])
  await left.close()
})

test.run()
