import { type Api, EventsExpired, type TaskQuery, type TaskSummary } from '../api.ts'
import { useEffect, useRef, useState } from '../view.ts'
import { type Query, WAITING } from './filters.tsx'

/** A list that changed is read again after this; what happens meanwhile is one reading. */
const READ_AFTER_MS = 400

const EVENTS = [
  'task.created',
  'task.queued',
  'task.state',
  'step.started',
  'input.requested',
  'input.answered',
  'task.ended',
] as const
const RUNNING: TaskQuery = { status: 'running', limit: 100 }

const isWaiting = ({ state }: TaskSummary): boolean => state === 'waitingForInput'

/** The tasks that fit a query: the first page follows what happens, further ones are read on demand. */
export function useTasks(api: Api, query: Query) {
  const [tasks, setTasks] = useState<readonly TaskSummary[] | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const [failed, setFailed] = useState<unknown>(null)
  /** How many tasks need an answer. */
  const [waiting, setWaiting] = useState(0)
  /** Whether further pages were read: then the cursor is theirs. */
  const isLong = useRef(false)
  const { q, status, browser, metadata } = query
  const conditions = conditionsOf(query)
  const pageOf = (asked: TaskQuery) => api.request('GET /v1/tasks', { query: asked })

  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | null = null
    isLong.current = false
    setTasks(null)
    const read = async () => {
      const [page, running] = await Promise.all([pageOf(conditions), pageOf(RUNNING)])
      if (stop.signal.aborted) return
      setFailed(null)
      setWaiting(running.data.filter(isWaiting).length)
      const shown = query.status === WAITING ? page.data.filter(isWaiting) : page.data
      setTasks((before) => merged(shown, isLong.current ? (before ?? []) : []))
      if (!isLong.current) setCursor(page.next_cursor)
    }
    const fail = (error: unknown) => {
      if (!stop.signal.aborted) setFailed(error)
    }
    const changed = () => {
      timer ??= setTimeout(() => {
        timer = null
        read().catch(fail)
      }, READ_AFTER_MS)
    }
    read().catch(fail)
    const follow = async (): Promise<void> => {
      const { signal } = stop
      const onAway = (isAway: boolean) => !isAway && changed()
      try {
        for await (const _ of api.events({ types: EVENTS, signal, onAway })) changed()
      } catch (error) {
        if (!(error instanceof EventsExpired)) throw error
        // It was away for so long that what happened is not kept any more: the list tells.
        changed()
        await follow()
      }
    }
    follow().catch(fail)
    return () => {
      stop.abort()
      if (timer !== null) clearTimeout(timer)
    }
  }, [api, q, status, browser, metadata])

  const more = async () => {
    try {
      const page = await pageOf({ ...conditions, cursor: cursor ?? undefined })
      isLong.current = true
      const shown = query.status === WAITING ? page.data.filter(isWaiting) : page.data
      setTasks((before) => merged(before ?? [], shown))
      setCursor(page.next_cursor)
    } catch (error) {
      setFailed(error)
    }
  }
  return { tasks, waiting, hasMore: cursor !== null, failed, more }
}

/** Both, each task once: as the first list has it. */
function merged(first: readonly TaskSummary[], second: readonly TaskSummary[]): TaskSummary[] {
  const known = new Set(first.map(({ id }) => id))
  return [...first, ...second.filter(({ id }) => !known.has(id))]
}

function conditionsOf({ q, status, browser, metadata }: Query): TaskQuery {
  const [key = '', value] = metadata.split(/=(.*)/s)
  return {
    limit: 50,
    ...(q.trim() === '' ? {} : { q }),
    ...(status === '' ? {} : { status: status === WAITING ? 'running' : (status as TaskSummary['status']) }),
    ...(browser === '' ? {} : { browser_session_id: browser }),
    ...(value === undefined ? {} : { metadata: { [key.trim()]: value } }),
  }
}
