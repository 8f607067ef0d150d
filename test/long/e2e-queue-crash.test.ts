import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { newWorkspace } from '../support/service/api.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

const TASK_MS_MAX = 60_000
/** How long a call takes: the service is killed meanwhile. */
const SLOW_MS = 1_500

const test = suite('a queue over kill -9')

function script(): string {
  const steps = [{ tool: 'find', input: { query: 'tea' } }, { answer: 'Done.' }]
  const file = join(tempFolder(), 'script.json')
  writeFileSync(file, JSON.stringify({ scripts: [{ when: 'Queue', think_ms: 0, steps }] }))
  return file
}

test('[T59 D7] kill -9 while tasks wait in the queue: each runs, once', async () => {
  const service = await openService({ env: { LLM_SCRIPT: script(), VERIFY: 'off' } })
  const { api: client } = await newWorkspace(service.url)
  const { id: session, token, relayPort } = await client.pair()
  const answering = await TestBrowser.open({ relayPort, token, answer: () => ({ ms: SLOW_MS }) })
  const ids: string[] = []
  for (let n = 0; n < 7; n++) ids.push((await client.start(session, `Queue ${n}`, { on_limit: 'queue' })).json.id)
  const queued = async () => {
    const tasks = await Promise.all(ids.map((id) => client.task(id)))
    return tasks.filter(({ state }) => state === 'queued').map(({ id }) => id)
  }
  assert.equal(await queued(), ids.slice(5))
  await service.kill()
  service.spawn()
  await service.answers()
  assert.equal(await queued(), ids.slice(5))
  for (const id of ids) assert.is((await finished(client, id, TASK_MS_MAX)).status, 'complete')
  assert.equal(
    [...answering.executed.values()],
    ids.map(() => 1),
  )
  answering.disconnect()
  await service.kill()
})

test.run()
