import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exportWorkspace, importWorkspace } from '../../src/cli/workspace-file.ts'
import { openStore } from '../../src/stores/open.ts'
import { eventually } from '../support/eventually.ts'
import { memoryLog } from '../support/http-wire.ts'
import { openLive } from '../support/live.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { Api } from '../support/service/api.ts'
import { tempFolder } from '../support/stores.ts'
import { run } from './command.ts'

const test = suite('command line: export and import')

test('[O6] [U7] a workspace moves from the embedded store to MongoDB and back, and its API answers as before', async () => {
  const folder = tempFolder()
  const [first, second] = [join(folder, 'first.jsonl'), join(folder, 'second.jsonl')]
  const live = await openLive({ transport: 'uws', store: 'lmdb' })
  const tenant = await live.workspace()
  const { id: session } = await tenant.browser(() => ({ output: 'seen' }))
  const { id } = (await tenant.api.start(session, 'a call', { files: [{ name: 'a.txt', data: 'dGVh' }] })).json
  await eventually(async () => (await tenant.api.task(id)).status === 'complete', 'the end', 10_000)
  const paths = [`/v1/tasks/${id}`, `/v1/tasks/${id}/steps`, `/v1/tasks/${id}/files`, '/v1/api-keys', '/v1/usage']
  const answers = async (api: typeof tenant.api) => Promise.all(paths.map(async (path) => (await api.get(path)).json))
  const before = await answers(tenant.api)
  await tenant.api.start(session, 'hang')
  assert.equal(await exportWorkspace(live.store, tenant.id, first), {
    ...{ workspaceId: tenant.id, tasks: 1, keys: 1, sessions: 1, skipped: 1 },
  })
  assert.is(statSync(first).mode & 0o077, 0)
  await live.close()

  const mongo = await startMongoServer()
  const database = await openStore({ mongodbUrl: `${mongo.url}/moved`, dataDir: '', log: memoryLog() })
  assert.equal(await importWorkspace(database, first), {
    ...{ workspaceId: tenant.id, tasks: 1, keys: 1, sessions: 1, skipped: 0 },
  })
  await exportWorkspace(database, tenant.id, second)
  await database.close()
  await mongo.kill()

  const back = await openLive({ transport: 'uws', store: 'lmdb' })
  await importWorkspace(back.store, second)
  const api = new Api(back.service.url, tenant.api.key)
  const after = await answers(api)
  // When the key was used last is not a matter of the workspace's data, and the log of events does not move with it.
  const comparable = (all: typeof before) =>
    JSON.parse(JSON.stringify(all, (name, value) => (name === 'last_used_at' || name === 'seq' ? null : value)))
  for (const [at, path] of paths.entries()) assert.equal(comparable(after)[at], comparable(before)[at], path)
  const [file] = (await api.get(`/v1/tasks/${id}/files`)).json.files
  assert.is((await api.get(`/v1/tasks/${id}/files/${file.id}`)).raw.toString(), 'tea')
  const again = await importWorkspace(back.store, second).catch((error: Error) => error.message)
  assert.is(again, `The store has workspace ${tenant.id} already`)
  await back.close()
})

test('[A37] [O6] of the members those come along who have an account in the other store', async () => {
  const open = () => openStore({ mongodbUrl: null, dataDir: tempFolder(), log: memoryLog() })
  const [from, to] = [await open(), await open()]
  const id = '0d5b0b5e-43b6-4e29-9d3b-6f0a4a7f6f01'
  const roles = { known: 'viewer', unknown: 'member' } as const
  await from.workspaces.insert({ id, name: 'tea', plan: 'free', members: ['known', 'unknown'], roles, createdAt: 1 })
  await to.authTables.insert('user', { id: 'known', email: 'ann@example.com' })
  const file = join(tempFolder(), 'workspace.jsonl')
  await exportWorkspace(from, id, file)
  await importWorkspace(to, file)
  const { members, roles: kept } = (await to.workspaces.get(id)) ?? {}
  assert.equal([members, kept], [['known'], roles])
  await Promise.all([from.close(), to.close()])
})

test('[O6] a file that is cut off, damaged or something else is refused in one line', async () => {
  const dataDir = tempFolder()
  await (await openStore({ mongodbUrl: null, dataDir, log: memoryLog() })).close()
  const file = join(tempFolder(), 'workspace.jsonl')
  const importing = async (text: string) => {
    writeFileSync(file, text)
    return (await run(['import', file], { DATA_DIR: dataDir })).err
  }
  const head = '{"format":"browser-task workspace","version":1}\n'
  assert.is(await importing(readFileSync('package.json', 'utf8').slice(0, 1)), `${file} is damaged at line 1\n`)
  assert.is(await importing('{}\n'), `${file} is not an exported workspace\n`)
  assert.is(await importing(head), `${file} ends before its last line: export it again\n`)
  assert.is((await run(['export', 'nobody', file], { DATA_DIR: dataDir })).err, 'Unknown workspace "nobody".\n')
})

test.run()
