import { WRITTEN_FILE_BYTES_MAX } from '../machines/limits.ts'
import { TO_MODEL } from '../machines/texts.ts'
import { createTaskFiles } from './files.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { messageOf } from './runtime/effects.ts'
import type { Served, ServedStep } from './served-calls.ts'
import { failed, said } from './served-results.ts'

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
}

/** [U11] Makes a file of the task. Its id is that of the call: done again after a crash it is kept once. */
export async function writeFile(system: ActorSystem, { context, call }: Served): Promise<ServedStep> {
  const { name = '', text } = call.input as { name?: string; text?: string }
  const type = TYPES[/^[^/\\]{1,200}\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '']
  if (type === undefined)
    return failed(`write needs a name without a path that ends with .${Object.keys(TYPES).join(', .')}.`)
  if (text === undefined) return failed('write needs text.')
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > WRITTEN_FILE_BYTES_MAX)
    return failed(`A file that is written has at most ${WRITTEN_FILE_BYTES_MAX} bytes.`)
  const file = { name, mediaType: `${type}; charset=utf-8` }
  try {
    const task = await system.ports.store.tasks.get(context.taskId)
    const kept = task && (await createTaskFiles(system).keepWritten(task, call.requestId, file, bytes))
    if (kept === 'files_full' || kept === null) return failed('There is no room for more files.')
    return said(TO_MODEL.written(name, bytes.length))
  } catch (error) {
    system.ports.log.warn({ taskId: context.taskId, err: messageOf(error) }, 'A file of a task was not kept')
    return failed('The file could not be kept just now. Try again.')
  }
}
