import type { Random } from '../simulation/random.ts'
import type { TestService } from '../support/service.ts'
import { read } from './checks.ts'
import { cancelSome, mayStart, openAttempts, paySome, startSome, type Tenant } from './tenant.ts'

export type Fault = 'work' | 'start-up' | 'shutdown' | 'payments' | 'database'

/** A database that is killed and started again under the service. */
export interface Database {
  kill(): Promise<void>
  start(): Promise<void>
}

const STARTS_MAX = 8
const WORK_MS_MAX = 500
/** Starts are still being answered. */
const ACCEPTING_MS_MAX = 15
const SHUTDOWN_MS_MAX = 60
const PAYMENTS_MS_MAX = 25
const AGAIN_MAX = 6
const AWAY_MS_MAX = 3_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * One round on a service that answers: work is given to it, and it is killed at a moment of chance. It comes back
 * answering. Resolves to the fault, when it struck, how long its start took, and what was wrong with tasks that were read meanwhile.
 */
export async function round(
  service: TestService,
  tenants: readonly Tenant[],
  random: Random,
  startMs: number,
  database: Database | null = null,
): Promise<{ fault: Fault; killedAt: number; startMs: number; wrong: string[] }> {
  const fault = database && random.chance(0.3) ? 'database' : faultOf(random)
  const wrong: string[] = []
  for (const tenant of tenants) {
    const known = tenant.attempts.filter(({ id }) => id !== null)
    const again = known.filter(({ final }) => final !== null).slice(-AGAIN_MAX)
    const looked = [...known.filter(({ final }) => final === null), ...(again.length > 0 ? [random.pick(again)] : [])]
    for (const attempt of looked) wrong.push(...(await read(tenant, attempt)))
  }
  // Browsers come back a moment after the service answers; some starts do not wait for them.
  if (random.chance(0.9)) await Promise.all(tenants.map(({ browser }) => browser.registered()))
  const sent: Promise<void>[] = []
  const willing = tenants.filter(mayStart)
  const starts = willing.length === 0 ? 0 : random.whole(fault === 'work' ? 2 : 1, STARTS_MAX)
  for (let count = 0; count < starts; count++) sent.push(startSome(random.pick(willing), random))
  // A machine or a database that starts slowly works slowly, too.
  const workMs = random.between(0, random.chance(0.4) ? ACCEPTING_MS_MAX : Math.max(WORK_MS_MAX, startMs))
  await pause(workMs / 3)
  const busy = tenants.filter((tenant) => openAttempts(tenant).length > 0)
  if (busy.length > 0 && random.chance(0.3)) sent.push(cancelSome(random.pick(busy), random))
  await pause((workMs * 2) / 3)
  for (let count = random.whole(fault === 'payments' ? 3 : 0, fault === 'payments' ? 8 : 1); count > 0; count--) {
    sent.push(paySome(random.pick(tenants), random))
  }
  if (random.chance(0.05)) forget(random.pick(tenants))
  if (fault === 'payments') await pause(random.between(0, PAYMENTS_MS_MAX))
  if (service.exit) wrong.push(`died: ${JSON.stringify(service.exit)}`)
  if (fault === 'shutdown') await shutDown(service, tenants, random)
  if (fault === 'database' && database) {
    await database.kill()
    // The service lives on, for a moment or until the database is back.
    await pause(random.between(0, AWAY_MS_MAX))
    await database.start()
    if (random.chance(0.5)) await pause(random.between(0, AWAY_MS_MAX))
    if (service.exit) wrong.push(`died with its database: ${JSON.stringify(service.exit)}`)
  }
  const killedAt = Date.now()
  await service.kill()
  await Promise.all(sent)
  service.spawn()
  if (fault === 'start-up') {
    await pause(random.between(0, startMs * 1.2))
    await service.kill()
    service.spawn()
  }
  return { fault, killedAt, startMs: await service.answers(), wrong }
}

function faultOf(random: Random): Fault {
  const chosen = random.unit()
  if (chosen < 0.55) return 'work'
  if (chosen < 0.7) return 'start-up'
  return chosen < 0.85 ? 'shutdown' : 'payments'
}

function forget(tenant: Tenant): void {
  if (tenant.protocol === 1) return
  tenant.forgot = true
  tenant.browser.forget()
}

async function shutDown(service: TestService, tenants: readonly Tenant[], random: Random): Promise<void> {
  for (const attempt of tenants.flatMap(openAttempts)) attempt.interrupted = true
  service.signal('SIGTERM')
  await pause(random.between(0, SHUTDOWN_MS_MAX))
}
