import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inFolder, ROOT, run } from './command.ts'

const test = suite('command line: arguments')

/** One line on standard error, the exit code, and nothing that looks like a stack. */
async function refuses(
  args: readonly string[],
  said: RegExp,
  settings: Record<string, string> = {},
  exitCode = 2,
): Promise<void> {
  const { code, out, err } = await run(args, settings)
  assert.is(out, '')
  assert.match(err, said)
  assert.is(err.trimEnd().split('\n').length, 1, err)
  assert.not.match(err, /^\s+at /m)
  assert.is(code, exitCode)
}

test('says its version', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  assert.equal(await run(['--version']), { code: 0, out: `${version}\n`, err: '' })
})

test('[Q5] helps, and names every command', async () => {
  const { code, out } = await run(['--help'])
  assert.is(code, 0)
  for (const name of ['serve', 'keys', 'browser', 'run', 'demo', 'shop'])
    assert.match(out, new RegExp(`^  ${name}\\b`, 'm'))
  const { out: browser } = await run(['browser', '--help'])
  assert.match(browser, '--headed')
  // [Q5] The former name of --service, which means the page in `run`, still works and is not shown.
  assert.match(browser, '--service')
  assert.not.match(browser, '--url')
})

test('[Q15] refuses unknown commands and options, and names what is missing', async () => {
  await Promise.all([
    refuses(['fly'], /unknown command 'fly'/),
    refuses(['serve', '--fast'], /unknown option '--fast'/),
    refuses(['keys', 'create'], /'--workspace <name>' not specified/),
    refuses(['keys', 'revoke'], /missing required argument 'id'/),
    refuses(['browser'], /^Neither a pairing token nor a key given. Use --token, --key or set BROWSER_TASK_KEY/),
    refuses(['run'], /missing required argument 'task'/),
  ])
})

test('names the value that is not valid', async () => {
  await inFolder(async (DATA_DIR) => {
    const create = ['keys', 'create', '--workspace']
    await refuses([...create, 'w', '--type', 'golden'], /^--type "golden" is not valid/, { DATA_DIR })
    await refuses([...create, '  '], /^--workspace is not valid/, { DATA_DIR })
    await refuses([...create, 'w', '--name', 'x'.repeat(101)], /^--name is not valid/, { DATA_DIR })
    await refuses(['shop', '--port', '99999'], /^--port "99999" is not valid/)
  })
})

test('[Q15] run says that it needs a key, an address, a service', async () => {
  await refuses(['run', 'hello'], /^No key given/)
  const key = ['--key', 'svc_live_none']
  await refuses(['run', 'hello', ...key, '--service', 'nowhere'], /^nowhere is not a valid service address/)
  await refuses(['run', 'hello', ...key, '--service', 'http://127.0.0.1:9'], /^No service answers at/, {}, 3)
  await refuses(['inspect', '--service', 'nowhere'], /^nowhere is not a valid service address/)
})

test('[Z15] browser says which private addresses it cannot read', () =>
  refuses(
    ['browser', '--key', 'svc_live_none', '--pool', 'p'],
    /^BROWSER_ALLOW_CIDRS "10.0.0.0\/33" is not valid: expected addresses/,
    {
      BROWSER_ALLOW_CIDRS: '10.0.0.0/33',
    },
  ))

test('demo says that a task of one’s own needs a model, and which price is wrong', async () => {
  await refuses(['demo', 'Find the weather'], /needs a language model/, {}, 1)
  await refuses(['demo'], /^SHOP_PRICES: the price of "express"/, { SHOP_PRICES: '{"express": "free"}' }, 1)
  for (const nodes of ['x', '1']) await refuses(['demo', '--nodes', nodes], /^--nodes must be a whole number from 2/)
  await refuses(['demo'], /^LLM_PROVIDER "oracle" is not valid/, { LLM_PROVIDER: 'oracle' }, 1)
})

test('[Q5] a checkout without its packages says in one line what to do', async () => {
  await inFolder(async (folder) => {
    mkdirSync(join(folder, 'src'))
    for (const file of ['package.json', 'src/browser-task.js', 'src/typescript.js', 'src/cli.ts'])
      copyFileSync(join(ROOT, file), join(folder, file))
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'src/browser-task.js')], { encoding: 'utf8' })
    assert.is(stderr, 'A checkout needs its development packages, too: npm install --include=dev\n')
    assert.is(status, 1)
  })
})

test.run()
