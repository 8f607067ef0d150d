import { randomUUID } from 'node:crypto'
import { cpSync, statSync } from 'node:fs'
import { setTimeout as pause, setImmediate as soon } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createTaskService, type RunningTaskService } from '../../actors/create-task-service.ts'
import type { Model, Ports } from '../../actors/runtime/ports.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../machines/limits.ts'
import type { SessionRecord } from '../../machines/records.ts'
import { type OpenedStore, openStore } from '../../src/stores/open.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { calling, SceneClock, saying } from '../support/scene.ts'
import { aSession, tempFolder } from '../support/stores.ts'
import { ACCEPTED, anEndpoint } from '../support/webhook-memory.ts'

/**
 * A week of a service in minutes: 100,000 tasks on a clock that moves 5 minutes after each 50, kept for one day, on a real
 * store. The embedded store begins as a data folder of an earlier version; every 12 hours the service is cut off in the middle of
 * its tasks, or handed over, and started again. Prints disk, memory and kept tasks, and fails where they grow.
 *
 *   npm run test:week [-- --tasks 100000 --store mongodb]
 */
const { values } = parseArgs({
  options: { tasks: { type: 'string', default: '100000' }, store: { type: 'string', default: 'lmdb' } },
})
const DAYS = 7
const AT_ONCE = 50
const WORKSPACES = 10
const TASKS = Number(values.tasks)
/** How much may be added to disk and memory between the third day and the last. */
const GROWTH_MAX = 0.1
const STEP_MS = Math.round((DAYS * DAY_MS * AT_ONCE) / TASKS)
const RESTART_EVERY = Math.max(1, Math.round((12 * HOUR_MS) / STEP_MS))
const OLD = 'test/stores/version-6'

const ALL = { limit: 1_000, status: null, browserSessionId: null, after: null }
const silent = {
  debug() {},
  info() {},
  warn() {},
  error: (fields: object, message: string) => console.error(message, fields),
}
const picture = Buffer.alloc(8_000, 7).toString('base64')
const gc = globalThis.gc ?? (() => {})

/** Two calls, then an answer. */
const model: Model = {
  id: 'played',
  provider: 'test',
  ask: async ({ messages }) => {
    const asked = messages.filter(({ role }) => role === 'assistant').length
    return asked < 2 ? calling(['find', { query: `tea ${asked}` }]) : saying('It costs 12 euros. '.repeat(10))
  },
}

const mongo = values.store === 'mongodb' ? await startMongoServer({ data: `${tempFolder()}/dump` }) : null
const dataDir = tempFolder()
if (!mongo) cpSync(OLD, dataDir, { recursive: true })

let store!: OpenedStore
let clock = new SceneClock(Date.now())
let service!: RunningTaskService
const sessions: SessionRecord[] = []
let restarts = 0

function portsOf(): Ports {
  const own = clock
  const isOver = () => own !== clock
  return {
    store,
    model,
    clock: own,
    log: silent,
    billing: null,
    ids: { uuid: randomUUID },
    tools: {
      specs: () => [],
      misfit: async () => null,
      check: (_, input) => ({ ok: true, input: input as Record<string, unknown> }),
    },
    webhook: { post: async () => {}, deliver: async () => ({ ...ACCEPTED, durationMs: 0 }) },
    outbox: {
      close() {},
      send(sessionId, { type, requestId, taskId }) {
        if (isOver() || type !== 'mcp_execute_tool') return true
        setImmediate(() => {
          if (isOver()) return
          // One task in four takes a screenshot.
          const screenshot = String(taskId).charCodeAt(35) % 4 === 0 ? picture : null
          const output = 'A page with prices. '.repeat(50)
          const result = {
            requestId: String(requestId),
            error: null,
            output,
            screenshot,
            tab: null,
            said: null,
            page: {},
          }
          service.taskService.toolResult(sessionId, result)
        })
        return true
      },
    },
  }
}

async function open(): Promise<void> {
  store = await openStore({
    mongodbUrl: mongo ? `${mongo.url}/week` : null,
    dataDir,
    log: silent,
    owner: { address: 'the week' } as never,
  })
}

async function start(): Promise<void> {
  service = createTaskService(portsOf(), { retentionDays: 1, verify: false })
  await service.start()
  for (const record of sessions)
    service.taskService.browserConnected(record, {
      socketId: randomUUID(),
      protocol: 2,
      calls: [],
      browserInstanceId: 'the same',
      tools: null,
    })
}

