import type { TaskEvent } from '../../../client/index.ts'
import type { Api } from '../api.ts'

/** [V13] Who cancelled a task, in words; `null`: nobody, or its log does not say who. What is gone, or not the viewer's to list, has no name. */
export async function cancellerOf(api: Api, events: readonly TaskEvent[], browser: string): Promise<string | null> {
  const ended = events.at(-1)
  const by = ended?.type === 'task.ended' ? ended.cancelled_by : undefined
  if (by === undefined) return null
  if (by.kind === 'browser') return `the user of ${browser}, in the side panel`
  const isKey = by.kind === 'key'
  const all: readonly { id: string; name: string | null }[] = await (isKey ? api.keys : api.members)
    .list()
    .catch(() => [])
  const name = all.find(({ id }) => id === by.id)?.name ?? null
  if (isKey) return `the key ${name === null ? (by.id ?? '') : `“${name}”`}`
  return name ?? 'a person of the workspace'
}
