import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { answerOf, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'
import { inFolder, run } from './command.ts'

const test = suite('command line: backup and restore')

const aStore = async (dataDir: string) => (await openLmdbStore({ dataDir })).close()

test('[O1 O2] a backup under load is restored: everything acknowledged before it is there, and tasks go on', async () => {
  const model = await openJobModel()
  const first = await openService({ env: model.env })
  await inFolder(async (folder) => {
    const backup = join(folder, 'backup')
    const browsers: TestBrowser[] = []
    const opened = async () => {
      const session = await first.api.pair()
      browsers.push(await TestBrowser.open({ ...session, answer: () => ({ ms: 20, output: 'seen' }) }))
      return session.id
    }
    const [busy, long] = [await opened(), await opened()]
    const running = { name: 'long', steps: 40, ms: 100 }
    const runningId = await started(first.api, long, running)
    const acknowledged = new Map<string, unknown>()
    let keepGoing = true
    const load = (async () => {
      for (let n = 0; keepGoing && n < 8; n++) {
        const id = await started(first.api, busy, { name: `job ${n}`, steps: 2, pictures: n === 0 })
        await finished(first.api, id)
        acknowledged.set(id, (await first.api.get(`/v1/tasks/${id}`)).json)
        await first.api.post('/v1/api-keys', { name: `key ${n}` })
      }
    })()
    while (acknowledged.size < 2) await new Promise((resolve) => setTimeout(resolve, 20))
    const before = new Map(acknowledged)
    const { code, out, err } = await run(['backup', backup, '--json'], { DATA_DIR: first.dataDir })
    assert.is(code, 0, err)
    keepGoing = false
    await load
    assert.equal(readdirSync(backup).sort(), ['backup.json', 'screenshots.mdb', 'store.mdb'])
    assert.equal(JSON.parse(out), JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8')))
    for (const name of ['', 'store.mdb', 'backup.json'])
      assert.is(statSync(join(backup, name)).mode & 0o077, 0, `others may read ${name}`)
    await first.kill()

    const DATA_DIR = join(folder, 'restored')
    const restored = await run(['restore', backup], { DATA_DIR })
    assert.is(restored.code, 0, restored.err)
    first.spawn({ DATA_DIR })
    await first.answers()
    for (const [id, json] of before) assert.equal((await first.api.get(`/v1/tasks/${id}`)).json, json)
    const task = await finished(first.api, runningId)
    assert.equal([task.status, task.answer], ['complete', answerOf(running)])
    for (const browser of browsers) browser.disconnect()
  })
  await first.stop()
  await model.endpoint.close()
})

test('[O1] a backup needs a store and a new folder', async () => {
  await inFolder(async (folder) => {
    const DATA_DIR = join(folder, 'data')
    const target = join(folder, 'backup')
    assert.is(
      (await run(['backup', target], { DATA_DIR })).err,
      `There is no store in ${DATA_DIR}: set DATA_DIR to the folder of the service\n`,
    )
    await aStore(DATA_DIR)
    mkdirSync(target)
    assert.is((await run(['backup', target], { DATA_DIR })).err, `${target} exists already: name a new folder\n`)
    assert.equal(readdirSync(target), [])
    const mongo = await run(['backup', target], { MONGODB_URL: 'mongodb://db.test' })
    assert.match(mongo.err, /MONGODB_URL is set: back up MongoDB with its own tools/)
  })
})

test('[O2] what is not a backup, a damaged one, and a folder that has a store are refused, and nothing is changed', async () => {
  await inFolder(async (folder) => {
    const [data, other, target] = [join(folder, 'data'), join(folder, 'other'), join(folder, 'backup')]
    await aStore(data)
    assert.is((await run(['backup', target], { DATA_DIR: data })).code, 0)
    const restoring = async (DATA_DIR: string) => (await run(['restore', target], { DATA_DIR })).err
    assert.is(await restoring(data), `Data folder ${data} has a store already: move it away, or set DATA_DIR\n`)
    writeFileSync(join(target, 'screenshots.mdb'), 'other bytes')
    assert.is(await restoring(other), `Backup ${target} is damaged: screenshots.mdb is not what was backed up\n`)
    writeFileSync(join(target, 'backup.json'), '{}')
    assert.is(await restoring(other), `${target} is not a backup: backup.json is missing or invalid\n`)
    assert.not.ok(existsSync(other))
  })
})

test.run()
