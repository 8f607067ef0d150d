import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BrowserTasks } from '../../src/client/index.ts'
import { nearestName } from '../../src/wire/nearest.ts'
import { openService } from '../support/service.ts'
import { installPythonClient } from './packed.ts'

const test = suite('fields that the API does not have')
const service = await openService({ env: { BROWSERS: '0' } })
const session = await service.api.pair()
test.after(async () => void (await service.kill()))

const misspelt = { task: 'Look', browser_session_id: session.id, alowed_domains: ['shop.example'], max_cost: 1 }
/** Refused for its browser, which is not connected, or its model; what was warned of is said before. */
const warned = async (): Promise<string[]> => {
  const said: string[] = []
  const client = new BrowserTasks({
    ...{ baseUrl: service.url, key: service.key, maxRetries: 0 },
    onWarning: (message) => said.push(message),
  })
  await client.browsers.pair({ label: 'Kitchen', lable: 'x', pol: 'y' } as never)
  return said
}

test('[Y18] the TypeScript client passes on what the service ignored, by default to the console', async () => {
  const said = await warned()
  assert.equal(said, [
    'POST /v1/browser-sessions/pair: Unknown field: lable',
    'POST /v1/browser-sessions/pair: Unknown field: pol',
  ])
  const { warn } = console
  const lines: unknown[] = []
  console.warn = (...words: unknown[]) => void lines.push(...words)
  try {
    const client = new BrowserTasks({ baseUrl: service.url, key: service.key })
    await client.browsers.pair({ label: 'Kitchen' })
    assert.equal(lines, [])
    await client.browsers.pair({ lable: 'Kitchen' } as never)
  } finally {
    console.warn = warn
  }
  assert.equal(lines, ['POST /v1/browser-sessions/pair: Unknown field: lable'])
})

const python = await installPythonClient()
const check = python === null ? test.skip : test
if (python === null) console.log('SKIPPED 1 Python with venv and an index of packages is not here')
check('[Y18] the Python clients warn of it', async () => {
  const program = `
import asyncio, os, warnings
from browser_task_client import AsyncBrowserTasks, BrowserTasks
given = os.environ["SERVICE"], os.environ["KEY"]
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    BrowserTasks(*given).browsers.pair(label="Kitchen")
    assert not said, said
    BrowserTasks(*given).browsers.pair(lable="Kitchen")
    asyncio.run(AsyncBrowserTasks(*given).browsers.pair(lable="Kitchen"))
    print(*(each.message for each in said if each.category is UserWarning), sep="\\n")
`
  writeFileSync(join(python?.folder ?? '', 'warned.py'), program)
  const env = { ...process.env, SERVICE: service.url, KEY: service.key }
  const { stdout } = await promisify(execFile)(python?.python ?? '', ['warned.py'], { cwd: python?.folder, env })
  const line = 'POST /v1/browser-sessions/pair: Unknown field: lable\n'
  assert.is(stdout, line + line)
})

test('[Y17] MCP refuses them with the nearest name, in lists too, and starts nothing', async () => {
  const client = new Client({ name: 'test', version: '1' })
  const headers = { authorization: `Bearer ${service.key}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } }))
  const said = async (name: string, args: object) =>
    JSON.stringify(await client.callTool({ name, arguments: { ...args } }).catch(String))
  try {
    const refused = await said('browser_run_task', misspelt)
    assert.match(refused, 'Unknown field: alowed_domains. Did you mean allowed_domains?')
    assert.match(
      await said('browser_run_task', { ...misspelt, alowed_domains: undefined, max_cost: 1 }),
      'max_cost_usd?',
    )
    assert.match(await said('browser_run_task', { task: 'Look', maxSteps: 3 }), 'Did you mean max_steps?')
    assert.match(await said('browser_run_task', { task: 'Look', zzz: 3 }), /Unknown field: zzz\.(?! Did)/)
    const secrets = [{ name: 'pin', value: 'x', domians: ['shop.example'] }]
    assert.match(await said('browser_run_task', { task: 'Look', secrets }), 'Did you mean domains?')
    assert.match(await said('browser_pair_browser', { lable: 'x' }), 'Did you mean label?')
    assert.match(await said('browser_list_browsers', { status: 'connected' }), 'Unknown field: status')
    assert.match(await said('browser_list_tasks', { q: 'Look' }), '\\"tasks\\":[]')
  } finally {
    await client.close()
  }
})

test('[Y17] the nearest name is another spelling, one that is longer or shorter, or one with few wrong letters', () => {
  const names = ['allowed_domains', 'max_cost_usd', 'max_steps', 'url', 'q']
  const meant = (given: string) => nearestName(given, names)
  assert.equal(
    ['allowedDomains', 'ALLOWED-DOMAINS', 'alowed_domain', 'max_cost', 'max_step', 'max_stpes', 'uri'].map(meant),
    ['allowed_domains', 'allowed_domains', 'allowed_domains', 'max_cost_usd', 'max_steps', 'max_steps', 'url'],
  )
  for (const given of ['', 'x', 'max', 'shop', '__proto__', 'constructor', 'm'.repeat(100_000)])
    assert.is(meant(given), null)
})

test.run()
