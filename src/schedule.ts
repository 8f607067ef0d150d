import { readFile } from 'node:fs/promises'
import schedule from 'node-schedule'
import type { Log, Store } from '../actors/runtime/ports.ts'
import type { TaskService } from '../actors/task-service.ts'
import { entryError, readEntries, type ScheduleEntry, ScheduleError } from './schedule/entries.ts'

export { ScheduleError } from './schedule/entries.ts'

export interface ScheduleDeps {
  readonly taskService: Pick<TaskService, 'startTask' | 'task'>
  readonly store: {
    readonly workspaces: Pick<Store['workspaces'], 'get' | 'byName'>
  }
  readonly log: Log
  /** Whether the jobs of a workspace are started here; left out, all are: of several nodes one starts each. */
  readonly isOwn?: (workspaceId: string) => boolean
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
  const { taskService, log } = deps
  let lastTaskId: string | null = null
  let starting = false

  const stillRuns = async () =>
    lastTaskId !== null && (await taskService.task(workspaceId, lastTaskId))?.status === 'running'

  async function start(): Promise<void> {
    const about = { job: entry.number, workspaceId, sessionId: entry.session }
    if (await stillRuns())
      return log.warn({ ...about, taskId: lastTaskId }, 'Scheduled job skipped: its last task still runs')
    const answer = await taskService.startTask({
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
    log.info({ ...about, taskId: lastTaskId }, 'Scheduled job started')
  }

  /** One start at a time: a store that takes longer than the job's period must not make two of it. */
  async function run(): Promise<void> {
    if (deps.isOwn?.(workspaceId) === false) return
    if (starting)
      return log.warn({ job: entry.number, workspaceId }, 'Scheduled job skipped: its last start is not done')
    starting = true
    try {
      await start()
    } catch (err) {
      log.error({ err, job: entry.number, workspaceId }, 'Scheduled job failed to start')
    } finally {
      starting = false
    }
  }

  const scheduled = schedule.scheduleJob(entry.cron, run)
  return {
    job: { number: entry.number, nextAt: () => scheduled.nextInvocation()?.getTime() ?? null, run },
    cancel: () => void scheduled.cancel(),
  }
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
