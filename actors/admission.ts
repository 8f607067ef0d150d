import { admissionAddress, taskAddress, workspaceAddress } from '../machines/addresses.ts'
import { type AdmissionInput, type AdmissionOutput, admissionMachine, type Facts } from '../machines/admission.ts'
import { TASK_DEADLINE_MS } from '../machines/limits.ts'
import { type Ms, NO_USAGE, type SessionRecord, type TaskRecord } from '../machines/records.ts'
import type { WorkspaceContext } from '../machines/workspace-checks.ts'
import { readAllowance } from './allowance.ts'
import { answering } from './effects.ts'
import { sessionContext } from './session.ts'
import { rowOf } from './snapshots.ts'
import type { World } from './world.ts'

/**
 * Asks the workspace for an admission, and resolves to how it ended; to `undefined` when it broke or never began.
 * It may be over before a post returns: it is waited for from the moment of its start.
 */
export function decision(
  { registry }: World,
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

/** Resolves when the task is not being admitted any more: its record is in the lists a moment before it begins. */
export async function admitted({ registry, starts }: World, taskId: string): Promise<void> {
  for (const [admissionId, start] of starts) {
    if (start.taskId === taskId) await registry.whenDone(admissionAddress(admissionId))
  }
}

/** A request to start a task, alive. */
export const admissionActor = (world: World) =>
  admissionMachine.provide({
    actors: {
      lookUp: answering(world.registry, ({ admissionId }) => lookUp(world, admissionId)),
      keepRecord: answering(world.registry, ({ admissionId, decidedAt }) => keepRecord(world, admissionId, decidedAt)),
    },
    actions: { post: (_, { to, event }) => void world.registry.post(to, event) },
  })

async function lookUp(world: World, admissionId: string) {
  const { start } = pending(world, admissionId)
  const { store, clock } = world.ports
  // Before the allowance is read: what is released meanwhile makes it stale.
  const released = releasedOf(world, start.workspaceId)
  const [allowance, record] = await Promise.all([
    readAllowance(world.ports, start.workspaceId, start.door),
    store.sessions.get(start.request.browserSessionId),
  ])
  const facts: Facts = { allowance, released, session: sessionFacts(world, start.workspaceId, record) }
  return { type: 'facts.found', facts, at: clock.now() }
}

const releasedOf = (world: World, workspaceId: string): number =>
  (world.registry.snapshot(workspaceAddress(workspaceId))?.context as WorkspaceContext | undefined)?.released ?? 0

const sessionFacts = (world: World, workspaceId: string, record: SessionRecord | null): Facts['session'] =>
  record === null
    ? 'missing'
    : {
        own: record.workspaceId === workspaceId,
        connected: (sessionContext(world, record.id)?.socket ?? null) !== null,
        expiresAt: record.expiresAt,
      }

/** [D] The record and a row that says `not begun` are durable before the start is granted. */
async function keepRecord(world: World, admissionId: string, at: Ms) {
  const kept = pending(world, admissionId)
  const { start } = kept
  const apiKeyId = start.apiKeyId ?? (await payingKey(world, start.workspaceId))
  const record = recordOf(world, admissionId, apiKeyId, at)
  const row = rowOf(taskAddress(record.id), record.createdAt, null)
  const commit = world.ports.store.commit([
    { kind: 'task.insert', record },
    { kind: 'actor.put', row },
  ])
  await commit.catch((error: unknown) => {
    // A part of it may be there; whoever ends the task knows nothing of the row.
    world.keeper.forget(taskAddress(record.id))
    throw error
  })
  kept.record = record
  world.granted.set(record.id, record)
  return { type: 'record.kept' }
}

function recordOf(world: World, admissionId: string, apiKeyId: string, at: Ms): TaskRecord {
  const { start, taskId } = pending(world, admissionId)
  return {
    ...start.request,
    id: taskId,
    workspaceId: start.workspaceId,
    apiKeyId,
    door: start.door,
    requestId: start.requestId,
    status: 'running',
    answer: null,
    steps: 0,
    usage: NO_USAGE,
    failure: null,
    endedBy: null,
    createdAt: at,
    deadlineAt: at + TASK_DEADLINE_MS,
    completedAt: null,
  }
}

/** [T] The workspace's first key, or the workspace itself when it has none. */
export async function payingKey(world: World, workspaceId: string): Promise<string> {
  const [first] = await world.ports.store.keys.list(workspaceId)
  return first?.id ?? workspaceId
}

function pending(world: World, admissionId: AdmissionInput['admissionId']) {
  const start = world.starts.get(admissionId)
  if (!start) throw new Error(`Admission ${admissionId} has lost its words`)
  return start
}
