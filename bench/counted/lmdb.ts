import { open as openFile, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb'
import { counts } from './counts.ts'

// @ts-expect-error its types are those of a CommonJS module, which it is not
export * from 'lmdb'

/** As lmdb's; the writes of the file and of all of its tables are counted. */
export function open(options: RootDatabaseOptionsWithPath): RootDatabase {
  const file = openFile({ ...options, trackMetrics: true } as RootDatabaseOptionsWithPath)
  counts.opened(file)
  // Each file has a class of its own, which is that of its tables, too.
  const methods = Object.getPrototypeOf(file)
  for (const name of ['put', 'remove']) {
    const method = methods[name]
    methods[name] = function (...args: unknown[]) {
      counts.tableWritten()
      return Reflect.apply(method, this, args)
    }
  }
  return file
}
