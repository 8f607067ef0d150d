import type { RunningTaskService } from '../../actors/create-task-service.ts'
import { TASK_DEADLINE_MS } from '../../actors/limits.ts'
import type { ActorSystem } from '../../actors/runtime/actor-system.ts'
import {
  type Address,
  callAddress,
  closingAddress,
  parseAddress,
  taskAddress,
  workspaceAddress,
} from '../../machines/addresses.ts'
import {
  CALL_STALE_MS,
  CALL_SWEEP_EVERY_MS,
  MINUTE_MS,
  RUNNING_TASKS_MAX,
  SECOND_MS,
  START_WINDOW_MS,
} from '../../machines/limits.ts'
import type { SessionContext } from '../../machines/session.ts'
import type { TaskContext } from '../../machines/task-types.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import type { WorkspaceContext } from '../../machines/workspace-types.ts'
import type { Kept } from './database/kept.ts'
import type { Plan } from './plan.ts'
import type { Watch } from './watch.ts'

const DEADLINE_LATE_MS_MAX = 100

/** A service that runs. */
export interface Running {
  readonly actors: Pick<RunningTaskService, 'system'>
}

/** The context of an actor that is listed: between two events all of them have begun. */
function contextOf<Context>(system: ActorSystem, address: Address): Context {
  const snapshot = system.registry.snapshot(address)
  if (!snapshot) throw new Error(`${address} has not begun`)
  return snapshot.context as Context
}

/** What must hold between any two events of a living process. */
export function checkActors({ actors: { system } }: Running, kept: Kept, watch: Watch, now: number): void {
  const { registry } = system
  const held = new Set<string>()
  const queued = new Set<string>()
  const pending = new Set<string>()
  for (const { address } of registry.list()) {
    const { actorKind, id } = parseAddress(address)
    if (actorKind === 'workspace') {
      const { running } = contextOf<WorkspaceContext>(system, address)
      const taskIds = Object.keys(running)
      if (taskIds.length > RUNNING_TASKS_MAX) watch.broken(`${address} gave out ${taskIds.length} places`)
      for (const taskId of taskIds) {
        held.add(taskId)
        const owned =
          registry.has(taskAddress(taskId)) || registry.has(closingAddress(taskId)) || system.starts.has(taskId)
        if (!owned) watch.broken(`${address} holds a place for ${taskId}, which nobody runs`)
      }
    } else if (actorKind === 'session') {
      const { calls } = contextOf<SessionContext>(system, address)
      for (const requestId of Object.keys(calls)) {
        pending.add(requestId)
        if (!registry.has(callAddress(requestId))) watch.broken(`${address} holds the call ${requestId}, which is over`)
      }
    } else if (actorKind === 'task') {
      const { begun, deadlineAt } = contextOf<TaskContext>(system, address)
      const record = kept.tasks.get(id)
      if (record?.queued && begun) watch.begun(record, deadlineAt - TASK_DEADLINE_MS)
      if (!begun) {
        queued.add(id)
        watch.waits(id)
      }
      if (kept.tasks.get(id)?.status !== 'running') watch.broken(`${address} runs, and its record does not say so`)
      if (registry.has(closingAddress(id))) watch.broken(`${address} runs and is being closed`)
    }
  }
  for (const { address, startedAt } of registry.list()) {
    const { actorKind, id } = parseAddress(address)
    if (actorKind === 'task' && !held.has(id) && !queued.has(id)) watch.broken(`${address} runs without a place`)
    if (actorKind === 'task' && held.has(id) && queued.has(id)) watch.broken(`${address} is queued and has a place`)
    if (actorKind !== 'call') continue
    if (!pending.has(id)) watch.broken(`${address} is nobody's call`)
    if (now - startedAt > CALL_STALE_MS + CALL_SWEEP_EVERY_MS + 5 * SECOND_MS)
      watch.broken(`${address} is never settled`)
  }
}

/** [T8] Each task that runs and began within the window has its stamp, also after a crash. Only for a clock that never jumped. */
export function checkStamps({ actors: { system } }: Running, kept: Kept, watch: Watch, wallNow: number): void {
  for (const { address } of system.registry.list()) {
    const { actorKind, id } = parseAddress(address)
    const record = actorKind === 'task' ? kept.tasks.get(id) : undefined
    if (!record || record.door === 'internal') continue
    const { begun, deadlineAt } = contextOf<TaskContext>(system, address)
    const startedAt = record.queued ? deadlineAt - TASK_DEADLINE_MS : record.createdAt
    if (!begun || wallNow - startedAt >= START_WINDOW_MS) continue
    const { startTimes } = contextOf<WorkspaceContext>(system, workspaceAddress(record.workspaceId))
    if (!startTimes.includes(startedAt)) watch.broken(`${address} runs without a stamp of its start`)
  }
}

