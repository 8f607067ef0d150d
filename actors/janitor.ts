import { callAddress, closingAddress, parseAddress, taskAddress, workspaceAddress } from '../machines/addresses.ts'
import {
  AUDIT_RETENTION_DAYS_DEFAULT,
  CALL_SWEEP_EVERY_MS,
  DAY_MS,
  RETIRE_EVERY_MS,
  TASK_SWEEP_EVERY_MS,
  WORKSPACE_REST_EVERY_MS,
} from '../machines/limits.ts'
import type { Ms, TaskRecord } from '../machines/records.ts'
import { ANSWERS } from '../machines/texts.ts'
import { allLimits } from '../machines/workspace-limits.ts'
import {
  EXPIRED_SESSION_KEPT_MS,
  PAYMENT_EVENT_KEPT_MS_MIN,
  RETENTION_BATCH_MAX,
  RETIRED_TASKS_BATCH_MAX,
} from './limits.ts'
import { needOwnPool } from './pools.ts'
import { closeIfBrowserGone } from './queue.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { messageOf } from './runtime/effects.ts'
import { isOverdue } from './runtime/recovery.ts'
import { refreshLimits } from './start-facts.ts'
import { closeOrphan } from './workspace.ts'

/**
 * Sweeps what its own time-outs missed: stuck tasks every 5 minutes, stale calls every 30 seconds, idle workspaces every minute, and
 * what is older than it is to be kept. Each begins again a while after its last one ended. One that fails is only logged: the
 * next one comes. Returns a function that stops them.
 */
export function startSweeps(system: ActorSystem): () => void {
  const { clock, log } = system.ports
  const timers = new Map<string, unknown>()
  const every = (name: string, ms: Ms, sweep: (at: Ms) => Promise<number> | number) => {
    const run = async () => {
      try {
        const count = await sweep(clock.now())
        if (count > 0) log.info({ region: name, count }, 'Swept')
      } catch (error) {
        log.warn({ region: name, err: messageOf(error) }, 'A sweep failed; the next one comes')
      }
      if (timers.has(name)) rest()
    }
    const rest = () =>
      timers.set(
        name,
        clock.setTimeout(() => void run(), ms),
      )
    rest()
  }
  every('tasks', TASK_SWEEP_EVERY_MS, (at) => sweepTasks(system, at))
  every('calls', CALL_SWEEP_EVERY_MS, (at) => sweepCalls(system, at))
  every('workspaces', WORKSPACE_REST_EVERY_MS, async () => {
    await refreshLimits(system)
    needOwnPool(system)
    return sweepWorkspaces(system)
  })
  every('retention', RETIRE_EVERY_MS, (at) => retire(system, at))
  return () => {
    for (const timer of timers.values()) clock.clearTimeout(timer)
    timers.clear()
  }
}

/** [T29, T60] Ends tasks that have run for longer than 35 minutes, with or without an actor, and those queued for a browser that will not come. */
async function sweepTasks(system: ActorSystem, at: Ms): Promise<number> {
  let count = 0
  for await (const record of system.ports.store.tasks.running()) {
    if (isOverdue(record, system.registry.snapshot(taskAddress(record.id)), at)) endStuck(system, record, at)
    else if (!(await closeIfBrowserGone(system, record))) continue
    count++
  }
  return count
}

function endStuck(system: ActorSystem, record: TaskRecord, at: Ms): void {
  const { registry } = system
  if (registry.has(taskAddress(record.id))) registry.post(taskAddress(record.id), { type: 'task.sweep', at })
  else if (registry.has(closingAddress(record.id))) {
    registry.post(closingAddress(record.id), { type: 'tasks.sweep', at })
  } else closeOrphan(system, record, { endedBy: 'sweep', answer: ANSWERS.sweep, failure: 'timeout' }, at)
}

/** [R20] Asks every pending call to check its age. */
function sweepCalls(system: ActorSystem, at: Ms): number {
  for (const { address } of [...system.registry.list()]) {
    const { actorKind, id } = parseAddress(address)
    if (actorKind === 'call') system.registry.post(callAddress(id), { type: 'calls.sweep', at })
  }
  return 0
}

