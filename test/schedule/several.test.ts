import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { StartAnswer, StartTask } from '../../actors/task-service.ts'
import { startSchedule } from '../../src/schedule/schedule.ts'

const test = suite('a schedule at several nodes')
const folder = await mkdtemp(join(tmpdir(), 'schedule-'))
test.after(() => rm(folder, { recursive: true }))
const JOB = { cron: '* * * * * *', workspace: 'w', session: '5e0f7c1a-0a4b-4d5e-8a51-2f2f4b7f0c11', task: 'Read' }
const GRANTED = { ok: true, task: { id: 't' } } as StartAnswer
const AWAY = { ok: false, refusal: { code: 'session_not_connected', message: 'away' } } as StartAnswer

async function nodes(count: number, startTask: (start: StartTask, node: number) => Promise<StartAnswer>) {
  const file = join(folder, 'jobs.json')
  await writeFile(file, JSON.stringify([JOB, JOB]))
  const told: string[] = []
  const schedules = await Promise.all(
    Array.from({ length: count }, (_, node) =>
      startSchedule(file, {
        taskService: { startTask: (start) => startTask(start, node), task: async () => null },
        store: { workspaces: { get: async (id) => ({ id }) as never, byName: async () => null } },
        log: { debug() {}, info: (_, message) => told.push(message), warn() {}, error() {} },
        several: { isOwn: () => node === 0 },
      }),
    ),
  )
  return { told, schedules, stop: () => schedules.map((schedule) => schedule.stop()) }
}
const until = async (is: () => boolean) => {
  const end = Date.now() + 10_000
  while (!is() && Date.now() < end) await new Promise((done) => setTimeout(done, 20))
}

test('[M10] all nodes start a job that is due under the same id, another one for each job and time, and one tells of it', async () => {
  const ids: Map<string, number>[] = [new Map(), new Map(), new Map()]
  const { told, stop } = await nodes(3, async ({ taskId = '' }, node) => {
    ids[node]?.set(taskId, (ids[node]?.get(taskId) ?? 0) + 1)
    return GRANTED
  })
  await until(() => ids.every((own) => own.size >= 4))
  stop()
  const [first = new Map(), ...others] = ids
  assert.ok(first.size >= 4)
  assert.ok([...first.values()].every((times) => times === 1))
  assert.ok(
    [...first.keys()].every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
  )
  const shared = [...first.keys()].filter((id) => others.every((own) => own.has(id)))
  assert.ok(shared.length >= 4, JSON.stringify(ids.map((own) => [...own.keys()])))
  assert.ok(told.length > 0 && told.length <= first.size)
})

test('[M10] a browser that is away while its node is gone is waited for', async () => {
  let asked = 0
  const { schedules, told, stop } = await nodes(1, async () => (++asked < 3 ? AWAY : GRANTED))
  stop()
  asked = 0
  await schedules[0]?.jobs[0]?.run()
  assert.is(asked, 3)
  assert.ok(told.includes('Scheduled job started'))
})

test.run()
