import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { eventually } from '../support/eventually.ts'
import { openService } from '../support/service.ts'
import { inFolder, run } from './command.ts'

const test = suite('command line: keys')

/** The folder is that of a service which ran before. */
const aStore = async (dataDir: string) => (await openLmdbStore({ dataDir })).close()

test('[Q2 Q3] a folder without a store is refused in one line, and stays empty', async () => {
  await inFolder(async (DATA_DIR) => {
    for (const command of [['keys', 'create', '--workspace', 'tea'], ['keys', 'list'], ['inspect']]) {
      const { code, out, err } = await run(command, { DATA_DIR })
      const line = `There is no store in ${DATA_DIR}: start the service there first, or set DATA_DIR to its folder\n`
      assert.equal([code, out, err], [1, '', line])
    }
    assert.equal(readdirSync(DATA_DIR), [])
  })
})

test('[Q2] makes a key, and its workspace when there is none', async () => {
  await inFolder(async (DATA_DIR) => {
    await aStore(DATA_DIR)
    const create = (...more: string[]) => run(['keys', 'create', '--json', ...more], { DATA_DIR })
    const first = await create('--workspace', 'tea', '--name', 'a name')
    assert.is(first.code, 0, first.err)
    const key = JSON.parse(first.out)
    assert.equal(Object.keys(key), ['id', 'key', 'name', 'type', 'workspace_id', 'created_at'])
    assert.match(key.key, /^svc_live_[0-9a-f]{48}$/)
    assert.is(key.name, 'a name')
    assert.is(key.type, 'secret')
    assert.type(key.created_at, 'number')

    const second = JSON.parse((await create('--workspace', 'tea', '--type', 'publishable')).out)
    assert.match(second.key, /^svc_pub_[0-9a-f]{48}$/)
    assert.is(second.type, 'publishable')
    assert.is(second.workspace_id, key.workspace_id)
    assert.is.not(JSON.parse((await create('--workspace', 'coffee')).out).workspace_id, key.workspace_id)
  })
})

test('[Q9] a stranger who signed up under the name of a workspace gets none of its keys', async () => {
  await inFolder(async (DATA_DIR) => {
    await aStore(DATA_DIR)
    const store = await openLmdbStore({ dataDir: DATA_DIR })
    const id = randomUUID()
    await store.workspaces.insert({ id, name: 'ops@example.com', plan: 'free', members: ['stranger'], createdAt: 1 })
    await store.close()
    const create = async (workspace: string) =>
      JSON.parse((await run(['keys', 'create', '--json', '--workspace', workspace], { DATA_DIR })).out)
    const own = await create('ops@example.com')
    assert.is.not(own.workspace_id, id)
    assert.is((await create('ops@example.com')).workspace_id, own.workspace_id)
    // By its id it can be meant.
    assert.is((await create(id)).workspace_id, id)
  })
})

test('[Q2] without --json it shows the key to a person, once', async () => {
  await inFolder(async (DATA_DIR) => {
    await aStore(DATA_DIR)
    const { out } = await run(['keys', 'create', '--workspace', 'tea'], { DATA_DIR })
    assert.is(out.match(/svc_live_[0-9a-f]{48}/g)?.length, 1)
    const listed = await run(['keys', 'list'], { DATA_DIR })
    assert.not.match(listed.out, /svc_live_[0-9a-f]{48}/)
    assert.match(listed.out, /svc_live_[0-9a-f]{7}…/)
  })
})

test('[Q3] lists keys and revokes one', async () => {
  await inFolder(async (DATA_DIR) => {
    await aStore(DATA_DIR)
    const keys = (...args: string[]) => run(['keys', ...args], { DATA_DIR })
    assert.match((await keys('list')).out, 'No keys.')
    const made = JSON.parse((await keys('create', '--workspace', 'tea', '--json')).out)
    const kept = JSON.parse((await keys('create', '--workspace', 'coffee', '--json')).out)
    const ids = async (...more: string[]) =>
      JSON.parse((await keys('list', '--json', ...more)).out).api_keys.map(({ id }: { id: string }) => id)
    assert.equal((await ids()).sort(), [made.id, kept.id].sort())
    assert.equal(await ids('--workspace', 'tea'), [made.id])

    assert.is((await keys('revoke', made.id)).code, 0)
    assert.equal(await ids(), [kept.id])
    const again = await keys('revoke', made.id)
    assert.is(again.code, 1)
    assert.is(again.err, `Unknown key id "${made.id}".\n`)
    assert.is((await keys('list', '--workspace', 'milk')).err, 'Unknown workspace "milk".\n')
  })
})

test('[Q4] beside a running service, which honours what is made and what is revoked', async () => {
  const service = await openService()
  try {
    const DATA_DIR = service.dataDir
    const made = JSON.parse((await run(['keys', 'create', '--workspace', 'default', '--json'], { DATA_DIR })).out)
    const status = async () => {
      const headers = { authorization: `Bearer ${made.key}` }
      return (await fetch(`${service.url}/v1/tasks`, { headers })).status
    }
    await eventually(async () => (await status()) === 200, 'the new key is accepted')
    assert.is((await run(['keys', 'revoke', made.id], { DATA_DIR })).code, 0)
    await eventually(async () => (await status()) === 401, 'the revoked key is refused')
  } finally {
    await service.stop()
  }
})

test.run()