/** [T28] A task whose deadline passed ends at once, also one that comes back after it. Only for a clock that never jumped. */
export function checkDeadlines(
  { actors: { system } }: Running,
  watch: Watch,
  now: number,
  listeningSince: number,
): void {
  if (now - listeningSince < DEADLINE_LATE_MS_MAX) return
  for (const { address } of system.registry.list()) {
    if (parseAddress(address).actorKind !== 'task') continue
    const { deadlineAt } = contextOf<TaskContext>(system, address)
    if (now - deadlineAt > DEADLINE_LATE_MS_MAX) watch.broken(`${address} runs past its deadline`)
  }
}

/** Whether everything that was begun is over. */
export const isQuiet = ({ actors: { system } }: Running, kept: Kept): boolean =>
  kept.running().length === 0 &&
  (['task', 'closing', 'delivery', 'call'] as const).every((actorKind) => system.registry.count(actorKind) === 0) &&
  system.starts.size === 0 &&
  system.snapshotWriter.lag === 0 &&
  system.webhooks.isIdle

/** What must hold when everything that was begun is over. `late`: by how much a deadline may have been missed. */
export function checkEnd(
  running: Running,
  kept: Kept,
  watch: Watch,
  plan: Plan,
  payments: Payments,
  late: number,
): void {
  checkNothingLeft(running, watch)
  checkKept(kept, watch, plan, payments, late)
}

export function checkNothingLeft({ actors: { system } }: Running, watch: Watch): void {
  for (const { address } of system.registry.list()) {
    const { actorKind } = parseAddress(address)
    if (['task', 'closing', 'delivery', 'call'].includes(actorKind)) watch.broken(`${address} is left over`)
    if (actorKind !== 'workspace') continue
    const { running: places } = contextOf<WorkspaceContext>(system, address)
    if (Object.keys(places).length > 0) watch.broken(`${address} never got back ${Object.keys(places)}`)
  }
}

/** What must be kept when everything is over. */
export function checkKept(kept: Kept, watch: Watch, plan: Plan, payments: Payments, late: number): void {
  for (const row of kept.actors()) {
    const { actorKind } = parseAddress(row.address)
    if (actorKind !== 'workspace') watch.broken(`the row of ${row.address} is left over`)
  }
  for (const id of watch.acknowledged) {
    const status = kept.tasks.get(id)?.status
    if (status === undefined || status === 'running') watch.broken(`${id} was acknowledged and is ${status ?? 'lost'}`)
  }
  checkTasks(kept, watch, plan, late)
  checkResults(kept, watch)
  checkCredits(kept, watch, plan, payments)
}

/** These never come to an end by themselves, or wait for somebody. */
const TEDIOUS = /(endless|sluggish)$/

function checkTasks(kept: Kept, watch: Watch, plan: Plan, late: number): void {
  const hurries = late < 10 * MINUTE_MS && plan.queueing === 0 && plan.asking === 0 && plan.bugs === 0
  for (const task of kept.tasks.values()) {
    const { id, workspaceId, completedAt, createdAt, queued, requestId, webhookUrl, door } = task
    if (completedAt === null) continue
    // The time of a queued task begins when it leaves the queue.
    const begunBy = queued ? queued.until : createdAt
    if (completedAt - begunBy > TASK_DEADLINE_MS + MINUTE_MS + late) watch.broken(`${id} ran past its deadline`)
    // One that comes back goes on: it does not wait for its deadline.
    if (hurries && task.endedBy === 'time_limit' && !TEDIOUS.test(task.task))
      watch.broken(`${id} stood still until its deadline`)
    const usage = kept.usage.get(id)
    // Of a start that failed, and whose record came after that was noted, there is none: it used nothing.
    if (!usage && (task.steps > 0 || watch.acknowledged.has(id))) watch.broken(`${id} has no usage record`)
    else if (usage && (usage.inputTokens !== task.usage.inputTokens || usage.apiCalls !== task.usage.apiCalls)) {
      watch.broken(`the usage of ${id} is recorded otherwise than the task says`)
    }
    // [W9] Whatever died or stopped on the way.
    if (plan.bugs === 0 && webhookUrl !== null && door === 'http' && !watch.webhooks.has(id))
      watch.broken(`the webhook of ${id} never came`)
    // [W12] However often the receiver failed and the process died.
    if (plan.bugs === 0 && kept.endpoints.has(workspaceId) && !watch.hasDelivered(workspaceId, id))
      watch.broken(`the ending of ${id} never reached the endpoint of ${workspaceId}`)
    const calm = plan.deathAtWrite === 0 && plan.deathEveryMs === null && plan.storeMoodEveryMs === null
    if (!calm || plan.stopEveryMs !== null || plan.bugs > 0) continue
    if (requestId !== null && !watch.tried.has(id)) watch.broken(`the end of ${id} was never told`)
  }
  for (const id of kept.usage.keys()) if (!kept.tasks.has(id)) watch.broken(`usage of a task that is not: ${id}`)
}

