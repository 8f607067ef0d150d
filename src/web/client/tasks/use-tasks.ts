import { type Api, EventsExpired, type TaskQuery, type TaskSummary } from '../api.ts'
import { useEffect, useRef, useState } from '../view.ts'
import { type Query, WAITING } from './query.ts'

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
const WAITING_STATE = 'waitingForInput'
const ASKING: TaskQuery = { state: WAITING_STATE, limit: 100 }

export type Tasks = ReturnType<typeof useTasks>

/** The tasks that fit a query: the first page follows what happens, further ones are read on demand. */
export function useTasks(api: Api, query: Query) {
  const [tasks, setTasks] = useState<readonly TaskSummary[] | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const [failed, setFailed] = useState<unknown>(null)
  /** The tasks that need an answer, the most urgent first. */
  const [waiting, setWaiting] = useState<readonly TaskSummary[]>([])
  /** Whether further pages were read: then the cursor is theirs. */
  const isLong = useRef(false)
  const { q, status, browser, metadata } = query
  const conditions = conditionsOf(query)
  const pageOf = (asked: TaskQuery) => api.request('GET /v1/tasks', { query: asked })
  const read = useRef(async () => {})

  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | null = null
    isLong.current = false
    setTasks(null)
    read.current = async () => {
      const [page, asking] = await Promise.all([pageOf(conditions), pageOf(ASKING)])
      if (stop.signal.aborted) return
      setFailed(null)
      setWaiting(asking.data.toSorted((one, other) => expiryOf(one) - expiryOf(other)))
      setTasks((before) => merged(page.data, isLong.current ? (before ?? []) : []))
      if (!isLong.current) setCursor(page.next_cursor)
    }
    const fail = (error: unknown) => {
      if (!stop.signal.aborted) setFailed(error)
    }
    const changed = () => {
      timer ??= setTimeout(() => {
        timer = null
        read.current().catch(fail)
      }, READ_AFTER_MS)
    }
    read.current().catch(fail)
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
      setTasks((before) => merged(before ?? [], page.data))
      setCursor(page.next_cursor)
    } catch (error) {
      setFailed(error)
    }
  }
  return { tasks, waiting, hasMore: cursor !== null, failed, more, readAgain: () => read.current() }
}

const expiryOf = ({ input_request: request }: TaskSummary): number => request?.expires_at ?? 0

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
    ...(status === WAITING
      ? { state: WAITING_STATE }
      : status === ''
        ? {}
        : { status: status as TaskSummary['status'] }),
    ...(browser === '' ? {} : { browser_session_id: browser }),
    ...(value === undefined ? {} : { metadata: { [key.trim()]: value } }),
  }
}
