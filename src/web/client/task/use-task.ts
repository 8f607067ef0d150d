import { type Api, EventsExpired, messageOf, type Task, type TaskEvent } from '../api.ts'
import { useEffect, useState } from '../view.ts'
import { storyOfSteps } from './steps-story.ts'
import { EMPTY, type Story, told } from './story.ts'

/** Several events in a moment are one drawing. */
const DRAWN_EVERY_MS = 50
/** Events after which the task itself is read again. */
const CHANGES_TASK: ReadonlySet<TaskEvent['type']> = new Set([
  'task.state',
  'task.queued',
  'model.replied',
  'input.requested',
  'input.answered',
  'task.ended',
])
const READ_AFTER_MS = 100

export interface Followed {
  readonly task: Task | null
  readonly story: Story
  /** The service does not answer; what is shown is what was known before. */
  readonly isAway: boolean
  readonly failed: string | null
  readAgain(): Promise<void>
}

/** A task and its log, for as long as it goes on. */
export function useTask(api: Api, id: string): Followed {
  const [task, setTask] = useState<Task | null>(null)
  const [story, setStory] = useState(EMPTY)
  const [isAway, setAway] = useState(false)
  const [failed, setFailed] = useState<string | null>(null)
  const readAgain = () => api.tasks.get(id).then(setTask)

  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const fail = (error: unknown) => {
      if (!signal.aborted) setFailed(messageOf(error))
    }
    const drawn = late(DRAWN_EVERY_MS, () => setStory(known))
    const read = late(READ_AFTER_MS, () => void api.tasks.get(id, { signal }).then(setTask, fail))
    let known = EMPTY
    const follow = async () => {
      try {
        for await (const event of api.tasks.events(id, { signal, onAway: setAway })) {
          known = told(known, event)
          drawn()
          if (CHANGES_TASK.has(event.type)) read()
        }
      } catch (error) {
        if (!(error instanceof EventsExpired)) throw error
      }
      if (known.seq > 0 || signal.aborted) return
      // Of a task of an earlier version, or one whose events are not kept any more.
      const records = []
      for await (const record of api.tasks.steps(id, { signal })) records.push(record)
      known = storyOfSteps(id, records)
      drawn()
    }
    read()
    follow().catch(fail)
    return () => stop.abort()
  }, [id])
  return { task, story, isAway, failed, readAgain }
}

/** Calls `act` once, a moment after the first of many calls. */
function late(ms: number, act: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      act()
    }, ms)
  }
}
