import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The project's own folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The first version: figures "before" are measured on it. */
export const BEFORE = 'd80f725'
const MINIWOB = '1.1.0'
const PLAYWRIGHT_MCP = '0.0.83'

/** What is downloaded for the eval, outside of the repository. `EVAL_CACHE` chooses another folder. */
const CACHE =
  process.env.EVAL_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'browser-task', 'eval')

/** Makes a folder of the cache once: it appears under its name only when `fill` has succeeded. */
export async function cached(name: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(CACHE, name)
  if (existsSync(folder)) return folder
  await mkdir(CACHE, { recursive: true })
  const unfinished = await mkdtemp(join(CACHE, `${name}-`))
  try {
    await fill(unfinished)
    await rename(unfinished, folder)
    return folder
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** The `html` folder of MiniWoB++: `MINIWOB_ROOT`, else the wheel of the Python package, downloaded once. */
export async function miniwobRoot(): Promise<string> {
  if (process.env.MINIWOB_ROOT) return process.env.MINIWOB_ROOT
  const folder = await cached(`miniwob-${MINIWOB}`, async (folder) => {
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', `miniwob==${MINIWOB}`, '-d', folder]
    await run('python3', pip)
    await run('python3', ['-m', 'zipfile', '-e', join(folder, `miniwob-${MINIWOB}-py3-none-any.whl`), folder])
  })
  return join(folder, 'miniwob', 'html')
}

/** The first version of the project with its own dependencies, ready to run. */
export function beforeRoot(): Promise<string> {
  return cached(`before-${BEFORE}`, async (folder) => {
    const archive = join(folder, 'archive.tar')
    await run('git', ['-C', ROOT, 'archive', '--output', archive, BEFORE])
    await run('tar', ['-xf', archive, '-C', folder])
    await rm(archive)
    await run('npm', ['install', '--no-audit', '--no-fund', '--silent', '--omit=dev'], { cwd: folder })
  })
}

/** The folder of the eval's own package: the libraries whose widgets it works on. */
export const WIDGETS_ROOT = join(ROOT, 'eval')

/** Installs these libraries, unless they are there. */
export async function installWidgets(): Promise<void> {
  if (existsSync(join(WIDGETS_ROOT, 'node_modules'))) return
  await run('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: WIDGETS_ROOT })
}

/**
 * The folder of a package from the npm registry, with what it needs beside it, installed once.
 * @param overrides versions of packages that it needs, instead of those that it asks for
 */
export async function npmPackage(
  name: string,
  version: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = await cached(`${name.replace('/', '-')}-${version}`, async (folder) => {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }))
    const args = ['install', '--no-audit', '--no-fund', '--silent', '--prefix', folder]
    await run('npm', [...args, `${name}@${version}`])
  })
  return join(folder, 'node_modules', name)
}

/** A folder for PYTHONPATH with a package from PyPI and what it needs, installed once. */
export const pythonPackage = (name: string, version: string): Promise<string> =>
  cached(`${name}-${version}`, async (folder) => {
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, `${name}==${version}`])
  })

/** Installs packages of Debian, unless they are there. */
export async function debianPackages(...names: readonly string[]): Promise<void> {
  const isThere = await run('dpkg', ['-s', ...names]).then(
    () => true,
    () => false,
  )
  if (isThere) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['install', '--yes', '--no-install-recommends', ...names], { env, maxBuffer: 2 ** 24 })
}

/** The program file of Playwright MCP. */
export const playwrightMcp = async (): Promise<string> =>
  join(await npmPackage('@playwright/mcp', PLAYWRIGHT_MCP), 'cli.js')
