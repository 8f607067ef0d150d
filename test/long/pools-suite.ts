import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tryBrowser } from '../cli/with-browser.ts'
import { ENTRY } from '../support/built.ts'
import { eventually } from '../support/eventually.ts'
import type { Answer, Api } from '../support/service/api.ts'
import { type Call, TestBrowser } from '../support/service/browser.ts'
import { answerOf, taskOf } from '../support/service/model.ts'

/** A service of one process or of several nodes. */
export interface PoolService {
  readonly api: Api
  readonly relayPort: number
  /** With which the command line reaches its store. */
  readonly env: Readonly<Record<string, string>>
  /** `kill -9` of a process of it, which is started again. */
  kill(): Promise<void>
  /** The metrics of each of its processes. */
  metrics(): Promise<readonly string[]>
  close(): Promise<void>
}

/** A browser of the pool: a simulated one over the relay, or a process with a Chromium. */
interface Member {
  kill(): void
}

const BROWSERS = 20
const PLACES = 5
const TASKS = 200
const STARTED_AT_ONCE = 20
const STEPS = 8
const BROWSERS_KILLED = 30
const KILL_EVERY_MS = 700
const WHOLE_MS_MAX = 300_000
const AGAIN_MS_MAX = 60_000

/** Browsers and processes of the service are killed at random; `kills`: how many of its processes. */
export function poolsSurvive(of: string, open: () => Promise<PoolService>, kills: number): void {
  const test = suite(`a pool of many browsers that are killed at random, of ${of}`)
  let service: PoolService
  const members = new Map<string, Member>()
  let isOver = false
  test.before(async () => {
    service = await open()
  })
  test.after(async () => {
    isOver = true
    for (const member of members.values()) member.kill()
    await service.close()
  })

  test(`[Z2 Z3 Z5] ${TASKS} tasks in ${BROWSERS} browsers of ${PLACES} places, ${BROWSERS_KILLED} browsers and ${kills} processes of the service killed: each ends, none is in two browsers, places are exact`, async () => {
    const { api } = service
    const env = { ...process.env, ...service.env }
    const limits = ['starts_per_minute=1000', 'running_tasks=150', 'queued_tasks=500']
    execFileSync(process.execPath, [ENTRY, 'limits', 'default', ...limits], { env, stdio: 'ignore' })

    /** What each task does now, and in which browser; `null`: nothing. */
    const acting = new Map<string, string>()
    const executed = new Map<string, number>()
    const faults: string[] = []
    async function join(): Promise<void> {
      const pool = { name: 'p', places: PLACES }
      const pairing = await insisting(201, () => api.post('/v1/browser-sessions/pair', { pool }))
      const { pairing_token } = pairing.json
      const { json } = await insisting(201, () => api.post('/v1/browser-sessions/register', { pairing_token }))
      const id: string = json.browser_session_id
      const answer = ({ requestId, taskId }: Call) => {
        executed.set(requestId, (executed.get(requestId) ?? 0) + 1)
        const other = acting.get(taskId)
        if (other !== undefined && other !== id && members.has(other))
          faults.push(`task ${taskId} acts in ${other} and ${id}`)
        acting.set(taskId, id)
        const ms = 20 + Math.random() * 200
        setTimeout(() => acting.get(taskId) === id && acting.delete(taskId), ms)
        return { output: 'done', ms }
      }
      const browser = await TestBrowser.open({ relayPort: service.relayPort, token: json.session_token, answer })
      members.set(id, { kill: () => browser.disconnect() })
    }
    /** As many as a small machine carries beside the rest. */
    const realOnes = await tryBrowser().then(
      () => 2,
      () => 0,
    )
    let started = 0
    function joinReally(): void {
      const args = [ENTRY, 'browser', '--service', api.url, '--pool', 'p', '--tasks', String(PLACES)]
      const child: ChildProcess = spawn(process.execPath, args, {
        env: { ...process.env, BROWSER_TASK_KEY: api.key },
        stdio: 'ignore',
      })
      members.set(`Chromium ${started++}`, { kill: () => child.kill('SIGKILL') })
    }
    const placesOf = async (what: string) =>
      (await service.metrics()).reduce(
        (sum, text) => sum + Number(new RegExp(`browser_task_pool_${what}\\{pool="p"\\} (\\d+)`).exec(text)?.[1] ?? 0),
        0,
      )
    const whole = () => eventually(async () => (await placesOf('places')) === BROWSERS * PLACES, 'all browsers', 60_000)
    for (let n = 0; n < realOnes; n++) joinReally()
    for (let n = realOnes; n < BROWSERS; n++) await join()
    await whole()

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
      const once = { 'idempotency-key': job.name }
      const { json } = await insisting(201, () => api.post('/v1/tasks', body, once))
      ids.set(json.id, job)
    }
    for (let n = 0; n < TASKS; n += STARTED_AT_ONCE) await Promise.all(jobs.slice(n, n + STARTED_AT_ONCE).map(startJob))
    for (let kill = 1; kill <= BROWSERS_KILLED; kill++) {
      await new Promise((resolve) => setTimeout(resolve, KILL_EVERY_MS))
      const [id, member] = [...members][Math.floor(Math.random() * members.size)] as [string, Member]
      members.delete(id)
      member.kill()
      if (kill % Math.floor(BROWSERS_KILLED / (kills + 1)) === 0 && kill < BROWSERS_KILLED) await service.kill()
      if (id.startsWith('Chromium')) joinReally()
      else await join()
    }
    const endsOf = async () =>
      (await Promise.all([...ids.keys()].map((id) => api.task(id).catch(() => null)))).map((task) => task?.status)
    const haveEnded = async () => (await endsOf()).every((status) => status === 'complete' || status === 'error')
    await eventually(haveEnded, 'the end of all', WHOLE_MS_MAX)
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
    await whole()
    assert.is(await placesOf('used'), 0)
    console.log(`${realOnes} of ${BROWSERS} browsers were Chromium; ${executed.size} calls in the others`)
  })

  test.run()
}

/** The answer with this status: a process of the service may have been killed that was asked. */
async function insisting(status: number, ask: () => Promise<Answer>): Promise<Answer> {
  let last: unknown
  for (const until = Date.now() + AGAIN_MS_MAX; Date.now() < until; ) {
    const answer = await ask().catch((error: unknown) => {
      last = error
      return null
    })
    if (answer?.status === status) return answer
    last = answer?.raw ?? last
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`No ${status}: ${last}`)
}
