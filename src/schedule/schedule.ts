import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import schedule from 'node-schedule'
import type { Log, Store } from '../../actors/runtime/ports.ts'
import type { StartAnswer, StartTask, TaskService } from '../../actors/task-service.ts'
import { uuidAt } from '../../machines/uuid.ts'
import { entryError, readEntries, type ScheduleEntry, ScheduleError } from './entries.ts'

export { ScheduleError } from './entries.ts'

const BROWSER_BACK_MS_MAX = 10_000
const BROWSER_LOOK_EVERY_MS = 500

export interface ScheduleDeps {
  readonly taskService: Pick<TaskService, 'startTask' | 'task'>
  readonly store: {
    readonly workspaces: Pick<Store['workspaces'], 'get' | 'byName'>
  }
  readonly log: Log
  /**
   * [M10] Of several nodes: each starts each job, under an id that all of them make of the job and the time when it is due, so
   * that it is one task, whichever of them is gone. Left out: one process starts all.
   */
  readonly several?: {
    /** Whether what runs of a workspace runs here: its node tells of the job. */
    isOwn(workspaceId: string): boolean
    /** How long a browser has to connect again, whose node may be gone. */
    readonly browserMsMax?: number
  }
}

/** A running schedule. */
export interface Schedule {
  readonly jobs: readonly ScheduledJob[]
  /** No further job is started; what already runs is the taskService's. */
  stop(): void
}

export interface ScheduledJob {
  readonly number: number
  /** When it is due next, in ms; `null` when never again. */
  nextAt(): number | null
  /** Starts it now, as if it were due. Never rejects: what went wrong is in the log. */
  run(): Promise<void>
}

/**
 * [T24] Runs the jobs of a schedule file (times are those of the machine's time zone) through the internal door:
 * no authentication, no billing. A job whose last task still runs is skipped, as is one that is refused,
 * because its browser is away for example: both with a line in the log.
 * @throws ScheduleError when the file cannot be read, or one of its entries is not right.
 */
export async function startSchedule(file: string, deps: ScheduleDeps): Promise<Schedule> {
  const entries = readEntries(file, await contentOf(file), isCron)
  const workspaceIds = await Promise.all(entries.map((entry) => workspaceOf(file, entry, deps.store)))
  const running = entries.map((entry, index) => startJob(entry, workspaceIds[index] ?? '', deps))
  return {
    jobs: running.map(({ job }) => job),
    stop() {
      for (const { cancel } of running) cancel()
    },
  }
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new ScheduleError(`SCHEDULE_FILE ${file} cannot be read: ${code}`)
  }
}

async function workspaceOf(file: string, entry: ScheduleEntry, store: ScheduleDeps['store']): Promise<string> {
  const found = (await store.workspaces.get(entry.workspace)) ?? (await store.workspaces.byName(entry.workspace))
  if (!found) throw entryError(file, entry, 'workspace', `there is no workspace ${JSON.stringify(entry.workspace)}`)
  return found.id
}

function startJob(
  entry: ScheduleEntry,
  workspaceId: string,
  deps: ScheduleDeps,
): { job: ScheduledJob; cancel(): void } {
  const { taskService, log, several } = deps
  let lastTaskId: string | null = null
  let starting = false

  const stillRuns = async () =>
    lastTaskId !== null && (await taskService.task(workspaceId, lastTaskId))?.status === 'running'

  /** A browser whose node went away at this moment is back soon. */
  async function withBrowser(start: StartTask): Promise<StartAnswer> {
    const until = performance.now() + (several ? (several.browserMsMax ?? BROWSER_BACK_MS_MAX) : 0)
    for (;;) {
      const answer = await taskService.startTask(start)
      if (answer.ok || answer.refusal.code !== 'session_not_connected' || performance.now() >= until) return answer
      await pause(BROWSER_LOOK_EVERY_MS)
    }
  }

  async function start(due: Date): Promise<void> {
    const about = { job: entry.number, workspaceId, sessionId: entry.session }
    if (await stillRuns())
      return log.warn({ ...about, taskId: lastTaskId }, 'Scheduled job skipped: its last task still runs')
    const answer = await withBrowser({
      ...(several ? { taskId: taskIdOf(entry, workspaceId, due) } : {}),
      door: 'internal',
      workspaceId,
      apiKeyId: null,
      requestId: null,
      request: {
        task: entry.task,
        url: entry.url,
        context: entry.context,
        browserSessionId: entry.session,
        webhookUrl: null,
      },
    })
    if (!answer.ok) {
      return log.warn({ ...about, code: answer.refusal.code }, `Scheduled job skipped: ${answer.refusal.message}`)
    }
    lastTaskId = answer.task.id
    const isTold = several?.isOwn(workspaceId) !== false
    log[isTold ? 'info' : 'debug']({ ...about, taskId: lastTaskId }, 'Scheduled job started')
  }

  /** One start at a time: a store that takes longer than the job's period must not make two of it. */
  async function run(due = new Date()): Promise<void> {
    if (starting)
      return log.warn({ job: entry.number, workspaceId }, 'Scheduled job skipped: its last start is not done')
    starting = true
    try {
      await start(due)
    } catch (err) {
      log.error({ err, job: entry.number, workspaceId }, 'Scheduled job failed to start')
    } finally {
      starting = false
    }
  }

  const scheduled = schedule.scheduleJob(entry.cron, run)
  return {
    job: { number: entry.number, nextAt: () => scheduled.nextInvocation()?.getTime() ?? null, run: () => run() },
    cancel: () => void scheduled.cancel(),
  }
}

/** The same at every node, and another one for each time. */
function taskIdOf({ number, cron, session, task }: ScheduleEntry, workspaceId: string, due: Date): string {
  const what = JSON.stringify([number, cron, workspaceId, session, task, due.getTime()])
  const hex = createHash('sha256').update(what).digest('hex')
  const random = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  return uuidAt(due.getTime(), random)
}

/** The library also takes dates, which run once, and never say that they are in the past. */
function isCron(text: string): boolean {
  if (!/^\S+( +\S+){4,5}$/.test(text)) return false
  const probe = schedule.scheduleJob(text, () => {}) as schedule.Job | null
  if (!probe) return false
  const once = 'isOneTimeJob' in probe && probe.isOneTimeJob === true
  probe.cancel()
  return !once
}
