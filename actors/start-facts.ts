import { parseAddress, taskAddress, workspaceAddress } from '../machines/addresses.ts'
import type { Allowance, Door, Ms, SessionRecord, TaskRecord } from '../machines/records.ts'
import type { TaskContext } from '../machines/task-types.ts'
import { type WorkspaceLimits, withDefaults } from '../machines/workspace-limits.ts'
import type { Facts, WorkspaceContext } from '../machines/workspace-types.ts'
import type { Messages } from './runtime/actor-system.ts'
import type { Ports } from './runtime/ports.ts'
import { sessionContext } from './session.ts'

/** What the checks of a start need. */

/** The UTC month of a time, as the free tier counts it: `2026-11`. */
export const monthOf = (at: Ms): string => new Date(at).toISOString().slice(0, 7)

/** Without billing, and through the internal door, tasks are free. */
const FREE: Allowance = { freeRemaining: null, creditBalance: 0 }

/** [B1, B2] How many tasks a workspace may still complete, without those that are running. */
export async function readAllowance(
  { billing, store, clock }: Pick<Ports, 'billing' | 'store' | 'clock'>,
  workspaceId: string,
  door: Door,
): Promise<Allowance> {
  if (door === 'internal') return FREE
  const { freeUsed, credits } = await store.ledger.get(workspaceId, monthOf(clock.now()))
  return {
    freeRemaining: billing === null ? null : Math.max(0, billing.freePerMonth - freeUsed),
    creditBalance: credits,
  }
}

/** [T7–T13] What the checks of a start need. */
export async function factsOf(
  system: Pick<Messages, 'registry' | 'ports'>,
  {
    workspaceId,
    door,
    browserSessionId,
    browser,
  }: Pick<TaskRecord, 'workspaceId' | 'door' | 'browserSessionId' | 'browser'>,
): Promise<Facts> {
  const pool = browser?.pool ?? null
  // Read before the allowance: if a slot is released in between, the allowance counts as stale.
  const slotVersion = workspaceContext(system, workspaceId)?.slotVersion ?? 0
  const [allowance, record] = await Promise.all([
    readAllowance(system.ports, workspaceId, door),
    pool === null ? system.ports.store.sessions.get(browserSessionId) : null,
  ])
  const session = pool === null ? sessionFacts(system, workspaceId, record) : { pool, profile: browser?.profile }
  return { allowance, slotVersion, session }
}

/** [Z2] A browser of a pool is given out by its workspace alone: for a start that names it, it is not connected. */
const sessionFacts = (
  system: Pick<Messages, 'registry'>,
  workspaceId: string,
  record: SessionRecord | null,
): Facts['session'] =>
  record === null
    ? 'missing'
    : {
        own: record.workspaceId === workspaceId,
        connected: !record.pool && isConnected(system, record.id),
        expiresAt: record.expiresAt,
      }

/** Whether the browser of a session is connected. */
export const isConnected = (system: Pick<Messages, 'registry'>, sessionId: string): boolean =>
  (sessionContext(system, sessionId)?.socket ?? null) !== null

/** The context of a workspace's actor; `undefined` if it is not running. */
export const workspaceContext = (
  { registry }: Pick<Messages, 'registry'>,
  workspaceId: string,
): WorkspaceContext | undefined =>
  registry.snapshot(workspaceAddress(workspaceId))?.context as WorkspaceContext | undefined

/** The context of a task's actor; `undefined` if it is not running. */
export const taskContext = ({ registry }: Pick<Messages, 'registry'>, taskId: string): TaskContext | undefined =>
  registry.snapshot(taskAddress(taskId))?.context as TaskContext | undefined

/** [O9] Reads the current limits of a workspace, and sends them to its actor if they have changed. */
export async function readLimits(
  system: Pick<Messages, 'registry' | 'ports'>,
  workspaceId: string,
): Promise<WorkspaceLimits> {
  const limits = withDefaults(await system.ports.store.limits.get(workspaceId))
  const known = workspaceContext(system, workspaceId)?.limits
  const names = Object.keys(limits) as (keyof WorkspaceLimits)[]
  if (known && names.some((name) => known[name] !== limits[name]))
    system.registry.post(workspaceAddress(workspaceId), { type: 'limits.changed', limits })
  return limits
}

/** For workspaces with a queue: while starts wait for a slot or for the rate limit, nothing else reads the limits. */
export async function refreshLimits(system: Pick<Messages, 'registry' | 'ports'>): Promise<void> {
  for (const { address } of [...system.registry.list()]) {
    const { actorKind, id } = parseAddress(address)
    if (actorKind !== 'workspace') continue
    if ((workspaceContext(system, id)?.queue.starts.length ?? 0) > 0) await readLimits(system, id)
  }
}
