import { openApi, type TaskSummary } from '../api.ts'
import { useEffect, useMemo, useRef, useState } from '../view.ts'

export interface Workspace {
  readonly id: string
  readonly name: string
  /** Whether the viewer may start, pause and stop its tasks. */
  readonly mayAct: boolean
}

export interface WorkspaceTask extends TaskSummary {
  readonly workspaceId: string
}

/** What changes is read again after this; what happens meanwhile is one reading. */
const READ_AFTER_MS = 400
const READ_MAX = 50

/**
 * The newest tasks of the workspaces that have the words in their text, read from the public API: who may not read a task
 * there, like the operator of the service, sees no text here either. `changed` is another value whenever tasks come or go.
 */
export function useTasksOf(workspaces: readonly Workspace[], words: string, changed: string) {
  const apis = useMemo(() => workspaces.map(({ id }) => ({ id, api: openApi(id) })), [workspaces])
  /** `null`: not known yet. */
  const [tasks, setTasks] = useState<readonly WorkspaceTask[] | null>(workspaces.length === 0 ? [] : null)
  /** Of every task that was ever read. */
  const texts = useRef(new Map<string, string>())
  const hasRead = useRef(false)
  useEffect(() => {
    let isStale = false
    const query = { limit: READ_MAX, q: words.trim() || undefined }
    const read = async () => {
      const pages = await Promise.all(
        apis.map(async ({ id, api }) => {
          const { data } = await api.request('GET /v1/tasks', { query })
          return data.map((task) => ({ ...task, workspaceId: id }))
        }),
      )
      // The first answer is better than none.
      if (isStale && hasRead.current) return
      hasRead.current = true
      for (const { id, task } of pages.flat()) texts.current.set(id, task)
      setTasks(pages.flat().sort((a, b) => b.created_at - a.created_at))
    }
    // The list stays as it was when the service is away: the page says so.
    const failed = () => setTasks((before) => before ?? [])
    const timer = setTimeout(() => void read().catch(failed), hasRead.current ? READ_AFTER_MS : 0)
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [apis, words, changed])
  return { tasks, texts: texts.current }
}
