import { execFile, spawn } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TestBrowser } from '../support/service/browser.ts'
import { allowManyStarts, openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'
import { CASES, serveCases } from './misbehaviours.ts'
import { installPythonClient } from './packed.ts'

const test = suite('the Python client, installed from its wheel in an empty environment')
const run = promisify(execFile)

const client = await installPythonClient()
const check = client === null ? test.skip : test

/** What came of each case, by its name; nothing where the client is not installed. */
async function driven(mode: string, calls: unknown): Promise<Record<string, unknown>> {
  if (client === null) return {}
  const driver = spawn(client.python, ['drive.py', mode], { cwd: client.folder, stdio: ['pipe', 'pipe', 'inherit'] })
  driver.stdin.end(JSON.stringify(calls))
  return JSON.parse((await text(driver.stdout)) || '{}')
}

if (client) copyFileSync('test/clients/drive.py', join(client.folder, 'drive.py'))
const runs = ['sync', 'async'].map(async (mode) => {
  const server = await serveCases()
  return { mode, server, results: await driven(mode, server.calls) }
})
for (const { mode, server, results } of await Promise.all(runs)) {
  for (const { name } of CASES)
    check(`[Y13] ${mode}, against a server that misbehaves: ${name}`, () => server.check(name, results[name]))
  test.after(() => server.close())
}

const INTERRUPTED = `
import httpx
from browser_task_client import BrowserTasks

sent = []

class Pool(httpx.Client):
    is_locked = False

    def send(self, request, **given):
        if self.is_locked:
            raise SystemExit("The pool is locked for ever.")
        sent.append(f"{request.method} {request.url.path}")
        if len(sent) > 1:
            return httpx.Response(404, json={"error": {"code": "task_not_found", "message": "There is none."}})
        self.is_locked = True
        raise KeyboardInterrupt

httpx.Client = Pool
try:
    BrowserTasks("http://127.0.0.1:1", "key").tasks.run(task="Anything")
except KeyboardInterrupt:
    print(sent)
`
check(
  '[Y13] Ctrl-C that leaves the pool of connections locked does not keep the started task from being found',
  async () => {
    const { folder = '', python = '' } = client ?? {}
    const { stdout } = await run(python, ['-c', INTERRUPTED], { cwd: folder })
    assert.is(stdout, "['POST /v1/tasks', 'POST /v1/tasks']\n")
  },
)

const [program = ''] = [...readFileSync('docs/sdk.md', 'utf8').matchAll(/```python\n(.*?)```/gs)].map(
  ([, code = '']) => code,
)

check('[Y13] docs/sdk.md: the program does what it says against a running service', async () => {
  const script = join(tempFolder(), 'script.json')
  const finish = { tool: 'finish', input: { success: true, answer: 'It costs 48.', output: { price: 48 } } }
  writeFileSync(script, JSON.stringify({ steps: [{ tool: 'get_page_text' }, finish] }))
  const service = await openService({ env: { LLM_SCRIPT: script } })
  allowManyStarts(service)
  const session = await service.api.pair()
  const answer = () => ({ output: 'Kyoto teapot €48.00' })
  const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token, answer })
  try {
    const { folder = '', python = '' } = client ?? {}
    writeFileSync(join(folder, 'program.py'), program)
    const env = { ...process.env, SERVICE: service.url, KEY: service.key, SESSION: session.id }
    const { stdout } = await run(python, ['program.py'], { cwd: folder, env })
    assert.match(stdout, /^task\.created\n[\s\S]*task\.ended\ncomplete price=48\.0\n400 task_not_running\n$/)
  } finally {
    browser.disconnect()
    await service.kill()
  }
})

test.run()
