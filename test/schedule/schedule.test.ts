import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { StartAnswer, StartTask, TaskView } from '../../actors/task-service.ts'
import type { WorkspaceRecord } from '../../machines/records.ts'
import {
  type Schedule,
  type ScheduleDeps,
  type ScheduledJob,
  ScheduleError,
  startSchedule,
} from '../../src/schedule/schedule.ts'

const SESSION = '5e0f7c1a-0a4b-4d5e-8a51-2f2f4b7f0c11'
const WORKSPACE: WorkspaceRecord = { id: 'w-1', name: 'default', plan: 'free', members: [], createdAt: 0 }
const JOB = { cron: '0 8 * * *', workspace: 'default', session: SESSION, task: 'Read the news' }

const test = suite('schedule')
const folder = await mkdtemp(join(tmpdir(), 'schedule-'))
const open: Schedule[] = []
test.after.each(() => {
  for (const schedule of open.splice(0)) schedule.stop()
})
test.after(() => rm(folder, { recursive: true }))

/** A taskService that grants tasks t-1, t-2, … unless told otherwise. */
function world(options: { answer?: () => Promise<StartAnswer> } = {}) {
  const starts: StartTask[] = []
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
  const statuses = new Map<string, string>()
  const say = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message })
  const deps: ScheduleDeps = {
    taskService: {
      async startTask(start) {
        starts.push(start)
        if (options.answer) return options.answer()
        const id = `t-${starts.length}`
        statuses.set(id, 'running')
        return { ok: true, task: { id } } as StartAnswer
      },
      task: async (workspaceId, id) =>
        (workspaceId === WORKSPACE.id && statuses.has(id) ? { id, status: statuses.get(id) } : null) as TaskView | null,
    },
    store: {
      workspaces: {
        get: async (id) => (id === WORKSPACE.id ? WORKSPACE : null),
        byName: async (name) => (name === WORKSPACE.name ? WORKSPACE : null),
      },
    },
    log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
  }
  return { deps, starts, lines, statuses }
}

async function started(jobs: unknown, deps: ScheduleDeps): Promise<Schedule> {
  const file = join(folder, 'jobs.json')
  await writeFile(file, JSON.stringify(jobs))
  const schedule = await startSchedule(file, deps)
  open.push(schedule)
  return schedule
}
function first(schedule: Schedule): ScheduledJob {
  const [job] = schedule.jobs
  if (!job) throw new Error('The schedule has no job')
  return job
}

test('[T24] starts a due job through the internal door', async () => {
  const { deps, starts, lines } = world()
  await started([{ ...JOB, cron: '* * * * * *', url: 'https://news.example' }], deps)
  const bound = Date.now() + 10_000
  while (starts.length === 0 && Date.now() < bound) await new Promise((done) => setTimeout(done, 20))
  assert.equal(starts[0], {
    door: 'internal',
    workspaceId: 'w-1',
    apiKeyId: null,
    requestId: null,
    request: {
      task: 'Read the news',
      url: 'https://news.example',
      context: null,
      browserSessionId: SESSION,
      webhookUrl: null,
    },
  })
  assert.is(lines[0]?.message, 'Scheduled job started')
})

test('which key pays is left to the taskService; a workspace may be named by its id', async () => {
  const { deps, starts } = world()
  const schedule = await started({ jobs: [{ ...JOB, workspace: 'w-1' }] }, deps)
  await first(schedule).run()
  assert.is(starts[0]?.apiKeyId, null)
  assert.is(starts[0]?.workspaceId, 'w-1')
})

test('[T24] skips a job with a log line when its start is refused, and starts it the next time', async () => {
  let away = true
  const { deps, starts, lines } = world({
    answer: async () =>
      away
        ? {
            ok: false,
            refusal: {
              code: 'session_not_connected',
              message: 'Browser not connected',
              allowance: null,
              retryAfterSeconds: null,
            },
          }
        : ({ ok: true, task: { id: 't' } } as StartAnswer),
  })
  const job = first(await started([JOB], deps))
  await job.run()
  assert.is(lines[0]?.level, 'warn')
  assert.is(lines[0]?.message, 'Scheduled job skipped: Browser not connected')
  assert.is(lines[0]?.fields.code, 'session_not_connected')
  away = false
  await job.run()
  assert.is(starts.length, 2)
  assert.is(lines[1]?.message, 'Scheduled job started')
})

test('[T24] skips a job whose last task still runs, and no other job', async () => {
  const { deps, starts, lines, statuses } = world()
  const schedule = await started([JOB, JOB], deps)
  const [one, two] = schedule.jobs
  await one?.run()
  await one?.run()
  assert.is(starts.length, 1)
  assert.match(lines.at(-1)?.message ?? '', /still runs/)
  await two?.run()
  assert.is(starts.length, 2)
  statuses.set('t-1', 'complete')
  await one?.run()
  assert.is(starts.length, 3)
})

test('[T24] skips a job whose last start is not answered yet', async () => {
  let answer: (answer: StartAnswer) => void = () => {}
  const { deps, starts, lines } = world({ answer: () => new Promise((done) => (answer = done)) })
  const job = first(await started([JOB], deps))
  const pending = job.run()
  await job.run()
  assert.match(lines[0]?.message ?? '', /last start is not done/)
  while (starts.length === 0) await new Promise((done) => setImmediate(done))
  answer({ ok: true, task: { id: 't' } } as StartAnswer)
  await pending
  assert.is(starts.length, 1)
})

test('a taskService that throws is a line in the log', async () => {
  const { deps, lines } = world({ answer: () => Promise.reject(new Error('store is away')) })
  await first(await started([JOB], deps)).run()
  assert.is(lines[0]?.level, 'error')
  assert.match(String(lines[0]?.fields.err), /store is away/)
})

test('starts nothing after it was stopped', async () => {
  const { deps } = world()
  const schedule = await started([{ ...JOB, cron: '* * * * * *' }], deps)
  assert.type(first(schedule).nextAt(), 'number')
  schedule.stop()
  assert.is(first(schedule).nextAt(), null)
})

test('[N8] refuses a file that is not there, an unknown workspace and a bad cron before anything is scheduled', async () => {
  const { deps } = world()
  const refused = async (jobs: unknown) => {
    try {
      await started(jobs, deps)
    } catch (error) {
      assert.instance(error, ScheduleError)
      return String((error as ScheduleError).message)
    }
    return 'accepted'
  }
  assert.match(
    await refused([{ ...JOB, workspace: 'nobody' }]),
    /job 1, field "workspace": there is no workspace "nobody"/,
  )
  for (const cron of [
    '',
    'soon',
    '* * * *',
    '61 * * * *',
    '0 0 30 2 *',
    '2999-01-01',
    '2999 01 01 00 00',
    '* * * * * * *',
  ]) {
    assert.match(await refused([JOB, { ...JOB, cron }]), /job 2, field "cron": expected a cron/, cron)
  }
  try {
    await startSchedule(join(folder, 'missing.json'), deps)
    assert.unreachable()
  } catch (error) {
    assert.match(String(error), /SCHEDULE_FILE .*missing\.json cannot be read: ENOENT/)
  }
})

test.run()
