import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { openJobModel, taskOf } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const test = suite('a full disk, and one that cannot be written')

const folder = mkdtempSync(join(tmpdir(), 'browser-task-disk-'))
const mount = (...args: string[]) => spawnSync('mount', ['-t', 'tmpfs', ...args, 'tmpfs', folder]).status === 0
const unmount = () => spawnSync('umount', [folder])
process.on('exit', () => {
  unmount()
  rmSync(folder, { recursive: true, force: true })
})

if (!mount('-o', 'size=100m')) {
  console.log('SKIPPED 2 a small disk of its own cannot be mounted here')
} else {
  test('[D13 D22 H2] a start on a full disk is 503, as health is; with room again both are well', async () => {
    const model = await openJobModel()
    const service = await openService({ env: { ...model.env, DATA_DIR: folder } })
    const { api } = service
    const session = await api.pair()
    const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token })
    const kept = await started(api, session.id, { name: 'kept', steps: 1 })
    await finished(api, kept)

    const ballast = join(folder, 'ballast')
    writeFileSync(ballast, Buffer.alloc(50 * 1024 * 1024))
    const health = async () => (await api.get('/v1/health')).json
    await eventually(async () => (await health()).database_connected === false, 'a store that cannot write')
    assert.is((await api.get('/v1/health')).status, 503)
    const refused = await api.start(session.id, taskOf({ name: 'refused', steps: 1 }))
    assert.equal([refused.status, refused.json.code, refused.headers['retry-after']], [503, 'store_away', '1'])
    const line = new RegExp(`"level":50.*"request_id":"${refused.headers['x-request-id']}"`)
    await eventually(async () => line.test(service.output), 'the line in the log')
    assert.is((await api.task(kept)).status, 'complete')

    rmSync(ballast)
    await eventually(async () => (await health()).status === 'ok', 'health')
    const after = await started(api, session.id, { name: 'after', steps: 1 })
    assert.is((await finished(api, after)).status, 'complete')
    const { json } = await api.get('/v1/tasks')
    assert.equal(
      json.tasks.map(({ id }: { id: string }) => id),
      [after, kept],
    )
    assert.is(service.exit, null)
    browser.disconnect()
    assert.is((await service.stop()).code, 0)
    await model.endpoint.close()
  })

  test('[N10] a disk that cannot be written ends the start with one line', async () => {
    unmount()
    mount('-o', 'size=100m,ro')
    const failed = await openService({ env: { DATA_DIR: folder } }).then(
      () => null,
      (error: Error) => error.message,
    )
    assert.match(failed ?? '', `Data folder ${folder} cannot be written: `)
    assert.match(failed ?? '', '"code":1')
    assert.not.match(failed ?? '', /\n\s+at /)
  })
}
test.run()
