import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { BrowserTasks } from '../client/index.ts'
import { plainFileName } from '../wire/file-names.ts'
import { clientOf, type ServiceOptions } from './client.ts'
import { usageError } from './exit-codes.ts'
import { say } from './terminal.ts'

/** [Q13] What a start says of its files: those of this machine are uploaded for it, addresses are left to the service. */
export async function uploaded(
  client: BrowserTasks,
  paths: readonly string[],
): Promise<({ file_id: string } | { url: string })[]> {
  const files: ({ file_id: string } | { url: string })[] = []
  for (const path of paths) {
    if (/^https?:\/\//.test(path)) {
      files.push({ url: path })
      continue
    }
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      throw usageError(`${path} cannot be read: ${error.code ?? error.message}`)
    })
    const { id } = await client.files.upload(basename(path), new Uint8Array(bytes))
    files.push({ file_id: id })
  }
  return files
}

/** [Q13] Saves what a task has downloaded into a folder. A file that is there already is not replaced. */
export async function filesCommand(taskId: string, folder: string, options: ServiceOptions): Promise<void> {
  const { tasks } = clientOf(options)
  await mkdir(folder, { recursive: true })
  let count = 0
  for await (const { id, name, size, origin } of tasks.files(taskId)) {
    if (origin !== 'downloaded') continue
    const path = freePath(folder, plainFileName(name))
    const content = await tasks.file(taskId, id)
    // It was deleted with its task meanwhile.
    if (content === null) continue
    await writeFile(path, content.stream(), { flag: 'wx' })
    say(`${path} (${size} bytes)`)
    count++
  }
  if (count === 0) say('The task has downloaded no files.')
}

/** `invoice.pdf`, else `invoice (2).pdf`, … */
function freePath(folder: string, name: string): string {
  const end = extname(name)
  for (let number = 1; ; number++) {
    const path = join(folder, number === 1 ? name : `${name.slice(0, name.length - end.length)} (${number})${end}`)
    if (!existsSync(path)) return path
  }
}
