import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { transform } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { environment, Running } from '../cli/command.ts'
import { installArchive } from '../cli/install.ts'
import { blockOf } from '../docs/programs.ts'
import { freePorts } from '../support/ports.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { allowManyStarts, openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'
import { pipInstall } from './packed.ts'

const test = suite('installed in an empty folder from a running service, without a registry')

const script = join(tempFolder(), 'script.json')
writeFileSync(script, JSON.stringify({ steps: [{ tool: 'get_page_text' }, { answer: 'It costs €48.00.' }] }))
const service = await openService({ env: { LLM_SCRIPT: script, BROWSERS: '0' } })
allowManyStarts(service)
const session = await service.api.pair()
const answer = () => ({ output: 'Kyoto teapot €48.00' })
const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token, answer })
// The examples ask for the pool, the commands for a browser of one's own.
const { json: pooled } = await service.api.post('/v1/browser-sessions/pair', { pool: { name: 'default', places: 4 } })
const token = { pairing_token: pooled.pairing_token }
const { json: registered } = await service.api.post('/v1/browser-sessions/register', token)
const inPool = await TestBrowser.open({
  relayPort: registered.relay_port,
  token: registered.session_token,
  answer,
})
test.after(async () => {
  inPool.disconnect()
  browser.disconnect()
  await service.kill()
})

const folder = tempFolder()
/** What is not served would be asked for at a registry that does not answer. */
const env = {
  ...environment({ npm_config_registry: 'http://127.0.0.1:1', npm_config_cache: join(folder, '.npm') }),
  ...{ SERVICE: service.url, KEY: service.key, SESSION: session.id },
  ...{ BROWSER_TASK_URL: service.url, BROWSER_TASK_KEY: service.key },
}
const run = async (command: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(command, args, { cwd: folder, env })).stdout
const addressOf = (name: string) => `${service.url}/clients/${name}`
const digestOf = async (url: string) => {
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer())
  return createHash('sha256').update(bytes).digest('hex')
}
/** The lines of docs/start.md that install a client. */
const [npmInstall = '', pipLine = ''] = blockOf('start', 'setup.sh')
  .split('\n')
  .filter((line) => /install/.test(line))
const ANSWER = /^complete It costs €48\.00\. \(scripted\)\n$/

test('[P45] [Q21] the TypeScript client is installed as docs/start.md says, and its first example works', async () => {
  await run('sh', '-c', `npm init -y >&2 && ${npmInstall}`)
  assert.equal(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['browser-task-client'],
  )
  const { code } = await transform(blockOf('start', 'start.ts'), { loader: 'ts', format: 'esm', target: 'node20' })
  writeFileSync(join(folder, 'start.mjs'), code)
  assert.match(await run(process.execPath, 'start.mjs'), ANSWER)
})

test('[P45] [Q21] the command line runs by its address, and does what the first example does', async () => {
  const npx = (...args: string[]) => run('npx', '-y', addressOf('browser-task-client.tgz'), ...args)
  const out = await npx('run', 'What does the Kyoto teapot cost?', '--session', session.id)
  assert.match(out, /✔ It costs €48\.00\./)
  const [task] = (await npx('tasks', 'list', '--limit', '1')).trim().split('\n')
  assert.is(JSON.parse(task ?? '').status, 'complete')
  const { pairing_url } = JSON.parse(await npx('browsers', 'pair', '--label', 'Kitchen', '--json'))
  assert.is((await fetch(pairing_url)).status, 200)
  assert.match(await npx('browsers', 'list'), new RegExp(`${session.id}.*connected`))
  assert.is(await npx('recipes', 'list', '--json'), '')
  const asked = await npx('run', 'Look', '--session', session.id, '--service', 'http://127.0.0.1:1').catch(String)
  assert.match(asked, 'No service answers at http://127.0.0.1:1.')
  const help = await npx('--help')
  for (const name of ['run', 'tasks', 'recipes', 'browsers', 'webhooks', 'mcp']) assert.match(help, `\n  ${name} `)
  for (const name of ['serve', 'keys', 'backup']) assert.not.match(help, `\n  ${name} `)
})

