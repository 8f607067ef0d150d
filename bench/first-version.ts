import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the CPU of a step is measured against. */
const COMMIT = 'd80f725'
const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Puts the first version's files into a folder, with the packages that are installed here or, where it needs others, with
 * its own. Returns the file that runs it as a process of the bench: the calls of that process are those of `service.ts`.
 * @throws Error when the history of the repository is not there
 */
export function firstVersionIn(folder: string): URL {
  mkdirSync(folder, { recursive: true })
  try {
    const archive = execFileSync('git', ['archive', COMMIT], { cwd: ROOT, maxBuffer: 2 ** 28 })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
  } catch (error) {
    throw new Error(
      `The first version (${COMMIT}) cannot be read from git: ${error instanceof Error ? error.message : error}`,
    )
  }
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const installed = Object.keys(dependencies).every((name) => existsSync(join(ROOT, 'node_modules', name)))
  if (installed) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  else execFileSync('npm', ['install', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
  return new URL(`file://${join(folder, 'test/bench/service.ts')}`)
}