async function prepare(): Promise<void> {
  await open()
  let newest = Date.now()
  for (const { id } of await store.workspaces.list()) {
    sessions.push(...(await store.sessions.list(id, null)))
    const [last] = await store.tasks.list({ ...ALL, workspaceId: id })
    if (last) newest = Math.min(newest, last.createdAt)
  }
  clock = new SceneClock(newest + MINUTE_MS)
  const createdAt = clock.now()
  for (let n = 0; n < WORKSPACES; n++) {
    const workspaceId = randomUUID()
    await store.workspaces.insert({ id: workspaceId, name: workspaceId, plan: 'free', members: [], createdAt })
    for (let each = 0; each < AT_ONCE / WORKSPACES; each++) {
      const session = aSession({ workspaceId, createdAt, expiresAt: createdAt + 100 * DAY_MS })
      await store.sessions.insert(session)
      sessions.push(session)
    }
    if (n === 0) await store.endpoints.insert(anEndpoint({ workspaceId, createdAt }))
  }
}

/** Everything that runs has ended; fails when that takes more than a minute. */
async function settledTasks(): Promise<void> {
  const { registry } = service.system
  const until = performance.now() + 60_000
  while (registry.count('task') + registry.count('closing') + registry.count('delivery') > 0) {
    if (performance.now() > until) throw new Error('Tasks do not end')
    await soon()
  }
}

async function round(): Promise<void> {
  const own = sessions.slice(-AT_ONCE)
  const answers = await Promise.all(
    own.map(({ workspaceId, id }) =>
      service.taskService.startTask({
        door: 'http',
        workspaceId,
        apiKeyId: workspaceId,
        requestId: null,
        request: { task: 'What does the tea cost?', url: null, context: null, webhookUrl: null, browserSessionId: id },
      }),
    ),
  )
  const refused = answers.find((answer) => !answer.ok)
  if (refused) throw new Error(`Refused: ${JSON.stringify(refused)}`)
}

/** Odd ones are cut off where they are, as by a crash; even ones hand over. */
async function restart(): Promise<void> {
  const now = clock.now()
  if (++restarts % 2 === 0) await service.handOver()
  else service.abandon()
  clock = new SceneClock(now)
  // A process that is killed reads no more. Here, what the abandoned service was reading comes before its store is closed.
  await pause(250)
  await store.close()
  await open()
  await start()
}

interface Reading {
  readonly day: number
  readonly disk: number
  readonly heap: number
  readonly rss: number
}
const sizeOf = (name: string) => (mongo ? 0 : statSync(`${dataDir}/${name}`).blocks * 512)
function reading(day: number): Reading {
  gc()
  const { heapUsed, rss } = process.memoryUsage()
  return { day, disk: sizeOf('store.mdb') + sizeOf('screenshots.mdb'), heap: heapUsed, rss }
}
const mb = (bytes: number) => (bytes / 2 ** 20).toFixed(1).padStart(8)

await prepare()
await start()
// What the earlier version left goes on, or ends by its deadline.
for (let minute = 0; minute < 40; minute++) {
  await clock.advance(MINUTE_MS)
  await pause(5)
}
await settledTasks()
const began = performance.now()
const rounds = Math.ceil(TASKS / AT_ONCE)
const readings: Reading[] = []
console.log(
  '| day | tasks | restarts | disk, MB | heap, MB | resident, MB | minutes |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
)
for (let n = 1; n <= rounds; n++) {
  await round()
  if (n % RESTART_EVERY === 0) await restart()
  await settledTasks()
  await clock.advance(STEP_MS)
  // What a sweep does in batches goes on at once.
  for (let batch = 0; batch < 5; batch++) await clock.advance(0)
  if (n % Math.round(rounds / DAYS / 2) !== 0 && n !== rounds) continue
  const now = reading((n * DAYS) / rounds)
  readings.push(now)
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  console.log(
    `| ${now.day.toFixed(1)} | ${n * AT_ONCE} | ${restarts} | ${mb(now.disk)} | ${mb(now.heap)} | ${mb(now.rss)} | ${minutes} |`,
  )
}
const running: string[] = []
for await (const { id } of store.tasks.running()) running.push(id)
await service.stop()
await store.close()
await mongo?.kill()

const settled = readings.filter(({ day }) => day >= 3)
const growth = (of: 'disk' | 'heap') => {
  const [first, last] = [settled[0]?.[of] ?? 0, settled.at(-1)?.[of] ?? 0]
  return first === 0 ? 0 : last / first - 1
}
console.log(
  `From the third day on: disk ${(growth('disk') * 100).toFixed(1)} %, heap ${(growth('heap') * 100).toFixed(1)} %; running at the end: ${running.length}`,
)
process.exit(running.length > 0 || growth('disk') > GROWTH_MAX || growth('heap') > GROWTH_MAX ? 1 : 0)
