import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LOG_TYPES } from '../../machines/task-log.ts'
import { endChromium, startChromium } from '../observe/inspector/world.ts'
import { eventually } from '../support/eventually.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('docs/events.md')

const page = readFileSync('docs/events.md', 'utf8')
/** The code blocks that begin with this: a language, and what follows it. */
const blocks = (kind: string) =>
  [...page.matchAll(/```([^\n]+)\n(.*?)```/gs)].filter(([, head]) => head === kind).map(([, , text = '']) => text)
const SCRIPT = { steps: [{ tool: 'get_page_text' }, { tool: 'get_page_text' }, { answer: 'It costs €48.00.' }] }

test('[V2] it names every type of event, and no other', () => {
  const named = [...page.matchAll(/^\| (`[a-z]+\.[a-z]+`[^|]*)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, type]) => type),
  )
  assert.equal(named.sort(), [...LOG_TYPES].sort())
})

test('[V5 V6 V8 V9] its commands and programs do what it says', async () => {
  const folder = tempFolder()
  const script = join(folder, 'script.json')
  writeFileSync(script, JSON.stringify(SCRIPT))
  const service = await openService({ env: { LLM_SCRIPT: script } })
  const chromium = await startChromium()
  const session = await service.api.pair()
  const browser = await TestBrowser.open({
    relayPort: session.relayPort,
    token: session.token,
    answer: () => ({ output: 'Kyoto teapot €48.00' }),
  })
  try {
    const body = { task: 'What does the teapot cost?', browser_session_id: session.id }
    const { id } = (await service.api.post('/v1/tasks', body)).json
    const env = { ...process.env, SERVICE: service.url, KEY: service.key, TASK: id }
    const run = async (file: string, args: string[]) => (await promisify(execFile)(file, args, { env })).stdout
    const [wait = '', read = '', follow = '', token = '', all = ''] = blocks('sh')

    const task = JSON.parse(await run('sh', ['-c', wait]))
    assert.equal([task.id, task.status], [id, 'complete'])
    assert.is((await finished(service.api, id)).status, 'complete')

    const shown = JSON.parse(blocks('json')[0] ?? '')
    const first = JSON.parse(await run('sh', ['-c', read]))
    const shape = (events: object[]) => events.map((event) => [...Object.keys(event)].sort())
    assert.equal(shape(first.events), shape(shown.events))
    assert.equal([first.next_cursor, first.has_more], [shown.next_cursor, shown.has_more])

    const stream = await run('sh', ['-c', follow])
    const seqs = [...stream.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
    assert.equal(
      seqs,
      seqs.map((_, index) => index + 1),
    )
    assert.match(stream, /event: task\.ended\ndata: .*€48\.00.*\n\n$/)
    const opened = await chromium.newPage()
    await opened.goto(`${service.url}/docs`)
    const { token: readToken } = JSON.parse(await run('sh', ['-c', token]))
    const given = JSON.stringify({ service: service.url, task: id, token: readToken })
    await opened.evaluate(`
      Object.assign(globalThis, ${given}, { texts: [], show: (text) => texts.push(text) })
      ${(blocks('js page')[0] ?? '').replace('const source', 'source')}
    `)
    await eventually(async () => (await opened.evaluate('source.readyState')) === 2, 'the source is closed')
    assert.match(String(((await opened.evaluate('texts')) as string[]).at(-1)), '€48.00')

    const ends = JSON.parse(await run('sh', ['-c', all]))
    assert.equal(
      ends.events.map(({ type, task_id }: { type: string; task_id: string }) => [type, task_id]),
      [['task.ended', id]],
    )
  } finally {
    await endChromium(chromium)
    browser.disconnect()
    await service.kill()
  }
})

test.run()
