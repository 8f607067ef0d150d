import { admissionAddress, closingAddress, taskAddress, workspaceAddress } from '../machines/addresses.ts'
import { admissionMachine } from '../machines/admission.ts'
import type { AdmissionInput, AdmissionOutput, Facts } from '../machines/admission-types.ts'
import { type Ms, NO_USAGE, type SessionRecord, type TaskRecord } from '../machines/records.ts'
import { costLimitOf, DEFAULT_LIMITS } from '../machines/workspace-limits.ts'
import type { WorkspaceContext } from '../machines/workspace-types.ts'
import { readAllowance } from './allowance.ts'
import { recordBrowser } from './events/task-events.ts'
import { LEFT_START_MS_MAX, TASK_DEADLINE_MS } from './limits.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { answering, within } from './runtime/effects.ts'
import { rowOf } from './runtime/snapshot-writer.ts'
import { sessionContext } from './session.ts'
import { readLimits } from './workspace-limits.ts'

/**
 * Requests an admission from the workspace. Resolves to its outcome, or to `undefined` if it failed or was never started.
 * An admission may be over before a post returns, so this waits for it from the moment it starts.
 */
export function runAdmission(
  { registry }: ActorSystem,
  workspaceId: string,
  admissionId: string,
): Promise<AdmissionOutput | undefined> {
  return new Promise((resolve) => {
    registry.deliver(() => {
      registry.post(workspaceAddress(workspaceId), { type: 'start.requested', admissionId })
      registry.deliver(() => {
        void registry.whenDone(admissionAddress(admissionId)).then((output) => resolve(output as AdmissionOutput))
      })
    })
  })
}

/** Resolves when no admission of this task is pending: its record is listed shortly before the task begins. */
export async function whenAdmitted({ registry, starts }: ActorSystem, taskId: string): Promise<void> {
  for (const [admissionId, start] of starts) {
    if (start.taskId === taskId) await registry.whenDone(admissionAddress(admissionId))
  }
}

/**
 * [E23] Whether a start that failed may have left something: it is being ended, and that was not done in a moment. Should
 * its owner be lost before, it runs at the next one.
 */
export async function mayBeLeft({ registry, ports: { clock } }: ActorSystem, taskId: string): Promise<boolean> {
  const closing = closingAddress(taskId)
  await within(clock, LEFT_START_MS_MAX, new AbortController().signal, () => registry.whenDone(closing))
  return registry.has(closing)
}

/** Runs the admission of a request to start a task. */
export const admissionActor = (system: ActorSystem) =>
  admissionMachine.provide({
    actors: {
      lookUp: answering(system.registry, ({ admissionId }) => lookUp(system, admissionId)),
      keepRecord: answering(system.registry, ({ admissionId, decidedAt, queued }) =>
        keepRecord(system, admissionId, decidedAt, queued),
      ),
    },
    actions: { post: (_, { to, event }) => void system.registry.post(to, event) },
  })

async function lookUp(system: ActorSystem, admissionId: string) {
  const { door, workspaceId, request } = pending(system, admissionId).start
  // The workspace receives changed limits before the facts that it decides on.
  const [facts, limits] = await Promise.all([
    factsOf(system, { door, workspaceId, browserSessionId: request.browserSessionId }),
    readLimits(system, workspaceId),
  ])
  pending(system, admissionId).limits = limits
  return { type: 'facts.found', facts, at: system.ports.clock.now() }
}

/** [T7–T13] What the checks of a start need. */
export async function factsOf(
  system: ActorSystem,
  { workspaceId, door, browserSessionId }: Pick<TaskRecord, 'workspaceId' | 'door' | 'browserSessionId'>,
): Promise<Facts> {
  // Read before the allowance: if a slot is released in between, the allowance counts as stale.
  const slotVersion = slotVersionOf(system, workspaceId)
  const [allowance, record] = await Promise.all([
    readAllowance(system.ports, workspaceId, door),
    system.ports.store.sessions.get(browserSessionId),
  ])
  return { allowance, slotVersion, session: sessionFacts(system, workspaceId, record) }
}

const slotVersionOf = (system: ActorSystem, workspaceId: string): number =>
  (system.registry.snapshot(workspaceAddress(workspaceId))?.context as WorkspaceContext | undefined)?.slotVersion ?? 0

const isConnected = (system: ActorSystem, sessionId: string): boolean =>
  (sessionContext(system, sessionId)?.socket ?? null) !== null

const sessionFacts = (system: ActorSystem, workspaceId: string, record: SessionRecord | null): Facts['session'] =>
  record === null
    ? 'missing'
    : {
        own: record.workspaceId === workspaceId,
        connected: isConnected(system, record.id),
        expiresAt: record.expiresAt,
      }

/** [T22] The record, and a row that says `not begun`, are durable before the start is granted. */
async function keepRecord(system: ActorSystem, admissionId: string, at: Ms, queued: 'limit' | 'browser' | null) {
  const kept = pending(system, admissionId)
  const { start } = kept
  const apiKeyId = start.apiKeyId ?? (await payingKey(system, start.workspaceId))
  const record = recordOf(system, admissionId, apiKeyId, at, queued)
  const row = rowOf(taskAddress(record.id), record.createdAt, null)
  const created = system.events.begin(record)
  const commit = system.ports.store.commit([
    { kind: 'actor.put', row },
    { kind: 'task.insert', record },
    created.write(),
  ])
  await commit.catch((error: unknown) => {
    created.settled(false)
    system.events.forget(record.id)
    // It may be kept still; the code that ends the task does not know of the row.
    system.snapshotWriter.markDeleted(taskAddress(record.id))
    throw error
  })
  created.settled(true)
  // The browser may have disconnected since the checks.
  if (queued !== 'browser' && !isConnected(system, record.browserSessionId)) {
    recordBrowser(system, record.browserSessionId, false, system.ports.clock.now())
  }
  kept.record = record
  system.granted.set(record.id, record)
  return { type: 'record.kept' }
}

function recordOf(
  system: ActorSystem,
  admissionId: string,
  apiKeyId: string,
  at: Ms,
  queued: 'limit' | 'browser' | null,
): TaskRecord {
  const { start, taskId, limits = DEFAULT_LIMITS } = pending(system, admissionId)
  const { waiting, request } = start
  const maxCostUsd = costLimitOf(request.maxCostUsd, limits)
  const until = at + ((queued === 'browser' ? waiting?.waitTtlMs : queued && waiting?.queueTtlMs) ?? 0)
  return {
    ...start.request,
    id: taskId,
    workspaceId: start.workspaceId,
    apiKeyId,
    door: start.door,
    requestId: start.requestId,
    browserLocale: system.browserLocales.get(start.request.browserSessionId) ?? null,
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
    ...(start.secrets ? { secrets: start.secrets.known, sealedSecrets: start.secrets.sealed } : {}),
  }
}

/** [T23] The id of the workspace's first key, or of the workspace itself if it has no keys. */
export async function payingKey(system: Pick<ActorSystem, 'ports'>, workspaceId: string): Promise<string> {
  const [first] = await system.ports.store.keys.list(workspaceId)
  return first?.id ?? workspaceId
}

function pending(system: ActorSystem, admissionId: AdmissionInput['admissionId']) {
  const start = system.starts.get(admissionId)
  if (!start) throw new Error(`Admission ${admissionId} has no pending request`)
  return start
}
