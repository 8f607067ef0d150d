import type { Api } from '../client/index.ts'
import { clientOf, type ServiceOptions } from './client.ts'
import { usageError } from './exit-codes.ts'
import { pairsOf } from './option-values.ts'
import { say } from './terminal.ts'

/** One JSON object a line, as scripts read it. */
const sayJson = (value: unknown): void => say(JSON.stringify(value))

/** [Q17] Prints tasks as JSON, one a line, newest first. */
export async function listTasks({
  limit,
  status,
  metadata = [],
  ...options
}: ServiceOptions & { limit: string; status?: string; metadata?: string[] }): Promise<void> {
  const query = {
    metadata: pairsOf('--metadata', metadata),
    ...(status ? { status: status as Api.Task['status'] } : {}),
  }
  let left = Number(limit)
  if (!(left >= 1)) throw usageError('--limit takes a number.')
  for await (const task of clientOf(options).tasks.list(query)) {
    sayJson(task)
    left--
    if (left < 1) return
  }
}

/** [Q17] Prints a task as JSON. */
export async function getTask(id: string, options: ServiceOptions): Promise<void> {
  sayJson(await clientOf(options).tasks.get(id))
}

/** [Q17] Prints the events of a task as JSON, one a line, until it has ended. */
export async function taskEvents(
  id: string,
  { after, ...options }: ServiceOptions & { after?: string },
): Promise<void> {
  for await (const event of clientOf(options).tasks.events(id, { after: Number(after ?? 0) })) sayJson(event)
}
