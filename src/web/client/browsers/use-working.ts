import { type Api, EventsExpired, type TaskSummary } from '../api.ts'
import { useEffect, useState } from '../view.ts'

const READ_AFTER_MS = 400
const EVENTS = ['task.created', 'task.ended'] as const

/** The task that each browser works on, by the id of the browser, as tasks begin and end. `isWanted`: false reads nothing yet. */
export function useWorking(api: Api, isWanted: boolean): ReadonlyMap<string, TaskSummary> {
  const [working, setWorking] = useState<ReadonlyMap<string, TaskSummary>>(new Map())
  useEffect(() => {
    if (!isWanted) return
    const stop = new AbortController()
    const { signal } = stop
    let timer: ReturnType<typeof setTimeout> | null = null
    const read = async () => {
      const tasks: (readonly [string, TaskSummary])[] = []
      for await (const task of api.tasks.list({ status: 'running', limit: 100 }, { signal }))
        if (task.state !== 'queued') tasks.push([task.browser_session_id, task])
      if (!signal.aborted) setWorking(new Map(tasks))
    }
    const changed = () => {
      timer ??= setTimeout(() => {
        timer = null
        // The list stays as it was when the service is away: the page says so.
        read().catch(() => {})
      }, READ_AFTER_MS)
    }
    const follow = async (): Promise<void> => {
      try {
        for await (const _ of api.events({ types: EVENTS, signal, onAway: (isAway) => !isAway && changed() })) changed()
      } catch (error) {
        if (!(error instanceof EventsExpired)) throw error
        changed()
        await follow()
      }
    }
    changed()
    follow().catch(() => {})
    return () => {
      stop.abort()
      if (timer !== null) clearTimeout(timer)
    }
  }, [api, isWanted])
  return working
}
