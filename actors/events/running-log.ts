import type { TaskRecord } from '../../machines/records.ts'
import type { NewLogEvent } from '../../machines/task-log.ts'

/** What the log last said of a task. */
export interface LastLogged {
  state: string | null
  step: number
  browserAway: boolean
}

/** Where the log of a task ended, as the task's row keeps it. */
export interface LogEnd extends LastLogged {
  readonly seq: number
}

/** The log of a running task. */
export interface TaskLog {
  readonly workspaceId: string
  readonly sessionId: string
  readonly last: LastLogged
  /** The last number given, and the last one kept. */
  seq: number
  kept: number
  closed: boolean
  /** Its last entry is the ending, of a process before this one. */
  ended: boolean
}

export const newLog = ({ workspaceId, browserSessionId }: TaskRecord): TaskLog => ({
  workspaceId,
  sessionId: browserSessionId,
  last: { state: null, step: 0, browserAway: false },
  seq: 0,
  kept: 0,
  closed: false,
  ended: false,
})

export function note(last: LastLogged, event: NewLogEvent): void {
  if (event.type === 'task.state') last.state = event.state
  else if (event.type === 'step.started') last.step = event.step
  else if (event.type === 'browser.away') last.browserAway = true
  else if (event.type === 'browser.connected') last.browserAway = false
}
