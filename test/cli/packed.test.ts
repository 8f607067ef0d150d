import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { environment, inFolder, ROOT, Running } from './command.ts'
import { install, NAME } from './install.ts'

const test = suite('the packed tarball in an empty folder')

/** What a person reads: the documentation, and the texts of pages and of the command line. */
const TEXTS = execFileSync('git', ['ls-files', 'README.md', 'docs', 'src', 'deploy'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(md|ts|tsx|js|yaml|conf|service)$|Containerfile/.test(file) && existsSync(join(ROOT, file)))
const CLIENT_TEXTS = ['clients/typescript/README.md', 'clients/python/README.md']
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Every `npx …` of a text, up to where its line, its code or its tag ends. */
const npxIn = (text: string): string[] =>
  [...text.matchAll(/\bnpx\s+([^`\n<#"]*(?:<[a-z -]+>[^`\n<#"]*)*)/g)].map(([, c]) => c ?? '')

/** Archives of the service itself, at whatever address; names that a registry answers for are ours in a checkout alone. */
const OURS = /^(?:-y \S+\/clients\/browser-task-(?:client|service)\.tgz|browser-task-service)\b/
/** What is for who has no checkout: there is no `npx browser-task-service` there. */
const FOR_CLIENTS =
  /^docs\/(?:start|sdk|mcp|events|output|questions|webhooks|browsers|recipes|files|budgets|embedding)\.md$|^src\/web\/(?:pair|docs\/\w+|client\/.*)\.tsx?$/

test('[Q14] no text has a person install or run a name from a public registry', () => {
  const found = TEXTS.flatMap((file) => npxIn(read(file)).map((command) => ({ file, command })))
  assert.ok(found.length > 20)
  for (const { file, command } of found) {
    assert.match(command, OURS, file)
    if (FOR_CLIENTS.test(file)) assert.match(command, /^-y /, file)
  }
  const names =
    /\b(?:npm (?:install|i|add)|pip install|npm exec|uvx?|pipx run|yarn add|pnpm add)\s+(?:--?\S+\s+)*["']?browser[-_]task/
  for (const file of [...TEXTS, ...CLIENT_TEXTS]) assert.not.match(read(file), names, file)
})

interface Told {
  readonly version?: string
  readonly info?: { readonly version: string }
}
const MANIFEST = JSON.parse(read('package.json')) as { version: string }

/** Pages, their scripts and the extension, and a thread that checks a schema: all of it was built when it was packed. */
async function servesWhatWasBuilt(url: string, key: string): Promise<void> {
  for (const [path, says] of [
    ['/static/client/tasks.js', /openapi|\/v1\/tasks/],
    ['/static/style.css', /body/],
    ['/extension.zip', /^PK[\s\S]*manifest\.json/],
    ['/docs/durability', /<h1>/],
    ['/openapi.json', /^\{"openapi":"3\.1/],
  ] as const) {
    const answer = await fetch(url + path)
    assert.is(answer.status, 200, path)
    assert.match(await answer.text(), says, path)
  }
  const body = { task: 'Look', browser_session_id: 'none', output_schema: { type: 'object', required: 5 } }
  const refused = await fetch(`${url}/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal([refused.status, ((await refused.json()) as { code: string }).code], [400, 'output_schema_invalid'])
}

/** Commands with commands of their own. */
const PARTED = ['keys', 'tasks', 'browsers', 'webhooks']

/** One of each command that the texts name, with every option that they give it, and values in the place of `<…>`. */
function commands(): Map<string, string[]> {
  const values: Record<string, string> = {
    '<workspace>': 'default',
    '<task-id>': '018f2b6a-7e5b-7cc0-9d1e-000000000000',
    '<request-id>': '018f2b6a-7e5b-7cc0-9d1e-000000000001',
    '<service>': 'http://127.0.0.1:1',
  }
  const found = new Map<string, string[]>()
  for (const file of TEXTS.filter((name) => name.endsWith('.md'))) {
    for (const command of npxIn(read(file))) {
      const words = command.replaceAll(/<[a-z -]+>/g, (name) => values[name] ?? 'a-value').match(/[^\s"[\]]+/g) ?? []
      const [first = '', ...rest] = words.slice(words[0] === '-y' ? 2 : 1)
      const name = PARTED.includes(first) && /^[a-z]+$/.test(rest[0] ?? '') ? `${first} ${rest[0]}` : first
      const options = rest.filter((word) => /^--[a-z-]+$/.test(word))
      if (name !== '') found.set(name, [...new Set([...(found.get(name) ?? []), ...options])])
    }
  }
  return found
}

test('[Q14] the commands of the documentation exist there, with the options that it names', async () => {
  await inFolder(async (folder) => {
    install(folder)
    // Whatever is not installed would be asked for at a registry that does not answer.
    const env = environment({ npm_config_registry: 'http://127.0.0.1:1', npm_config_cache: join(folder, 'npm') })
    const run = (...words: string[]): Promise<{ code: number | null; text: string }> =>
      new Promise((resolve) => {
        const child = spawn(words[0] ?? '', words.slice(1), {
          cwd: folder,
          env: { ...env, DATA_DIR: join(folder, 'data') },
        })
        let text = ''
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
        child.once('close', (code) => resolve({ code, text }))
      })
    const help = await run('npx', NAME, '--help')
    assert.is(help.code, 0, help.text)
    const named = commands()
    assert.ok(named.size > 15)
    for (const [name, options] of named) {
      const [first = '', ...rest] = name.split(' ')
      assert.match(help.text, new RegExp(`^  ${first}\\b`, 'm'), `${name} is a command`)
      const shown = await run(process.execPath, join('node_modules', '.bin', NAME), first, ...rest, '--help')
      assert.is(shown.code, 0, shown.text)
      for (const option of options) assert.match(shown.text, new RegExp(`${option}\\b`), `${name} ${option}`)
    }

    assert.ok(!existsSync(join(folder, 'node_modules', 'esbuild')))
    const settings = { PORT: '0', RELAY_PORT: '0', HOST: '127.0.0.1', DATA_DIR: join(folder, 'data') }
    const bin = join(folder, 'node_modules', '.bin', NAME)
    const service = new Running(process.execPath, [bin, 'serve'], environment(settings))
    try {
      const [key] = await service.said(/svc_live_[0-9a-f]{48}/)
      const [url] = await service.said(/http:\/\/127\.0\.0\.1:\d+/)
      await servesWhatWasBuilt(url, key)
      const told = await Promise.all(
        ['/v1/health', '/openapi.json'].map(async (path) => (await fetch(url + path)).json() as Promise<Told>),
      )
      const [version = ''] = told.map(({ version, info }) => version ?? info?.version)
      assert.equal(
        told.map(({ version, info }) => version ?? info?.version),
        [version, version],
      )
      assert.match(version, new RegExp(`^${MANIFEST.version.replaceAll('.', '\\.')}\\+[0-9a-f]{8,}$`), '[H3]')
      assert.match(service.out, `Browser Task Service ${version}`)
      const made = await run(bin, 'keys', 'create', '--workspace', 'default', '--plain')
      assert.match(made.text, /^svc_live_[0-9a-f]{48}$/m)
    } finally {
      await service.end()
    }
    const started = await run(
      join('node_modules', '.bin', 'browser-task'),
      'run',
      'Look',
      '--service',
      'http://127.0.0.1:1',
      '--key',
      'k',
    )
    assert.is.not(started.code, 0)
    assert.match(started.text, /127\.0\.0\.1:1\b/)
    assert.not.match(started.text, /^\s+at /m)
    const client = await run(
      process.execPath,
      '--input-type=module',
      '-e',
      `import { BrowserTasks } from '${NAME}/client'; console.log(typeof BrowserTasks)`,
    )
    assert.is(client.text.trim(), 'function')
    assert.ok(readdirSync(join(folder, 'node_modules', NAME)).includes('LICENSE'))
  })
})

test.run()