const CHECK = TO_MODEL.checkAnswer([]).split('.')[0] ?? ''

/** [L25, L33, L35] Outputs fit, answers are checked once, and budgets are exceeded by one call at most. */
function checkResults(kept: Kept, watch: Watch): void {
  for (const task of kept.tasks.values()) {
    const { id, status, endedBy, output = null, outputSchema = null, maxSteps = null, maxTokens = null } = task
    const isDue = status === 'complete' && outputSchema !== null
    if (isDue !== (output !== null) && !['gave_up', 'budget', 'step_limit', 'time_limit'].includes(String(endedBy)))
      watch.broken(`${id} (${endedBy}) ${output === null ? 'has no output' : 'has an output'}`)
    if (isDue && JSON.parse(output ?? 'null')?.ok !== true) watch.broken(`the output of ${id} does not fit`)
    const journal = kept.journal(id)
    const replies = journal.filter((entry) => entry.kind === 'reply')
    const before = replies.slice(0, -1).map(({ usage }) => usage.inputTokens + usage.outputTokens)
    const spent = before.reduce((sum, tokens) => sum + tokens, 0)
    if (maxTokens !== null && spent > maxTokens) watch.broken(`${id} asked its model with its tokens used up`)
    if (maxSteps !== null && replies.length > maxSteps)
      watch.broken(`${id} made ${replies.length} of ${maxSteps} steps`)
    if (endedBy === 'budget' && maxSteps === null && maxTokens === null) watch.broken(`${id} has no budget`)
    const checked = journal.filter((entry) => entry.kind === 'result' && entry.text.startsWith(CHECK))
    if (checked.length > 1) watch.broken(`the answer of ${id} is checked ${checked.length} times`)
  }
}

/** What was paid in, by workspace. */
export type Payments = ReadonlyMap<string, number>

/** [B3] Each completed task took one place, no other task any, and what was paid in is there. */
function checkCredits(kept: Kept, watch: Watch, plan: Plan, payments: Payments): void {
  const taken = new Map<string, { free: number; credits: number }>()
  for (const { id, workspaceId, status, door } of kept.tasks.values()) {
    const charge = kept.charges.get(id)
    const charged = charge !== undefined && !charge.refunded
    const due = plan.billing !== null && status === 'complete' && door !== 'internal'
    if (charged !== due) watch.broken(`${id} (${status}, ${door}) ${charged ? 'was charged' : 'was not charged'}`)
    if (!charged) continue
    const sum = taken.get(workspaceId) ?? { free: 0, credits: 0 }
    taken.set(workspaceId, sum)
    if (charge.took === 'free') sum.free++
    else sum.credits++
  }
  for (const [workspaceId, paid] of payments) {
    const { free, credits } = taken.get(workspaceId) ?? { free: 0, credits: 0 }
    const left = kept.credits.get(workspaceId) ?? 0
    if (left !== paid - credits || left < 0)
      watch.broken(`${workspaceId}: ${paid} paid, ${credits} taken, ${left} left`)
    const used = [...kept.freeUsed].filter(([key]) => key.startsWith(workspaceId)).reduce((sum, [, n]) => sum + n, 0)
    if (used !== free) watch.broken(`${workspaceId}: ${used} free places used for ${free} tasks`)
  }
}
