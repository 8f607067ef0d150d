import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildTypescript } from '../../clients/generate.ts'

const SOURCE = 'clients/typescript'

/** A folder that is there until this process ends. */
function folderOf(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), name))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Each client is installed once for all test files of a process (test/support/group.ts). */
const once = <Installed>(install: () => Promise<Installed>): (() => Promise<Installed>) => {
  let installed: Promise<Installed> | undefined
  return () => (installed ??= install())
}

/**
 * The TypeScript client as somebody has it who installs its packed file: `folder` is otherwise empty and has it in its
 * `node_modules`. `bytes` is the size of the packed file.
 */
export const installTypescriptClient = once(async () => {
  const folder = folderOf('browser-task-client-')
  const source = join(folder, 'source')
  mkdirSync(source)
  for (const file of ['package.json', 'README.md', 'LICENSE']) cpSync(join(SOURCE, file), join(source, file))
  await buildTypescript(join(source, 'dist'))
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  npm('pack', './source', '--pack-destination', '.')
  rmSync(source, { recursive: true })
  const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  npm('install', '--offline', '--no-audit', '--no-fund', `./${packed}`)
  return {
    folder,
    bytes: statSync(join(folder, packed)).size,
    bundle: join(folder, 'node_modules/browser-task-client/dist/index.js'),
  }
})

/**
 * The Python client as somebody has it who installs its wheel: an environment of its own in `folder`, whose `python` has
 * it. `null` where there is no Python with venv, or no package index.
 */
export const installPythonClient = once(async () => {
  const folder = folderOf('browser-task-python-')
  const python = join(folder, 'venv/bin/python')
  const source = join(folder, 'source')
  const run = promisify(execFile)
  cpSync('clients/python', source, { recursive: true, filter: (path) => !/__pycache__|\.egg-info/.test(path) })
  try {
    await run('python3', ['-m', 'venv', '--without-pip', join(folder, 'venv')])
    // A package index that does not answer is one that is not there: by itself pip waits minutes for it.
    const options = ['--disable-pip-version-check', '-q', '--timeout', '5', '--retries', '2']
    const pip = (...args: string[]) => run('python3', ['-m', 'pip', ...options, ...args])
    await pip('wheel', '--no-deps', '-w', folder, source)
    const [wheel = ''] = readdirSync(folder).filter((name) => name.endsWith('.whl'))
    await pip('--python', python, 'install', join(folder, wheel))
    return { folder, python }
  } catch {
    return null
  }
})
