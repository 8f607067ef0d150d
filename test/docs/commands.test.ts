import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('commands of docs/browsers.md, docs/recipes.md and docs/embedding.md')

/** The code blocks of a page in a language, as they are: also those of a list. */
const blocks = (page: string, language: string): string[] =>
  [...readFileSync(`docs/${page}.md`, 'utf8').matchAll(/^ *```([^\n]+)\n(.*?)^ *```/gms)]
    .filter(([, head]) => head === language)
    .map(([, , text = '']) => text)

const folder = tempFolder()
const script = join(folder, 'script.json')
writeFileSync(script, JSON.stringify({ steps: [{ tool: 'get_page_text' }, { answer: 'It costs €48.00.' }] }))
const service = await openService({ env: { LLM_SCRIPT: script, BROWSERS: '0' } })
const { api } = service
const opened: TestBrowser[] = []

async function pairOne(body: object): Promise<string> {
  const { json: paired } = await api.post('/v1/browser-sessions/pair', body)
  const token = { pairing_token: paired.pairing_token }
  const { json } = await api.post('/v1/browser-sessions/register', token)
  const { relay_port: relayPort, session_token, browser_session_id: id } = json
  const answer = () => ({ output: 'Kyoto teapot €48.00' })
  opened.push(await TestBrowser.open({ relayPort, token: session_token, answer }))
  return id
}
const own = await pairOne({ label: 'Laptop' })
await pairOne({ pool: { name: 'default', places: 4 } })
test.after(async () => {
  for (const browser of opened) browser.disconnect()
  await service.kill()
})

const env = { ...process.env, SERVICE: service.url, KEY: service.key, SESSION: own, BROWSER: own }
/** What a command prints, one line of JSON after the other. */
async function run(command: string) {
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-ec', command.replaceAll('https://tasks.example', service.url)],
    { env },
  )
  return stdout
    .replaceAll('}{', '}\n{')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}
const isComplete = (id: string) =>
  eventually(async () => (await api.get(`/v1/tasks/${id}`)).json.status === 'complete', `the end of ${id}`)

test('[Z2] [Z10] [Z13] docs/browsers.md: a task in a pool, a profile, and a sign-in to it', async () => {
  const [start = '', browser = '', profile = ''] = blocks('browsers', 'sh')
  const [task] = await run(start)
  assert.equal(task.request.browser, { pool: 'default' })
  await isComplete(task.id)
  // It goes on for ever: its options are those that the command line has.
  const { stdout: help } = await promisify(execFile)('node', ['src/browser-task.js', 'browser', '--help'])
  for (const [option] of browser.matchAll(/--[a-z]+/g)) assert.match(help, option)
  const [made, signIn] = await run(profile)
  assert.is(made.name, 'acme')
  assert.is(signIn.request.browser.profile, made.id)
  for (const [n, text] of blocks('browsers', 'json').entries()) {
    const { status, json } = await api.post('/v1/tasks', { task: `Look ${n}`, browser: JSON.parse(text) })
    assert.ok(status === 201 || json.code === 'profile_busy', JSON.stringify(json))
  }
})

test('[J5] docs/recipes.md: its command starts a task with inputs', async () => {
  const [start = ''] = blocks('recipes', 'sh')
  const [task] = await run(start)
  assert.match(task.task, 'Order 2 pieces of the Kyoto teapot')
  await isComplete(task.id)
})

test('[A5] docs/embedding.md: its commands pair and start; its program does so with a publishable key', async () => {
  const [pair = '', start = ''] = blocks('embedding', 'sh')
  const [pairing] = await run(pair)
  assert.equal(Object.keys(pairing).sort(), ['expires_at', 'expires_in_seconds', 'pairing_token', 'pairing_url'])
  const [task] = await run(start.replace('"…"', `"${own}"`))
  await isComplete(task.id)
  const { json: publishable } = await api.post('/v1/api-keys', { name: 'page', type: 'publishable' })
  const [program = ''] = blocks('embedding', 'js')
  const file = join(folder, 'page.mjs')
  const text = program.replace('https://tasks.example', service.url).replace('svc_pub_…', publishable.key)
  writeFileSync(file, `${text}\nconsole.log(JSON.stringify({ pairing_url, sessions }))`)
  const { stdout } = await promisify(execFile)('node', [file])
  const { pairing_url, sessions } = JSON.parse(stdout)
  assert.match(pairing_url, `${service.url}/pair/svc_pair_`)
  assert.equal(sessions, [])
})

test.run()
