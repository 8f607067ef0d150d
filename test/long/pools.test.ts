import { execFileSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ENTRY } from '../support/built.ts'
import { eventually } from '../support/eventually.ts'
import type { Answer } from '../support/service/api.ts'
import { type Call, TestBrowser } from '../support/service/browser.ts'
import { answerOf, openJobModel, taskOf } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const test = suite('a pool of many browsers that are killed at random')

const model = await openJobModel()
const service = await openService({ env: { ...model.env, BROWSERS: '0' } })
const { api } = service
const alive = new Map<string, TestBrowser>()
test.after(async () => {
  for (const browser of alive.values()) browser.disconnect()
  await service.kill()
  await model.endpoint.close()
})

const BROWSERS = 20
const PLACES = 5
const TASKS = 200
const STEPS = 8
const KILLS = 30
const KILL_EVERY_MS = 700
const WHOLE_MS_MAX = 300_000

test('[Z2 Z3 Z5] 200 tasks in 20 browsers of 5 places, 30 browsers and the service killed: each ends, none is in two browsers, places are exact', async () => {
  const env = { ...process.env, DATA_DIR: service.dataDir }
  const limits = ['starts_per_minute=1000', 'running_tasks=150', 'queued_tasks=500']
  execFileSync(process.execPath, [ENTRY, 'limits', 'default', ...limits], { env, stdio: 'ignore' })

  /** What each task does now, and in which browser; `null`: nothing. */
  const acting = new Map<string, string>()
  const executed = new Map<string, number>()
  const faults: string[] = []
  async function join(): Promise<void> {
    const pairing = await api.post('/v1/browser-sessions/pair', { pool: { name: 'p', places: PLACES } })
    const { json } = await api.post('/v1/browser-sessions/register', { pairing_token: pairing.json.pairing_token })
    const id: string = json.browser_session_id
    const answer = ({ requestId, taskId }: Call) => {
      executed.set(requestId, (executed.get(requestId) ?? 0) + 1)
      const other = acting.get(taskId)
      if (other !== undefined && other !== id && alive.has(other))
        faults.push(`task ${taskId} acts in ${other} and ${id}`)
      acting.set(taskId, id)
      const ms = 20 + Math.random() * 200
      setTimeout(() => acting.get(taskId) === id && acting.delete(taskId), ms)
      return { output: 'done', ms }
    }
    alive.set(id, await TestBrowser.open({ relayPort: service.relayPort, token: json.session_token, answer }))
  }
  for (let n = 0; n < BROWSERS; n++) await join()

  /** Running tasks by their browsers, as clients see them. */
  async function used(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>()
    let cursor: string | null = null
    do {
      const query: string = `status=running&limit=100${cursor === null ? '' : `&cursor=${cursor}`}`
      const page: Answer | null = await api.get(`/v1/tasks?${query}`).catch(() => null)
      if (page?.status !== 200) return new Map()
      for (const { browser_session_id: id, state } of page.json.data)
        if (state !== 'queued' && state !== 'changingBrowser') counts.set(id, (counts.get(id) ?? 0) + 1)
      cursor = page.json.next_cursor
    } while (cursor !== null)
    return counts
  }
  let most = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      for (const [id, count] of await used()) {
        most = Math.max(most, count)
        if (count > PLACES) faults.push(`${count} tasks in ${id}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()

  const jobs = Array.from({ length: TASKS }, (_, n) => ({ name: `job${n}`, steps: STEPS, ms: 300 }))
  const ids = new Map<string, (typeof jobs)[number]>()
  const startJob = async (job: (typeof jobs)[number]) => {
    const body = { task: taskOf(job), browser: { pool: 'p' }, on_away: 'wait', on_limit: 'queue' }
    const { status, json } = await api.post('/v1/tasks', body)
    assert.is(status, 201, JSON.stringify(json))
    ids.set(json.id, job)
  }
  await Promise.all(jobs.map(startJob))
  for (let kill = 0; kill < KILLS; kill++) {
    await new Promise((resolve) => setTimeout(resolve, KILL_EVERY_MS))
    const [id, browser] = [...alive][Math.floor(Math.random() * alive.size)] as [string, TestBrowser]
    alive.delete(id)
    browser.disconnect()
    if (kill === KILLS / 2) {
      await service.kill()
      service.spawn()
      await service.answers()
      for (const other of alive.values()) await other.registered()
    }
    await join()
  }
  const endsOf = async () => (await Promise.all([...ids.keys()].map((id) => api.task(id)))).map(({ status }) => status)
  await eventually(async () => (await endsOf()).every((status) => status !== 'running'), 'the end of all', WHOLE_MS_MAX)
  isOver = true
  await watching
  for (const [id, job] of ids) {
    const task = await api.task(id)
    assert.equal([task.status, task.answer], ['complete', answerOf(job)], JSON.stringify(task))
  }
  assert.equal(faults, [])
  assert.equal(
    [...executed].filter(([, times]) => times > 1),
    [],
    'no call was carried out twice',
  )
  assert.is(most, PLACES, 'the places were used up')
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, `browser_task_pool_places{pool="p"} ${BROWSERS * PLACES}`)
  assert.match(metrics, 'browser_task_pool_used{pool="p"} 0')
})

test.run()
