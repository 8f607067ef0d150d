import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** The Chromium that comes with the optional package, unpacked. */
export interface Bundled {
  readonly executablePath: string
  /** What it needs in its environment where the system lacks the libraries or fonts of a browser. */
  readonly env: Readonly<Record<string, string>>
}

const PACKAGE = '@sparticuz/chromium'
/** Makes the package unpack the libraries, too, which it does by itself in one place only. */
const WITH_LIBRARIES = { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' }
const UNPACK = 'const it = require(process.argv[1]); (it.default ?? it).executablePath()'

/**
 * Unpacks the bundled Chromium once for each version of its package, into a folder of this user's. `null` where the
 * package is not installed, or not for this kind of machine. Rejects when it cannot be unpacked.
 */
export async function bundledChromium(): Promise<Bundled | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(PACKAGE)
  } catch {
    return null
  }
  const { version } = JSON.parse(await readFile(join(dirname(entry), '..', '..', 'package.json'), 'utf8'))
  const folder = await unpacked(entry, `chromium-${version}`)
  const fonts = existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: join(folder, 'fonts') }
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), ...fonts },
  }
}

/** Whether a path leads to an unpacked one. */
export const isBundled = (executablePath: string): boolean =>
  /[\\/]browser-task[^\\/]*[\\/]chromium-[\d.]+[\\/]chromium$/.test(executablePath)

async function unpacked(entry: string, name: string): Promise<string> {
  const cache = await writableCache()
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  // Renamed into place when complete, so that an interrupted or concurrent download leaves no incomplete file.
  const unfinished = await mkdtemp(`${folder}-`)
  try {
    await promisify(execFile)(process.execPath, ['-e', UNPACK, entry], {
      env: { ...process.env, ...WITH_LIBRARIES, TMPDIR: unfinished },
    })
    await rename(unfinished, folder).catch((error) => {
      if (!existsSync(folder)) throw error
    })
    return folder
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** The user's cache folder, else one of our own under the system's: never one where others could put a program. */
async function writableCache(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'browser-task')
  try {
    await mkdir(cache, { recursive: true, mode: 0o700 })
    return cache
  } catch {
    return mkdtemp(join(tmpdir(), 'browser-task-'))
  }
}
