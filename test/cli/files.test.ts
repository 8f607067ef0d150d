import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serviceFiles } from '../../src/browser/service-files.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'
import { run } from './command.ts'

const test = suite('command line: files')

test('[Q13] run gives files to a task, files saves what it has downloaded and replaces nothing', async () => {
  const folder = tempFolder()
  const script = join(folder, 'script.json')
  writeFileSync(script, JSON.stringify({ steps: [{ tool: 'get_page_text' }, { answer: 'Done.' }] }))
  const service = await openService({ env: { LLM_SCRIPT: script, VERIFY: 'off' } })
  const { id: session, token, relayPort } = await service.api.pair()
  const files = serviceFiles(async () => ({ serviceUrl: service.url, sessionToken: token }))
  const browser = await TestBrowser.open({ relayPort, token })
  const asked = ['--service', service.url, '--key', service.key]
  try {
    const path = join(folder, 'contract.txt')
    writeFileSync(path, 'Signed')
    const done = await run([
      'run',
      'Send it',
      '--session',
      session,
      '--file',
      path,
      script,
      `${service.url}/openapi.json`,
      ...asked,
    ])
    assert.is(done.code, 0, done.out + done.err)
    const id = /Task (\S+) in/.exec(done.out)?.[1] ?? ''
    const { json } = await service.api.get(`/v1/tasks/${id}/files`)
    const given = json.files.map(({ name }: { name: string }) => name)
    assert.equal(given.sort(), ['contract.txt', 'openapi.json', 'script.json'])
    const none = await run(['files', id, folder, ...asked])
    assert.is(none.out, 'The task has downloaded no files.\n')
    for (const text of ['one', 'two']) {
      const file = { id: randomUUID(), name: 'contract.txt', mediaType: 'text/plain' }
      await files.keep(id, file, new TextEncoder().encode(text))
    }
    const saved = await run(['files', id, folder, ...asked])
    assert.is(saved.code, 0, saved.err)
    const read = (name: string) => readFileSync(join(folder, name), 'utf8')
    assert.is(read('contract.txt'), 'Signed')
    assert.equal([read('contract (2).txt'), read('contract (3).txt')], ['one', 'two'])
    const missing = await run(['run', 'Send it', '--session', session, '--file', join(folder, 'nothing'), ...asked])
    assert.match(missing.err, /nothing cannot be read: ENOENT\n$/)
  } finally {
    browser.disconnect()
    await service.kill()
  }
})

test.run()
