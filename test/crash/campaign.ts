import { parseArgs } from 'node:util'
import { Random } from '../simulation/random.ts'
import { buildService } from '../support/builds.ts'
import { eventually } from '../support/eventually.ts'
import { startMongod } from '../support/mongo/mongod.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'
import { closeReceivers } from '../webhooks/receiver.ts'
import { read, settle } from './checks.ts'
import { type Fault, round } from './rounds.ts'
import { FREE_TASKS, openTenant, PAYMENT_SECRET, type Tenant } from './tenant.ts'

/**
 * `npm run test:crash -- --rounds N [--store lmdb|mongodb] [--seed S] [--transport uws|node] [--source]`: the real
 * process, real sockets, `kill -9` at moments of chance, and then what was promised, through the public API alone.
 * A seed repeats the choices, not the moments. `MONGOD` is the command of a real mongod, which then is killed, too. `--source` runs the sources as they are instead of a build of them.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    store: { type: 'string', default: 'lmdb' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    transport: { type: 'string', default: 'uws' },
    tenants: { type: 'string', default: '48' },
    source: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const seed = Number(values.seed)
if (!(Number.isInteger(rounds) && rounds > 0 && Number.isInteger(seed)))
  throw new Error('--rounds and --seed are whole')
if (values.store !== 'lmdb' && values.store !== 'mongodb') throw new Error('--store is lmdb or mongodb')

/** The service is left alone after so many rounds, until everything has ended. */
const SETTLED_EVERY = 10
const PROTOCOL_1_EVERY = 6
const SHOWN_MAX = 10

const random = new Random(seed)
const mongod = values.store === 'mongodb' && process.env.MONGOD ? await startMongod(process.env.MONGOD) : null
const mongo = values.store === 'mongodb' ? (mongod ?? (await startMongoServer())) : null
let model = await openJobModel()
const service = await openService({
  ...(values.source ? {} : { entry: process.env.SERVICE_BUILD ?? (await buildService(tempFolder())) }),
  env: {
    ...model.env,
    PAYMENT_WEBHOOK_SECRET: PAYMENT_SECRET,
    FREE_TASKS_PER_MONTH: String(FREE_TASKS),
    TRANSPORT: values.transport,
    ...(mongo && { MONGODB_URL: `${mongo.url}/crash` }),
  },
})
const tenants: Tenant[] = []
for (let count = 0; count < Number(values.tenants); count++) {
  const protocol = count % PROTOCOL_1_EVERY === PROTOCOL_1_EVERY - 1 ? 1 : 2
  tenants.push(await openTenant(service.url, `t${count}`, protocol, random))
}

const from = performance.now()
const wrong: string[] = []
const faults = new Map<Fault, number>()
const starts: number[] = []
/** When a process was killed under its work. */
const deaths: number[] = []

/** Everything ends, and is checked. A new model endpoint takes over, which remembers no requests. */
async function settled(): Promise<void> {
  for (const found of await Promise.all(tenants.map(settle))) wrong.push(...found)
  if (service.exit) wrong.push(`died: ${JSON.stringify(service.exit)}`)
  const { endpoint } = model
  model = await openJobModel()
  await service.kill()
  service.spawn(model.env)
  await service.answers()
  await endpoint.close()
  for (const tenant of tenants)
    for (const attempt of tenant.attempts.slice(-5)) wrong.push(...(await read(tenant, attempt)))
  await Promise.all(tenants.map(({ browser }) => browser.registered()))
}

const attempts = () => tenants.flatMap((tenant) => tenant.attempts)
/** Tasks that were under way when their process was killed, and went on in another. */
const survivors = () =>
  attempts().filter(({ final }) => {
    const task = final === null ? null : JSON.parse(final)
    return task && deaths.some((at) => task.created_at < at && at < task.completed_at)
  })
function tell(done: number): void {
  const ended = new Map<string, number>()
  for (const { final } of attempts()) {
    const name = final === null ? 'open' : JSON.parse(final).ended_by
    ended.set(name, (ended.get(name) ?? 0) + 1)
  }
  const seconds = (performance.now() - from) / 1_000
  const acknowledged = attempts().filter((attempt) => attempt.acknowledged).length
  const parts = [
    `round ${done}/${rounds}`,
    `${values.store}, ${values.transport}, seed ${seed}`,
    `tasks ${attempts().length} (${acknowledged} acknowledged): ${[...ended].map((pair) => pair.reverse().join(' ')).join(', ')}`,
    `lived through a kill ${survivors().length}`,
    `calls ${tenants.reduce((sum, { browser }) => sum + browser.calls.length, 0)}`,
    `payments ${tenants.reduce((sum, { payments }) => sum + payments.length, 0)}`,
    `kills ${[...faults].map((pair) => pair.reverse().join(' ')).join(', ')}`,
    `${(seconds / done).toFixed(2)} s a round, ${Math.round(starts.reduce((sum, ms) => sum + ms, 0) / starts.length)} ms a start`,
    `${wrong.length} wrong`,
  ]
  console.log(parts.join('  ·  '))
}

let startMs = 500
let done = 0
while (done < rounds && wrong.length === 0) {
  const result = await round(service, tenants, random, startMs, mongod)
  done++
  startMs = result.startMs
  starts.push(startMs)
  deaths.push(result.killedAt)
  faults.set(result.fault, (faults.get(result.fault) ?? 0) + 1)
  wrong.push(...result.wrong)
  if (done % SETTLED_EVERY === 0 || done === rounds) {
    await settled()
    tell(done)
  }
}
// All that ever ended is still what it was.
for (const tenant of tenants) for (const attempt of tenant.attempts) wrong.push(...(await read(tenant, attempt)))
if (wrong.length > 0) {
  // What it logged, without its greetings.
  const logged = service.output.split('\n').filter((line) => line.startsWith('{') || line.startsWith('The service'))
  console.log([...wrong.slice(0, SHOWN_MAX), ...logged.slice(-SHOWN_MAX)].join('\n'))
}
tell(done)
for (const { browser } of tenants) browser.disconnect()
await service.kill()
await eventually(() => service.exit !== null, 'its end')
await model.endpoint.close()
await closeReceivers()
await mongo?.kill()
process.exitCode = wrong.length > 0 ? 1 : 0
