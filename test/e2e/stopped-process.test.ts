import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TestBrowser } from '../support/service/browser.ts'
import { allowManyStarts, openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('a process that is stopped while a schema compiles')

/** Takes a tenth of a second to compile, or more. */
const hardSchema = (n: number) => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`p${at}`, { type: 'string', pattern: `^a${n}b${at}$`, minLength: 1 }]),
  ),
})

test('[T66] no start is refused, nor is the next one of the same schema', async () => {
  const file = join(tempFolder(), 'script.json')
  writeFileSync(file, JSON.stringify({ steps: [{ answer: 'Done.' }] }))
  const service = await openService({ env: { LLM_SCRIPT: file, VERIFY: 'off' } })
  allowManyStarts(service, 'running_tasks=20')
  const { api } = service
  const { id, relayPort, token } = await api.pair()
  const browser = await TestBrowser.open({ relayPort, token, protocol: 2, answer: () => ({ output: 'done' }) })
  try {
    const start = (n: number) =>
      api.post('/v1/tasks', { task: 'x', browser_session_id: id, output_schema: hardSchema(n) })
    // They compile one after the other: when the first is answered, the next one is under way.
    const starts = [0, 1, 2, 3].map(start)
    const answered: number[] = []
    for (const [n, each] of starts.entries()) void each.then(() => answered.push(n))
    await Promise.race(starts)
    service.signal('SIGSTOP')
    assert.ok(answered.length < starts.length, 'others wait')
    await pause(4_000)
    service.signal('SIGCONT')
    const statuses = (await Promise.all(starts)).map(({ status, json }) => `${status} ${json.error}`)
    assert.equal(statuses, Array(4).fill('201 undefined'))
    for (const n of [0, 1, 2, 3]) assert.is((await start(n)).status, 201)
  } finally {
    browser.disconnect()
    service.signal('SIGCONT')
    await service.kill()
  }
})

test.run()
