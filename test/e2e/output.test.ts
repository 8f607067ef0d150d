import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'
import { closeReceivers, receiver } from '../webhooks/receiver.ts'

const test = suite('an output that fits a schema, and the running service')

const read = { tool: 'get_page_text', input: {} }
const finish = (output: unknown, more: object = {}) => ({
  tool: 'finish',
  input: { success: true, answer: 'Kyoto teapot costs 48.', output, ...more },
})
const good = { name: 'Kyoto teapot', price: 48 }
const bad = { name: 'Kyoto teapot', price: 'forty-eight' }
const SCRIPT = {
  scripts: [
    { when: 'straight', steps: [read, finish({ ...good, maker: 'Invented & Sons' })] },
    { when: 'repaired', steps: [read, finish(bad), finish(good), finish(good)] },
  ],
}
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, price: { $ref: '#/$defs/price' }, maker: { type: ['string', 'null'] } },
  required: ['name', 'price'],
  $defs: { price: { type: 'number' } },
}

const file = join(tempFolder(), 'script.json')
writeFileSync(file, JSON.stringify(SCRIPT))
const service = await openService({ env: { LLM_SCRIPT: file, WEBHOOK_ALLOW_PRIVATE: 'true' } })
const { api } = service
const session = await api.pair()
const page = 'Kyoto teapot\n€48.00\n2 left'
const browser = await TestBrowser.open({
  relayPort: session.relayPort,
  token: session.token,
  answer: () => ({ output: page }),
})

const ask = async (task: string, more: object = {}) => {
  const { status, json } = await api.start(session.id, task, { output_schema: schema, ...more })
  assert.is(status, 201, JSON.stringify(json))
  await finished(api, json.id)
  return (await api.get(`/v1/tasks/${json.id}`)).json
}

test('[L31 L33 L34] the output, with the step where a page showed each value, and the invented one named', async () => {
  const hook = await receiver()
  const task = await ask('straight', { webhook_url: `http://127.0.0.1:${hook.port}/` })
  assert.equal([task.status, task.success], ['complete', true])
  assert.equal(task.output, { ...good, maker: 'Invented & Sons' })
  assert.equal(task.output_sources, { '/name': { step: 1 }, '/price': { step: 1 } })
  assert.equal(task.ungrounded, ['/maker'])
  await eventually(() => hook.seen.length === 1, 'the webhook')
  const body = JSON.parse(hook.seen[0]?.body ?? '')
  assert.equal([body.event, body.task.success, body.task.output], ['task.completed', true, task.output])
  const [listed] = (await api.get('/v1/tasks?limit=1')).json.tasks
  assert.equal([listed.success, listed.output], [true, task.output])
})

test('[L32] one that did not fit is repaired; the model read what was wrong', async () => {
  const task = await ask('repaired')
  assert.equal([task.status, task.output], ['complete', good])
  assert.match(
    task.turns[1].tools[0].result,
    'Error: finish: the output does not fit its schema: /price must be number.',
  )
})

test.after(async () => {
  browser.disconnect()
  await service.kill()
  await closeReceivers()
})
test.run()