/**
 * [D20] Asks workspaces without sessions, tasks, closings and starts to stop; each decides by its start times and
 * its queue.
 */
function sweepWorkspaces({ registry, ports, starts }: ActorSystem): number {
  const actors = [...registry.list()]
  const supervisors = new Set<string | null>(actors.map(({ supervisor }) => supervisor))
  for (const { workspaceId } of starts.values()) supervisors.add(workspaceAddress(workspaceId))
  const before = registry.count('workspace')
  for (const { address } of actors) {
    if (parseAddress(address).actorKind !== 'workspace' || supervisors.has(address)) continue
    registry.post(address, { type: 'workspace.rest', at: ports.clock.now() })
  }
  return before - registry.count('workspace')
}

/** [D15] Removes what is older than it is to be kept, in batches so that nothing else waits. */
async function retire(system: ActorSystem, at: Ms): Promise<number> {
  return (system.sweepsAll ? await retireAll(system, at) : 0) + (await retireByLimits(system, at))
}

/** Pairings, sessions, finished tasks and other outdated records, of whatever workspace. */
async function retireAll(system: ActorSystem, at: Ms): Promise<number> {
  const { store } = system.ports
  await store.pairings.sweep(at)
  await store.claims.sweep(at)
  const before = at - system.retentionDays * DAY_MS
  let count = await store.sessions.sweep(at - EXPIRED_SESSION_KEPT_MS)
  // The payment provider resends events for days: they must be recognised as duplicates.
  const paymentsBefore = Math.min(before, at - PAYMENT_EVENT_KEPT_MS_MIN)
  count += await inBatches(system, (limit) => store.tasks.retire(before, limit), RETIRED_TASKS_BATCH_MAX)
  for (const [records, until] of [
    [store.deliveries, before],
    [store.usage, before],
    [store.ledger, paymentsBefore],
    [store.audit, at - auditDaysOf(system) * DAY_MS],
  ] as const)
    count += await inBatches(system, (limit) => records.retire(until, limit))
  await inBatches(system, (limit) => store.files.sweep(at, limit))
  return count
}

/** Runs until a batch is not full, and lets everything else have its turn between two. Resolves to how many there were. */
async function inBatches(
  { ports }: ActorSystem,
  run: (limit: number) => Promise<number>,
  limit = RETENTION_BATCH_MAX,
): Promise<number> {
  for (let count = 0; ; ) {
    const done = await run(limit)
    count += done
    if (done < limit) return count
    await new Promise<void>((resolve) => ports.clock.setTimeout(resolve, 0))
  }
}

const auditDaysOf = ({ auditRetentionDays = AUDIT_RETENTION_DAYS_DEFAULT }: ActorSystem): number => auditRetentionDays

/** [O9] [O13] Removes what workspaces keep for a shorter time than the service: ended tasks, parts of them, the audit log. */
async function retireByLimits(system: ActorSystem, at: Ms): Promise<number> {
  const { store } = system.ports
  let count = 0
  for await (const { workspaceId, limits } of store.limits.all()) {
    const { retentionDays, retentionDaysFiles, retentionDaysEvents, retentionDaysAudit } = allLimits(limits)
    const days = Math.min(retentionDays ?? system.retentionDays, system.retentionDays)
    const before = (kept: number) => at - kept * DAY_MS
    const tasks = (run: (limit: number) => Promise<number>) => inBatches(system, run, RETIRED_TASKS_BATCH_MAX)
    if (days < system.retentionDays)
      count += await tasks((limit) => store.tasks.retire(before(days), limit, workspaceId))
    for (const [what, each] of [
      ['files', retentionDaysFiles],
      ['events', retentionDaysEvents],
    ] as const)
      if (each !== null && each < days)
        count += await tasks((limit) => store.tasks.strip(workspaceId, what, before(each), limit))
    if (retentionDaysAudit !== null && retentionDaysAudit < auditDaysOf(system))
      count += await inBatches(system, (limit) => store.audit.retire(before(retentionDaysAudit), limit, workspaceId))
  }
  return count
}