for (const era of ['modern', 'legacy'] as const)
  test(`[Y16] its command is an MCP server for a ${era} client: tools, progress, refusals, cancelling`, async () => {
    const mode = era === 'modern' ? { pin: '2026-07-28' } : ('legacy' as const)
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    const command = join(folder, 'node_modules/.bin/browser-task')
    await client.connect(new StdioClientTransport({ command, args: ['mcp'], env: env as Record<string, string> }))
    try {
      const { tools } = await client.listTools()
      assert.ok(tools.some(({ name }) => name === 'browser_run_task'))
      const call = (name: string, args: Record<string, unknown>, options = {}) =>
        client.callTool({ name, arguments: args }, options)
      const progress: number[] = []
      const onprogress = ({ progress: step }: { progress: number }) => progress.push(step)
      const { structuredContent } = await call(
        'browser_run_task',
        { task: 'Wie viel kostet die Kanne – 茶?' },
        { onprogress },
      )
      assert.is((structuredContent as { status: string }).status, 'complete')
      assert.ok(progress.length > 0)
      assert.ok((await call('browser_get_task', { task_id: 'none' })).isError)
      const stop = new AbortController()
      const waiting = call('browser_get_task', { task_id: 'none', wait_seconds: 50 }, { signal: stop.signal }).catch(
        String,
      )
      stop.abort()
      assert.match(String(await waiting), /[Aa]bort/)
      assert.ok((await client.listTools()).tools.length > 0)
    } finally {
      await client.close()
    }
  })

test('[Y16] a wrong key, and a service that is away, are answers of the protocol', async () => {
  const command = join(folder, 'node_modules/.bin/browser-task')
  const asked = async (more: Record<string, string>) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
    const transport = new StdioClientTransport({ command, args: ['mcp'], env: { ...env, ...more } as never })
    return String(await client.connect(transport).catch(String))
  }
  assert.match(await asked({ BROWSER_TASK_KEY: 'svc_live_wrong' }), 'The API key is wrong')
  assert.match(await asked({ BROWSER_TASK_URL: 'http://127.0.0.1:1' }), 'No service answers at http://127.0.0.1:1')
})

// Before pip asks, in whose test an index that does not answer is given up soon: in a checkout, the first request builds.
await digestOf(addressOf('browser-task-client.tgz'))
const pipFolder = join(folder, 'python')
mkdirSync(pipFolder)
const python = await pipInstall(pipFolder, pipLine.replace('pip install ', '').replace('$SERVICE', service.url))
const check = python === null ? test.skip : test
if (python === null) console.log('SKIPPED 1 Python with venv and an index of packages is not here')
check('[P45] [Q21] the Python client is installed as docs/start.md says, and its first example works', async () => {
  writeFileSync(join(folder, 'start.py'), blockOf('start', 'start.py'))
  assert.match(await run(python?.python ?? '', 'start.py'), ANSWER)
})

test('[P45] the service that is installed from a service serves the same clients, and itself again', async () => {
  const own = join(folder, 'service')
  mkdirSync(own)
  const archive = join(folder, 'service.tgz')
  writeFileSync(archive, new Uint8Array(await (await fetch(addressOf('browser-task-service.tgz'))).arrayBuffer()))
  installArchive(own, archive)
  assert.ok(!existsSync(join(own, 'node_modules/browser-task-service/deploy')))
  const [port = 0, relay = 0] = await freePorts(2)
  const settings = { PORT: String(port), RELAY_PORT: String(relay), HOST: '127.0.0.1', DATA_DIR: join(own, 'data') }
  const bin = join(own, 'node_modules/.bin/browser-task-service')
  const second = new Running(process.execPath, [bin, 'serve'], environment(settings))
  try {
    await second.said(/Next: /)
    for (const name of ['browser-task-client.tgz', pipLine.split('/').at(-1) ?? '', 'browser-task-service.tgz'])
      assert.is(await digestOf(`http://127.0.0.1:${port}/clients/${name}`), await digestOf(addressOf(name)), name)
  } finally {
    await second.end()
  }
})

test.run()
