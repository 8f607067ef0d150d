import { execFile, spawn } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { documentOf, generated } from '../../clients/generate.ts'
import { endChromium, startChromium } from '../observe/inspector/world.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { openService } from '../support/service.ts'
import { CASES, serveCases } from './misbehaviours.ts'
import { installTypescriptClient } from './packed.ts'

const test = suite('the TypeScript client, installed from its packed file in an empty folder')
const BYTES_MAX = 60_000
const client = await installTypescriptClient()

test('[Y6] what is generated is of the present OpenAPI document (else: npm run sdk)', () => {
  for (const [path, wanted] of generated()) assert.ok(readFileSync(path, 'utf8') === wanted, `${path} is stale`)
})

test('[Y11] every operation of the document is a route of `request`', () => {
  const types = readFileSync(join(client.folder, 'node_modules/browser-task-client/dist/api.d.ts'), 'utf8')
  for (const [path, operations] of Object.entries(documentOf().paths))
    for (const method of Object.keys(operations)) assert.match(types, `'${method.toUpperCase()} ${path}':`)
})

test('[Y11] it has at most 60 KB and no dependency', () => {
  assert.ok(client.bytes <= BYTES_MAX, `${client.bytes} bytes`)
  const manifest = JSON.parse(readFileSync('clients/typescript/package.json', 'utf8'))
  assert.equal([manifest.dependencies, manifest.peerDependencies], [undefined, undefined])
  assert.is(manifest.version, JSON.parse(readFileSync('package.json', 'utf8')).version)
})

const server = await serveCases()
copyFileSync('test/clients/drive.mjs', join(client.folder, 'drive.mjs'))
const driver = spawn(process.execPath, ['drive.mjs'], { cwd: client.folder, stdio: ['pipe', 'pipe', 'inherit'] })
driver.stdin.end(JSON.stringify(server.calls))
const results: Record<string, unknown> = JSON.parse((await text(driver.stdout)) || '{}')
for (const { name } of CASES)
  test(`[Y3] [Y4] against a server that misbehaves: ${name}`, () => server.check(name, results[name]))

const WRONG = `
import { BrowserTasks, type JsonSchema } from 'browser-task-client'
const client = new BrowserTasks({ baseUrl: 'http://x' })
const start = { task: 'x', browser_session_id: 's' }
`
const OUTPUT = `{ type: 'object', properties: { price: { type: 'number' }, tags: { type: 'array', items: { enum: ['new', 'old'] } } }, required: ['price'] }`
/** What a compiler has to refuse. */
const MISTAKES: readonly string[] = [
  `client.tasks.run({ task: 'x' })`,
  `client.tasks.run({ ...start, taks: 'x' })`,
  `client.tasks.run({ ...start, approvals: 'sometimes' })`,
  `client.tasks.run({ ...start, priority: 'high' })`,
  `client.tasks.run({ ...start, metadata: { order: 4711 } })`,
  `client.tasks.run({ ...start, secrets: [{ name: 'pin' }] })`,
  `client.tasks.run(start, { onEvents() {} })`,
  `client.tasks.run(start, { onInput: () => ({ action: 'maybe' }) })`,
  `client.tasks.run(start, { onEvent: (event) => event.type === 'task.danced' })`,
  `client.tasks.run(start, { onEvent: (event) => event.type === 'task.ended' && event.tool })`,
  `client.tasks.run({ ...start, output: { type: 'array' } })`,
  `(await client.tasks.run({ ...start, output: ${OUTPUT} })).output?.cost`,
  `(await client.tasks.run({ ...start, output: ${OUTPUT} })).output?.price.length`,
  `(await client.tasks.run({ ...start, output: ${OUTPUT} })).output.price`,
  `(await client.tasks.run({ ...start, output: ${OUTPUT} })).output?.tags?.includes('used')`,
  `(await client.tasks.wait('a', { output: ${OUTPUT} })).output?.cost`,
  `client.tasks.list({ status: 'done' })`,
  `client.tasks.wait(4711)`,
  `for await (const task of client.tasks.list()) task.turns`,
  `client.request('GET /v1/task')`,
  `client.request('GET /v1/tasks/{id}')`,
  `client.webhooks.create({ types: ['task.ended'] })`,
  `const status: 'done' = (await client.tasks.get('a')).status`,
]
const RIGHT = `
const task = await client.tasks.run({ ...start, context: undefined, url: null, output: ${OUTPUT} }, { timeout: 1, idempotencyKey: 'x' })
const price: number | undefined = task.output?.price
const tag: 'new' | 'old' | undefined = task.output?.tags?.[0]
const plain: unknown = (await client.tasks.run(start)).output?.anything
const schema = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value: { at: new Date() } }) } } as const
const at: Date | undefined = (await client.tasks.wait('a', { output: schema })).output?.at
const id: string = (await client.request('GET /v1/tasks/{id}', { path: { id: 'a' } })).id
for await (const event of client.tasks.events('a')) if (event.type === 'tool.called') console.log(event.tool, event.cursor)
const any: JsonSchema = { type: 'object' }
console.log(price, tag, plain, at, id, any)
`

