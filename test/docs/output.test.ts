import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('docs/output.md')

const page = readFileSync('docs/output.md', 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(/```(\w+)\n(.*?)```/gs)].filter(([, kind]) => kind === language).map(([, , text = '']) => text)

test('[L33 L34] the commands of the page give what it shows', async () => {
  const [shown] = blocks('json').map((text) => JSON.parse(text))
  const finish = { tool: 'finish', input: { success: true, answer: shown.answer, output: shown.output } }
  const file = join(tempFolder(), 'script.json')
  writeFileSync(file, JSON.stringify({ steps: [{ tool: 'get_page_text' }, finish] }))
  const service = await openService({ env: { LLM_SCRIPT: file } })
  const session = await service.api.pair()
  const answer = () => ({ output: 'Kyoto teapot\n€48.00' })
  const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token, answer })
  try {
    const env = { ...process.env, SERVICE: service.url, KEY: service.key, SESSION: session.id }
    const run = (command: string, more: object = {}) =>
      JSON.parse(execFileSync('sh', ['-c', command], { env: { ...env, ...more }, encoding: 'utf8' }))
    const [start = '', read = ''] = blocks('sh')
    const { id } = run(start)
    await finished(service.api, id)
    const task = run(read, { TASK: id })
    task.answer = task.answer.replace(' (scripted)', '')
    assert.equal(Object.fromEntries(Object.keys(shown).map((key) => [key, task[key]])), shown)
  } finally {
    browser.disconnect()
    await service.kill()
  }
})

test.run()
