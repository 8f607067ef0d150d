import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ShardOwner } from '../../actors/cluster/ports.ts'
import { ROWS_FORMAT } from '../../actors/runtime/row-versions.ts'
import { DATA_VERSIONS } from '../../src/stores/data-versions.ts'
import { type OpenedStore, openStore } from '../../src/stores/open.ts'
import { memoryLog } from '../support/http-wire.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('versions of data')
const owner = { address: 'http://127.0.0.1:1' }
const mongo = await startMongoServer()
test.after(() => mongo.kill())

for (const [name, mongodbUrl] of [
  ['the embedded store', null],
  ['MongoDB', `${mongo.url}/versions`],
] as const) {
  const dataDir = tempFolder()
  const opening = (more: object = {}) => openStore({ mongodbUrl, dataDir, log: memoryLog(), ...more })
  const versions = async (work: (store: OpenedStore) => Promise<unknown>, more: object = {}) => {
    const store = await opening(more)
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }

  test(`[O3] ${name}: its owner notes the versions of what it writes, and a command beside it does not`, async () => {
    const read = (store: OpenedStore) => store.dataVersions.read()
    assert.is(await versions(read), null)
    assert.equal(JSON.parse(String(await versions(read, { owner }))), DATA_VERSIONS)
    assert.equal(JSON.parse(String(await versions(read))), DATA_VERSIONS)
  })

  test(`[O3] ${name}: data of a newer version is refused in one line, also of a kind that is not known yet`, async () => {
    const newer = { ...DATA_VERSIONS, task: DATA_VERSIONS.task + 1, lease: 1 }
    await versions((store) => store.dataVersions.write(JSON.stringify(newer)))
    for (const more of [{}, { owner }]) {
      const message = await opening(more).then(
        () => 'opened',
        (error: Error) => error.message,
      )
      assert.match(message, /was written by a newer version of the service/)
      assert.match(
        message,
        `task ${newer.task}, this version reads ${DATA_VERSIONS.task}; lease 1, this version reads none`,
      )
      assert.not.match(message, '\n')
    }
  })
}

const asNode = (name: string, more: object = {}) =>
  openStore({
    mongodbUrl: `${mongo.url}/${name}`,
    dataDir: '',
    log: memoryLog(),
    owner: { ...owner, shared: true, ...more },
  })
const seenBy = async ({ shards }: OpenedStore) =>
  (await shards?.refreshView({ leaving: false, reachesBus: true }))?.owners[0] as ShardOwner

test('[O3 M11] a node that writes newer rows once all nodes read them shuts out no older node before', async () => {
  const newer = await asNode('canary')
  const older = await asNode('canary', { format: ROWS_FORMAT - 1 })
  await seenBy(older)
  await newer.shards?.acquire(0, await seenBy(newer))
  assert.is(await newer.dataVersions.read(), null)
  await older.close()
  await newer.shards?.acquire(1, await seenBy(newer))
  assert.equal(JSON.parse(String(await newer.dataVersions.read())), DATA_VERSIONS)
  await newer.close()
})

test('[O3 M11] a node starts beside newer ones, whose rows it does not take, and not on tables that it cannot read', async () => {
  const noted = { ...DATA_VERSIONS, task: DATA_VERSIONS.task + 1 }
  const node = await asNode('older')
  await node.dataVersions.write(JSON.stringify(noted))
  await node.close()
  const again = await asNode('older')
  await again.shards?.acquire(0, await seenBy(again))
  assert.equal(JSON.parse(String(await again.dataVersions.read())), noted)
  await again.dataVersions.write(JSON.stringify({ ...noted, tables: DATA_VERSIONS.tables + 1 }))
  await again.close()
  const message = await asNode('older').then(
    () => 'opened',
    (error: Error) => error.message,
  )
  assert.match(message, `tables ${DATA_VERSIONS.tables + 1}, this version reads ${DATA_VERSIONS.tables}`)
})

test.run()
