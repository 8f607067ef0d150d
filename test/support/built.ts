import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Where the build of a source file is, in the folder of the build. */
export const builtName = (folder: string, file: string): string =>
  join(folder, relative(ROOT, file).replace(/\.ts$/, '.mjs'))

/** What tests start as `browser-task`: the build that the test runner has made for all of its files, else the source. */
export const ENTRY = process.env.SERVICE_BUILD ?? join(ROOT, 'src/browser-task.js')

/** A test file or a program of the tests as it is to be run or imported: its build, if the test runner has made one. */
export function builtOf(file: string): string {
  const path = resolve(ROOT, file)
  const built = process.env.TEST_BUILD && builtName(process.env.TEST_BUILD, path)
  return built && existsSync(built) ? built : path
}

/** The arguments by which node runs a test file or a program of the tests. */
export function argsOf(file: string): string[] {
  const path = builtOf(file)
  return ['--conditions=development', ...(path.endsWith('.ts') ? ['--import', 'tsx'] : []), path]
}
