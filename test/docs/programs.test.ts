import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANSWER, blockOf, installPrograms, openShop, runAll } from './programs.ts'

const test = suite('the programs of the docs: start, follow, answers as data, questions, webhooks')
const programs = await installPrograms()
const shop = await openShop()
const { service, session } = shop

/** The last line of JSON that a block prints. */
async function shell(command: string, env: Record<string, string> = {}) {
  const known = { ...process.env, SERVICE: service.url, KEY: service.key, SESSION: session, ...env }
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: known, timeout: 30_000 })
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1).replace(/^\{"accepted":true\}/, ''))
}

if (programs.languages.length === 1) console.log('SKIPPED 1 Python with venv and an index of packages is not here')

test('[Y14] their TypeScript compiles', async () => assert.is(await programs.checked(), ''))

test('[Y14] curl starts a task and waits', async () => {
  const task = await shell(blockOf('start', 'start.sh'))
  assert.equal([task.status, task.answer], ['complete', ANSWER])
  const [, shown = ''] = /^```json\n(.*?)^```$/ms.exec(readFileSync('docs/start.md', 'utf8')) ?? []
  const { id, seq, ...fields } = JSON.parse(shown)
  for (const [name, value] of Object.entries(fields)) assert.equal(task[name], value, name)
  assert.equal([typeof id, typeof seq], [typeof task.id, typeof task.seq])
  const again = await shell(blockOf('start', 'wait.sh'), { TASK: task.id, SEQ: '0' })
  assert.equal([again.id, again.status], [task.id, 'complete'])
})

test('[Y14] curl is asked, and answers', async () => {
  const asked = await shell(blockOf('questions', 'ask.sh'))
  const { kind, message, id } = asked.input_request
  assert.equal([asked.status, asked.state, kind, message], ['running', 'waitingForInput', 'question', 'Which size?'])
  const next = await shell(blockOf('questions', 'answer.sh'), { TASK: asked.id, REQUEST: id, SEQ: String(asked.seq) })
  assert.equal([next.state, next.input_request.kind], ['waitingForInput', 'approval'])
  await service.api.post(`/v1/tasks/${asked.id}/cancel`)
})

test('[Y14] TypeScript and Python do what their pages say', async () => assert.equal(await runAll(programs, shop), []))

test.after(() => shop.close())
test.run()
