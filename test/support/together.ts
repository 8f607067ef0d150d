import { pathToFileURL } from 'node:url'
import { builtOf } from './built.ts'
import { begins, ends } from './group.ts'
import { keepShared } from './shared.ts'

/** Runs test files, which are the arguments, one after the other in this process. It ends when they have closed what they opened. */
const queue: unknown[][] = []
const closeShared = keepShared()
// uvu is to wait until a file has laid out its tests.
Object.assign(globalThis, { UVU_DEFER: 1, UVU_QUEUE: queue })
const { exec } = await import('uvu')
for (const file of process.argv.slice(2)) {
  process.stdout.write(begins(file))
  const startedAt = performance.now()
  queue.splice(0, queue.length, [null])
  process.exitCode = 0
  await import(pathToFileURL(builtOf(file)).href)
  await exec()
  process.stdout.write(ends(Number(process.exitCode ?? 0), performance.now() - startedAt))
}
await closeShared()
process.exitCode = 0
