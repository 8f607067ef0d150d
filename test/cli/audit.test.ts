import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openStore } from '../../src/stores/open.ts'
import { memoryLog } from '../support/http-wire.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'
import { run } from './command.ts'

const test = suite('command line: audit')

test('[O12] commands are in the audit log, which is printed beside a running service and moves with its workspace', async () => {
  const service = await openService()
  const DATA_DIR = service.dataDir
  const command = async (...args: string[]) => {
    const { code, out, err } = await run(args, { DATA_DIR })
    assert.is(code, 0, err)
    return out
  }
  const entries = async (...args: string[]) =>
    (await command('audit', '--json', ...args))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  try {
    const made = JSON.parse(await command('keys', 'create', '--workspace', 'default', '--name', 'ci', '--json'))
    await command('limits', 'default', 'running_tasks=7')
    await command('keys', 'revoke', made.id)
    const link = JSON.parse(await command('inspect', '--rotate', '--json'))
    assert.ok(link.url.startsWith(`${service.url}/inspector?owner=`), link.url)
    const file = join(tempFolder(), 'default.jsonl')
    await command('export', 'default', file)
    const all = await entries()
    assert.equal(
      all.map(({ action, outcome, actor, address }) => [action, outcome, actor.kind, address]),
      ['exportWorkspace', 'createInspectorLink', 'deleteApiKey', 'updateLimits', 'createApiKey'].map((action) => [
        ...[action, 'done', 'operator', null],
      ]),
    )
    const [, linked, revoked, limits, created] = all
    assert.equal(linked.workspace_id, null)
    assert.equal([revoked.resource_id, created.resource_id], [made.id, made.id])
    assert.equal([limits.details, created.details], [{ running_tasks: '7' }, { name: 'ci', type: 'secret' }])
    const { json } = await service.api.get('/v1/audit')
    assert.equal(
      json.entries.map(({ action }: { action: string }) => action),
      all.filter((entry) => entry !== linked).map(({ action }) => action),
    )

    const shown = await command('audit', '--workspace', 'default', '--since', '1h')
    assert.match(shown, /^TIME +WORKSPACE +ACTION +OUTCOME +BY +FROM +RESOURCE\n/)
    assert.match(shown, /default +updateLimits +done +operator /)
    assert.not.match(shown, /createInspectorLink/)
    assert.equal((await entries('--action', 'updateLimits')).length, 1)
    const refused = await run(['audit', '--since', 'soon'], { DATA_DIR })
    assert.is(refused.err, '--since "soon" is not valid: expected 30m, 12h, 7d or a date such as 2026-11-23\n')

    const into = tempFolder()
    const open = () => openStore({ mongodbUrl: null, dataDir: into, log: memoryLog() })
    await (await open()).close()
    const { code, err } = await run(['import', file], { DATA_DIR: into })
    assert.is(code, 0, err)
    const store = await open()
    const moved = await store.audit.list({ workspaceId: limits.workspace_id, after: null, limit: 10 })
    assert.equal(
      moved.map(({ action }) => action),
      ['importWorkspace', 'deleteApiKey', 'updateLimits', 'createApiKey'],
    )
    assert.equal(await store.limits.get(limits.workspace_id), { runningTasks: 7 })
    await store.close()
  } finally {
    await service.kill()
  }
})

test.run()
