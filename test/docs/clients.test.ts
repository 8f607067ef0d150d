import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { installTypescriptClient } from '../clients/packed.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('docs for clients')

/** The code blocks of a page in a language. */
const blocks = (page: string, language: string) =>
  [...readFileSync(`docs/${page}.md`, 'utf8').matchAll(/```([^\n]+)\n(.*?)```/gs)]
    .filter(([, head]) => head === language)
    .map(([, , text = '']) => text)

const script = join(tempFolder(), 'script.json')
writeFileSync(script, JSON.stringify({ steps: [{ tool: 'get_page_text' }, { answer: 'It costs €48.00.' }] }))
const client = await installTypescriptClient()
const service = await openService({ env: { LLM_SCRIPT: script } })
const session = await service.api.pair()
const browser = await TestBrowser.open({
  relayPort: session.relayPort,
  token: session.token,
  answer: () => ({ output: 'Kyoto teapot €48.00' }),
})
const pooled = await service.api.pair({ pool: { name: 'default', places: 2 } })
const onCall = await TestBrowser.open({
  relayPort: pooled.relayPort,
  token: pooled.token,
  answer: () => ({ output: 'Kyoto teapot €48.00' }),
})
const env = { ...process.env, SERVICE: service.url, KEY: service.key, SESSION: session.id }
const run = async (file: string, args: string[]) =>
  (await promisify(execFile)(file, args, { env, timeout: 20_000 })).stdout
const shell = (command = '') => run('sh', ['-c', command])

test('[Y6] docs/sdk.md: its programs do what they say, in plain Node', async () => {
  const folder = mkdtempSync(join(client.folder, 'sdk-'))
  try {
    const outputs = []
    for (const [n, text] of blocks('sdk', 'js').entries()) {
      writeFileSync(join(folder, `${n}.mjs`), text)
      outputs.push(await run('node', [join(folder, `${n}.mjs`)]))
    }
    const [first = '', second = ''] = outputs
    assert.match(first, /^task\.created\n[\s\S]*task\.ended\ncomplete It costs €48\.00\. \(scripted\)\n$/)
    assert.is(second, 'navigate\nget_page_text\nfinish\ncomplete\nIt costs €48.00. (scripted)\n400 task_not_running\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('[E22] docs/idempotency.md: its command, twice, starts one task', async () => {
  const [command] = blocks('idempotency', 'sh')
  const [first, second] = [await shell(command), await shell(command)]
  assert.is(JSON.parse(first).status, 'running')
  assert.is(second, first)
})

test('[U1] [U3] [U6] docs/files.md: its commands and its program do what they say', async () => {
  const [start, upload, fetch] = blocks('files', 'sh')
  const { id } = JSON.parse(await shell(start))
  assert.is(JSON.parse(await shell(upload)).size, 'Signed by Ada Lovelace'.length)
  const [list = '', save = ''] = (fetch ?? '').split('\n')
  const [file] = JSON.parse(await shell(`TASK=${id}; ${list}`)).files
  assert.is(file.name, 'contract.txt')
  const folder = mkdtempSync(join(client.folder, 'files-'))
  try {
    await shell(`cd ${folder}; TASK=${id} FILE=${file.id}; ${save}`)
    assert.is(readFileSync(join(folder, 'contract.txt'), 'utf8'), 'Signed by Ada Lovelace\n')
    writeFileSync(join(folder, 'files.mjs'), blocks('files', 'js')[0] ?? '')
    assert.is(await run('node', [join(folder, 'files.mjs')]), 'contract.txt true\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('[E1] [E31] docs/errors.md: its commands answer what it shows, which leads to the page itself', async () => {
  const shown = blocks('errors', 'json').map((text) => JSON.parse(text))
  const answers = []
  for (const command of blocks('errors', 'sh')) answers.push(JSON.parse(await shell(command)))
  assert.equal(answers, shown)
  const page = await (await fetch(service.url + shown[0].doc_url)).text()
  for (const { code, doc_url } of shown)
    assert.match(page, new RegExp(`<tr [^>]*id="${code}"><th [^>]*><a href="${new URL(doc_url, service.url).hash}">`))
})

test('[Y7] [Y9] docs/mcp.md: the command lists the tools, the configuration starts a server with them', async () => {
  const listed = await shell(blocks('mcp', 'sh')[0])
  const rows = [...readFileSync('docs/mcp.md', 'utf8').matchAll(/^\|( `browser_[^|]+)\|/gm)]
  const names = rows.flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  for (const name of names) assert.match(listed, `"name":"${name}"`)

  const { command, args, env: given } = JSON.parse(blocks('mcp', 'json')[0] ?? '').mcpServers.browser
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command,
      args: args.map((each: string) => each.replace('http://127.0.0.1:3456', service.url)),
      env: { ...given, PATH: process.env.PATH ?? '', BROWSER_TASK_URL: service.url, BROWSER_TASK_KEY: service.key },
    }),
  )
  try {
    const { tools } = await client.listTools()
    assert.equal(
      tools.map(({ name }) => name),
      names,
    )
    const answer = await client.callTool({
      name: 'browser_run_task',
      arguments: { task: 'What does the teapot cost?' },
    })
    assert.is((answer.structuredContent as { answer: string }).answer, 'It costs €48.00. (scripted)')
  } finally {
    await client.close()
  }
})

test.after(async () => {
  browser.disconnect()
  onCall.disconnect()
  await service.kill()
})
test.run()
