import type { BrowserLocale } from '../machines/account-records.ts'
import { closingAddress, serviceAddress, taskAddress, workspaceAddress } from '../machines/addresses.ts'
import { ALLOWANCE_READS_MAX, ALLOWANCE_WAIT_MS } from '../machines/limits.ts'
import { type Ms, NO_USAGE, type TaskRecord, type TaskRequest } from '../machines/records.ts'
import { REFUSALS, type RefusalCode } from '../machines/texts.ts'
import { uuidAt } from '../machines/uuid.ts'
import { costLimitOf, type WorkspaceLimits } from '../machines/workspace-limits.ts'
import type { Decision } from '../machines/workspace-types.ts'
import { payingKey } from './api-key-id.ts'
import { chosenModel } from './conversation/chosen-model.ts'
import { recordBrowser } from './events/task-events.ts'
import { LEFT_START_MS_MAX, TASK_DEADLINE_MS } from './limits.ts'
import { needPool } from './pools.ts'
import { queueingOf, withQueuePosition } from './queue.ts'
import type { ActorSystem, PendingStart } from './runtime/actor-system.ts'
import { messageOf, within } from './runtime/effects.ts'
import { StoreUnwritable } from './runtime/ports.ts'
import { rowOf } from './runtime/snapshot-writer.ts'
import { gaveUp } from './service.ts'
import { factsOf, isConnected } from './start-facts.ts'
import type { Refusal, StartAnswer, StartTask } from './task-service.ts'
import { beginTask, ensureWorkspace } from './workspace.ts'

const refusalOf = (code: RefusalCode): Refusal => ({
  code,
  message: REFUSALS[code],
  allowance: null,
  retryAfterSeconds: null,
})
const refused = (code: RefusalCode): StartAnswer => ({ ok: false, refusal: refusalOf(code) })
const failed = (error: unknown): Refusal => refusalOf(error instanceof StoreUnwritable ? 'store_away' : 'internal')

/** `TaskService.startTask`. */
export async function startTask(system: ActorSystem, start: StartTask): Promise<StartAnswer> {
  const { registry, ports, vitals, starts } = system
  const { clock, ids, log } = ports
  const { workspaceId, door } = start
  if (!registry.snapshot(serviceAddress)?.hasTag('admitting')) return refused('service_stopping')
  if (chosenModel(ports.model, start.request.model).configured === false) return refused('model_not_configured')
  if (gaveUp(system, workspaceAddress(workspaceId))) return refused('workspace_failed')
  const taskId = start.taskId ?? uuidAt(clock.now(), ids.uuid())
  // [E23] What an earlier attempt under this id has left is being ended.
  if (starts.has(taskId) || registry.has(closingAddress(taskId)))
    return { ok: false, refusal: { ...refusalOf('store_away'), left: true } }

  const pending: PendingStart = { workspaceId, decide: null, over: Promise.resolve() }
  starts.set(taskId, pending)
  const admission = admit(system, start, taskId, pending)
    .catch((error: unknown): Refusal => {
      log.error({ taskId, err: messageOf(error) }, 'A start failed')
      return failed(error)
    })
    .finally(() => starts.delete(taskId))
  pending.over = admission
  const outcome = await admission
  if ('code' in outcome) {
    const { code } = outcome
    vitals.send({ type: 'refused', code })
    log.info({ workspaceId, code }, 'A task was refused')
    const left = start.taskId !== undefined && (await mayBeLeft(system, taskId)) ? ({ left: true } as const) : {}
    return { ok: false, refusal: { ...outcome, ...left } }
  }
  vitals.send({ type: 'granted' })
  const sessionId = outcome.browserSessionId
  log.info({ taskId, workspaceId, sessionId, door }, 'A task was started')
  // A granted start is answered from memory: the task runs, whatever a read would return now.
  return { ok: true, task: withQueuePosition(system, outcome) }
}

/**
 * [T7–T13, T22] Reads what the checks need, has the workspace make all of them in one transition, writes the record, and begins
 * the task. A start is granted only when its record is durable; a refused one never holds a slot.
 */
