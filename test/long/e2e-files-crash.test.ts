import { randomBytes, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serviceFiles } from '../../src/browser/service-files.ts'
import { hashOf } from '../e2e/files-site.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('kill -9 while a download is sent')
const BYTES = 12 * 1024 * 1024
/** After the request was begun: while its body comes, while it is written, and right after. */
const KILLED_AFTER_MS = [15, 60, 130, 250]

for (const store of ['lmdb', 'mongodb']) {
  test(`[U5] [D2] a download is kept once with one event, whenever the service is killed: ${store}`, async () => {
    const mongo = store === 'mongodb' ? await startMongoServer() : null
    const script = join(tempFolder(), 'script.json')
    writeFileSync(script, JSON.stringify({ steps: [{ tool: 'get_page_text' }, { answer: 'Done.' }] }))
    const service = await openService({
      env: { LLM_SCRIPT: script, ...(mongo && { MONGODB_URL: `${mongo.url}/files` }) },
    })
    const { id: session, token, relayPort } = await service.api.pair()
    const browser = await TestBrowser.open({ relayPort, token, answer: () => 'never' })
    const files = serviceFiles(async () => ({ serviceUrl: service.url, sessionToken: token }))
    try {
      const start = await service.api.start(session, 'Download it')
      assert.is(start.status, 201, JSON.stringify(start.json))
      const taskId: string = start.json.id
      const sent = new Map<string, string>()
      let interrupted = 0
      for (const ms of KILLED_AFTER_MS) {
        const bytes = randomBytes(BYTES)
        const file = { id: randomUUID(), name: `after ${ms} ms.bin`, mediaType: 'application/octet-stream' }
        const kept = files.keep(taskId, file, new Uint8Array(bytes))
        let isKept = false
        void kept.then(() => {
          isKept = true
        })
        await pause(ms)
        if (!isKept) interrupted++
        await service.kill()
        service.spawn()
        await service.answers()
        await kept
        sent.set(file.id, hashOf(bytes))
      }
      assert.ok(interrupted > 0, 'no kill came in the middle')
      const { json } = await service.api.get(`/v1/tasks/${taskId}/files`)
      const ids = json.files.map(({ id }: { id: string }) => id)
      assert.equal(ids.toSorted(), [...sent.keys()].toSorted())
      for (const [id, hash] of sent)
        assert.is(hashOf((await service.api.get(`/v1/tasks/${taskId}/files/${id}`)).raw), hash)
      const { events } = (await service.api.get(`/v1/tasks/${taskId}/events?types=file.downloaded`)).json
      assert.equal(events.map(({ file_id }: { file_id: string }) => file_id).toSorted(), [...sent.keys()].toSorted())
    } finally {
      browser.disconnect()
      await service.kill()
      await mongo?.kill()
    }
  })
}

test.run()