test(`[Y12] its types refuse ${MISTAKES.length} mistakes, and infer the output`, async () => {
  const files = {
    'right.ts': WRONG + RIGHT,
    ...Object.fromEntries(
      MISTAKES.map((line, index) => [`wrong-${index}.ts`, `${WRONG}// @ts-expect-error\n;${line}\n`]),
    ),
  }
  for (const [name, source] of Object.entries(files)) writeFileSync(join(client.folder, name), source)
  const tsc = resolve('node_modules/.bin/tsc')
  const args = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    'false',
    '--target',
    'es2023',
    '--module',
    'nodenext',
    '--lib',
    'es2023,dom,dom.iterable',
    '--types',
    '',
  ]
  const { stdout } = await promisify(execFile)(tsc, [...args, ...Object.keys(files)], { cwd: client.folder }).catch(
    (error) => error,
  )
  assert.is(stdout, '')
})

/** Answers as the service would, to every page. */
const page = createServer((request, response) => {
  const type = request.url === '/' ? 'text/html' : request.url === '/client.js' ? 'text/javascript' : 'application/json'
  response.writeHead(200, { 'content-type': type })
  if (request.url === '/client.js') return response.end(readFileSync(client.bundle))
  response.end(request.url === '/' ? '<!doctype html>' : JSON.stringify({ taskCount: 3, path: request.url }))
})
await new Promise<void>((listening) => page.listen(0, '127.0.0.1', listening))

test('[Y6] a page in Chromium imports it', async () => {
  const browser = await startChromium()
  try {
    const tab = await browser.newPage()
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
    await tab.goto(url)
    const script = `(async () => {
      const { BrowserTasks } = await import('/client.js')
      const { taskCount, path } = await new BrowserTasks({ baseUrl: '${url}', key: 'k' }).usage.get({ since: 5 })
      return [taskCount, path]
    })()`
    assert.equal(await tab.evaluate(script), [3, '/v1/usage?since=5'])
  } finally {
    await endChromium(browser)
  }
})

test('[V8] [Y6] a page of another site without a key follows a task by its read token', async () => {
  const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
  const script = join(client.folder, 'script.json')
  writeFileSync(script, JSON.stringify({ steps: [{ tool: 'get_page_text' }, { answer: 'Seen.' }] }))
  const service = await openService({ env: { ALLOWED_ORIGINS: url, LLM_SCRIPT: script } })
  const session = await service.api.pair()
  const paired = await TestBrowser.open({ relayPort: session.relayPort, token: session.token })
  const browser = await startChromium()
  try {
    const body = { task: 'Look', browser_session_id: session.id }
    const { id } = (await service.api.post('/v1/tasks', body)).json
    const { token } = (await service.api.post(`/v1/tasks/${id}/tokens`)).json
    const tab = await browser.newPage()
    await tab.goto(url)
    const follow = (path: string) => `(async () => {
      const { BrowserTasks } = await import('/client.js')
      const { tasks } = new BrowserTasks({ baseUrl: '${service.url}', maxRetries: 0 })
      const types = []
      try {
        for await (const { type } of tasks.events('${path}', { token: '${token}' })) types.push(type)
      } catch (error) {
        types.push(error.code)
      }
      return types
    })()`
    const types = (await tab.evaluate(follow(id))) as string[]
    assert.equal([types[0], types.at(-1)], ['task.created', 'task.ended'])
    assert.equal(await tab.evaluate(follow('0197f3a2-0000-7000-8000-000000000000')), ['read_token_invalid'])
  } finally {
    await endChromium(browser)
    paired.disconnect()
    await service.kill()
  }
})

test.after(() => {
  server.close()
  page.close()
})
test.run()
