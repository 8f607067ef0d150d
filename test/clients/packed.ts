import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { buildTypescript } from '../../clients/generate.ts'
import { pythonWheel } from '../../clients/python-wheel.ts'
import { packageFiles, tarball } from '../../src/web/archive.ts'

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
  const archive = await tarball(await packageFiles(source))
  writeFileSync(join(folder, 'client.tgz'), archive)
  rmSync(source, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const args = ['install', '--offline', '--no-audit', '--no-fund', './client.tgz']
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  return {
    folder,
    bytes: archive.length,
    bundle: join(folder, 'node_modules/browser-task-client/dist/index.js'),
    command: join(folder, 'node_modules/.bin/browser-task'),
  }
})

/**
 * The Python client as somebody has it who installs its wheel: an environment of its own in `folder`, whose `python` has
 * it. `null` where there is no Python with venv, or no package index.
 */
export const installPythonClient = once(async () => {
  const folder = folderOf('browser-task-python-')
  const { name, bytes } = pythonWheel(pathToFileURL(`${resolve('clients/python')}/`))
  writeFileSync(join(folder, name), bytes)
  return pipInstall(folder, join(folder, name))
})

/** Installs a wheel into an environment of its own in a folder, and gives its `python`; `null` as above. */
export async function pipInstall(folder: string, wheel: string) {
  const python = join(folder, 'venv/bin/python')
  const run = promisify(execFile)
  try {
    await run('python3', ['-m', 'venv', '--without-pip', join(folder, 'venv')])
    // A package index that does not answer is one that is not there: by itself pip waits minutes for it.
    const options = ['--disable-pip-version-check', '-q', '--timeout', '5', '--retries', '2']
    await run('python3', ['-m', 'pip', ...options, '--python', python, 'install', wheel])
    return { folder, python }
  } catch {
    return null
  }
}
