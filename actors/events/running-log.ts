import type { Ms, TaskRecord } from '../../machines/records.ts'
import type { LogEvent, LogType, NewLogEvent } from '../../machines/task-log.ts'

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
  /** What a process before this one has kept, by `keyOf`. */
  readonly known: Set<string>
  /** The last number given, and the last one kept. */
  seq: number
  kept: number
  closed: boolean
}

export const newLog = ({ workspaceId, browserSessionId }: TaskRecord): TaskLog => ({
  workspaceId,
  sessionId: browserSessionId,
  last: { state: null, step: 0, browserAway: false },
  known: new Set(),
  seq: 0,
  kept: 0,
  closed: false,
})

export function note(last: LastLogged, event: NewLogEvent): void {
  if (event.type === 'task.state') last.state = event.state
  else if (event.type === 'step.started') last.step = event.step
  else if (event.type === 'browser.away') last.browserAway = true
  else if (event.type === 'browser.connected') last.browserAway = false
}

export function noteKept(log: TaskLog, event: LogEvent): void {
  note(log.last, event)
  log.kept = event.seq
  const key = keyOf(event)
  if (key !== null) log.known.add(key)
}

/** Happen once in a task, or once for each step, call or request. */
const ONCE: ReadonlySet<LogType> = new Set<LogType>([
  'task.created',
  'step.started',
  'model.replied',
  'tool.called',
  'tool.result',
  'input.requested',
  'input.answered',
  'file.downloaded',
  'task.ended',
])

/** An earlier version on MongoDB may have kept the event without what it reports, which then happens again. */
export const isRepeated = (log: TaskLog, event: NewLogEvent): boolean => {
  if (log.known.size === 0) return false
  const key = keyOf(event)
  return key !== null && log.known.has(key)
}

function keyOf(event: NewLogEvent): string | null {
  if (!ONCE.has(event.type)) return null
  const { step, call_id, request_id, file_id } = event as { [name: string]: unknown; at: Ms }
  return [event.type, step, call_id, request_id, file_id].join(' ')
}