async function admit(
  system: ActorSystem,
  start: StartTask,
  taskId: string,
  pending: PendingStart,
): Promise<TaskRecord | Refusal> {
  const { registry, ports } = system
  const { workspaceId, door, request } = start
  const workspace = workspaceAddress(workspaceId)
  ensureWorkspace(system, workspaceId)
  if (request.browser?.pool != null) await needPool(system, workspaceId, request.browser.pool)
  for (let reads = 1; ; reads++) {
    const { browserSessionId, browser = null } = request
    const about = { workspaceId, door, browserSessionId, browser }
    const { facts, limits } = await factsOf(system, about, reads === 1 ? start.reads : undefined)
    const at = ports.clock.now()
    const final = reads >= ALLOWANCE_READS_MAX
    const event = { type: `admission.${door}`, taskId, queueing: queueingOf(start), facts, final, at }
    const decision = await new Promise<Decision | null>((resolve) => {
      pending.decide = (decided) => {
        pending.decide = null
        resolve(decided)
      }
      if (!registry.post(workspace, event)) pending.decide(null)
    })
    if (decision === null) return refusalOf('internal')
    if (decision.type === 'refused') return decision.refusal
    if (decision.type === 'stale') {
      // A task of this workspace is being charged: the remaining allowance is known shortly.
      await new Promise<void>((resolve) => ports.clock.setTimeout(resolve, ALLOWANCE_WAIT_MS))
      continue
    }
    try {
      const own = decision.sessionId
      const placed = own === undefined ? start : { ...start, request: { ...request, browserSessionId: own } }
      const record = await keepRecord(system, placed, taskId, limits, decision.waitsFor, at)
      // The service was stopped meanwhile: the task begins when it is started again, here or elsewhere.
      if (!registry.has(workspace)) return refusalOf('internal')
      if (!record.queued && !record.continuesTaskId) system.conversations.begin(record)
      beginTask(system, record)
      if (record.queued) registry.post(workspace, { type: 'queue.ready', taskId })
      return record
    } catch (error) {
      // The slot is freed, and whatever was written is ended.
      registry.post(workspace, { type: 'start.failed', taskId, message: messageOf(error), at: ports.clock.now() })
      throw error
    }
  }
}

/**
 * [E23] Whether a start that failed may have left something: it is being ended, and that was not done in a moment. Should
 * its owner be lost before, it runs at the next one.
 */
async function mayBeLeft({ registry, ports: { clock } }: ActorSystem, taskId: string): Promise<boolean> {
  const closing = closingAddress(taskId)
  await within(clock, LEFT_START_MS_MAX, new AbortController().signal, () => registry.whenDone(closing))
  return registry.has(closing)
}

/** [T22] The record, and a row that says `not begun`, are durable before the start is granted. */
async function keepRecord(
  system: ActorSystem,
  start: StartTask,
  taskId: string,
  limits: WorkspaceLimits,
  queued: 'limit' | 'browser' | null,
  at: Ms,
): Promise<TaskRecord> {
  const { events, snapshotWriter, ports } = system
  const apiKeyId = start.apiKeyId ?? (await payingKey(system, start.workspaceId))
  const record = recordOf(system, start, taskId, apiKeyId, limits, queued, at)
  const created = events.begin(record)
  const commit = ports.store.commit([
    { kind: 'actor.put', row: rowOf(taskAddress(taskId), at, null) },
    { kind: 'task.insert', record },
    created.write(),
  ])
  await commit.catch((error: unknown) => {
    created.settled(false)
    events.forget(taskId)
    // It may be kept still; the code that ends the task does not know of the row.
    snapshotWriter.markDeleted(start.workspaceId, taskAddress(taskId))
    throw error
  })
  created.settled(true)
  // The browser may have disconnected since the checks.
  if (queued !== 'browser' && record.browserSessionId !== '' && !isConnected(system, record.browserSessionId)) {
    recordBrowser(system, record.browserSessionId, false, ports.clock.now())
  }
  return record
}

/** [R51, Z8] The language and time zone of a task's browser, as the task has set them or as they are. */
function localeOf({ browserLocales }: ActorSystem, { browser, browserSessionId }: TaskRequest): BrowserLocale | null {
  const { locale, timeZone } = browser?.context ?? {}
  const own = browserLocales.get(browserSessionId) ?? null
  if (locale === undefined && timeZone === undefined) return own
  return { locale: locale ?? own?.locale ?? null, timeZone: timeZone ?? own?.timeZone ?? null }
}

function recordOf(
  system: ActorSystem,
  start: StartTask,
  taskId: string,
  apiKeyId: string,
  limits: WorkspaceLimits,
  queued: 'limit' | 'browser' | null,
  at: Ms,
): TaskRecord {
  const { waiting, request } = start
  const maxCostUsd = costLimitOf(request.maxCostUsd, limits)
  const until = at + ((queued === 'browser' ? waiting?.waitTtlMs : queued && waiting?.queueTtlMs) ?? 0)
  return {
    ...request,
    id: taskId,
    workspaceId: start.workspaceId,
    apiKeyId,
    door: start.door,
    requestId: start.requestId,
    browserLocale: localeOf(system, request),
    status: 'running',
    answer: null,
    steps: 0,
    usage: NO_USAGE,
    failure: null,
    endedBy: null,
    createdAt: at,
    deadlineAt: until + TASK_DEADLINE_MS,
    completedAt: null,
    ...(queued && waiting ? { queued: { priority: waiting.priority, until } } : {}),
    ...(waiting?.onAway ? { browserWaitMs: waiting.waitTtlMs } : {}),
    ...(maxCostUsd === null ? {} : { maxCostUsd }),
    ...(start.fingerprints ? { fingerprints: start.fingerprints } : {}),
    ...(start.secrets ? { secrets: start.secrets.known, sealedSecrets: start.secrets.sealed } : {}),
  }
}
