import type { TaskSummary } from '../api.ts'
import { useEffect, useRef, useState } from '../view.ts'

/** `blocked`: by the settings of the browser; `unavailable`: it has no notifications here. */
type NoticeState = 'on' | 'off' | 'blocked' | 'unavailable'

export interface Notices {
  readonly state: NoticeState
  turnOn(): Promise<void>
  turnOff(): void
}

const WANTED = 'notifyWhenNeeded'

function stateNow(): NoticeState {
  if (typeof Notification === 'undefined' || !isSecureContext) return 'unavailable'
  if (Notification.permission === 'denied') return 'blocked'
  return Notification.permission === 'granted' && localStorage.getItem(WANTED) === 'yes' ? 'on' : 'off'
}

/** Says outside of the page how many tasks need a person: in its title, on its icon, and to who wants it as a notification. */
export function useNotices(workspaceId: string, tasks: readonly TaskSummary[]): Notices {
  const [state, setState] = useState(stateNow)
  const told = useRef<ReadonlySet<string> | null>(null)
  const requests = tasks.map(({ input_request: request }) => request?.id ?? '')

  useEffect(() => {
    markPage(tasks.length)
    const before = told.current
    told.current = new Set(requests)
    // What waited already when the page was opened is on it.
    if (before === null || stateNow() !== 'on' || !document.hidden) return
    for (const task of tasks) if (!before.has(task.input_request?.id ?? '')) notify(workspaceId, task)
  }, [requests.join(' ')])

  const turnOn = async () => {
    if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(WANTED, 'yes')
    setState(stateNow())
  }
  const turnOff = () => {
    localStorage.removeItem(WANTED)
    setState(stateNow())
  }
  return { state, turnOn, turnOff }
}

/** The number of tasks that need a person, in the title of the page and on its icon. */
export function markPage(count: number): void {
  const title = document.title.replace(/^\(\d+\) /, '')
  document.title = count === 0 ? title : `(${count}) ${title}`
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  if (icon) icon.href = count === 0 ? '/static/icon.svg' : `/icon/${Math.min(count, 99)}.svg`
}

function notify(workspaceId: string, task: TaskSummary): void {
  try {
    const { id, input_request: request } = task
    const notice = new Notification('A task needs you', { body: request?.message ?? task.task, tag: id })
    notice.onclick = () => {
      window.focus()
      location.assign(`/dashboard/tasks/${id}?workspace=${workspaceId}`)
    }
  } catch {
    // Chrome on Android shows notifications of service workers alone.
  }
}
