import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Where a package keeps the commit that it was packed from. */
export const COMMIT_FILE = 'dist/service/commit'
const COMMIT = /^[0-9a-f]{7,40}$/

/** The version of this package as its package.json has it; `null` when it cannot be read. */
export function packageVersion(root = ROOT): string | null {
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return typeof version === 'string' && version !== '' ? version : null
  } catch {
    return null
  }
}

/** The commit of a checkout, or the one that a package was packed from; `null` when it is not known. */
export function commitOf(root = ROOT): string | null {
  try {
    // A package may be installed in the repository of somebody else.
    const text = existsSync(join(root, '.git'))
      ? execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
          cwd: root,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        })
      : readFileSync(join(root, COMMIT_FILE), 'utf8')
    return COMMIT.test(text.trim()) ? text.trim() : null
  } catch {
    return null
  }
}

/** [H3] What runs here, for people and logs: `0.3.0+992c1ab0`; without a commit `0.3.0`; `dev` when neither is known. */
export function buildVersion(root = ROOT): string {
  const version = packageVersion(root)
  const commit = commitOf(root)
  if (version === null) return 'dev'
  return commit === null ? version : `${version}+${commit}`
}
