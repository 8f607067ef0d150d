import { pathToFileURL } from 'node:url'
import { builtOf } from './built.ts'
import { ground } from './http-ground.ts'

/**
 * Runs test files again on another ground, in this process, as one.
 * @param files paths from the folder `test`
 */
export async function again(elsewhere: typeof ground, files: readonly string[]): Promise<void> {
  Object.assign(ground, elsewhere)
  // uvu is to wait until every file has laid out its tests.
  Object.assign(globalThis, { UVU_DEFER: 1, UVU_QUEUE: [[null]] })
  const { exec } = await import('uvu')
  for (const file of files) await import(pathToFileURL(builtOf(`test/${file}`)).href)
  await exec()
  // Listeners and stores of the files are still open.
  process.exit()
}
