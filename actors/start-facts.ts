import { parseAddress, taskAddress, workspaceAddress } from '../machines/addresses.ts'
import type { Door, SessionRecord, TaskRecord } from '../machines/records.ts'
import type { SessionContext } from '../machines/session.ts'
import type { TaskContext } from '../machines/task-types.ts'
import { type WorkspaceLimits, withDefaults } from '../machines/workspace-limits.ts'
import type { Facts, WorkspaceContext } from '../machines/workspace-types.ts'
import { readAllowance } from './allowance.ts'
import { START_READS_MS_MAX } from './limits.ts'
import type { Messages } from './runtime/actor-system.ts'
import { sessionContext } from './session.ts'
import type { StartReads } from './task-service.ts'

/** Begins to read what the checks of a start need of its workspace. */
export function readForStart(system: Pick<Messages, 'registry' | 'ports'>, workspaceId: string, door: Door = 'http') {
  const { ports } = system
  const reads: StartReads = {
    at: ports.clock.now(),
    slotVersion: workspaceContext(system, workspaceId)?.slotVersion ?? 0,
    allowance: readAllowance(ports, workspaceId, door),
    limits: ports.store.limits.get(workspaceId).then(withDefaults),
  }
  // A start that is refused before does not wait for them.
  Promise.all([reads.allowance, reads.limits]).catch(() => {})
  return reads
}

/** [T7–T13] What the checks of a start need. The workspace receives changed limits before the facts that it decides on. */
export async function factsOf(
  system: Pick<Messages, 'registry' | 'ports'>,
  {
    workspaceId,
    door,
    browserSessionId,
    browser,
  }: Pick<TaskRecord, 'workspaceId' | 'door' | 'browserSessionId' | 'browser'>,
  before?: StartReads,
): Promise<{ readonly facts: Facts; readonly limits: WorkspaceLimits }> {
  const { clock, store } = system.ports
  const pool = browser?.pool ?? null
  const isFresh = before && clock.now() - before.at <= START_READS_MS_MAX
  const reads = isFresh ? before : readForStart(system, workspaceId, door)
  // A session whose browser is connected is known from its actor: one that was removed has none.
  const known =
    pool === null ? (connectedSession(system, browserSessionId) ?? store.sessions.get(browserSessionId)) : null
  const [allowance, limits, record] = await Promise.all([reads.allowance, reads.limits, known])
  applyLimits(system, workspaceId, limits)
  const session =
    pool === null ? sessionFacts(system, workspaceId, browserSessionId, record) : { pool, profile: browser?.profile }
  return { facts: { allowance, slotVersion: reads.slotVersion, session }, limits }
}

/** [Z2] A browser of a pool is given out by its workspace alone: for a start that names it, it is not connected. */
const sessionFacts = (
  system: Pick<Messages, 'registry'>,
  workspaceId: string,
  sessionId: string,
  known: Pick<SessionRecord, 'workspaceId' | 'expiresAt'> | null,
): Facts['session'] => {
  if (known === null) return 'missing'
  const socket = connectedSession(system, sessionId)?.socket
  return {
    own: known.workspaceId === workspaceId,
    connected: socket != null && !socket.pool,
    expiresAt: known.expiresAt,
  }
}

/** The context of a session whose browser is connected. */
function connectedSession(system: Pick<Messages, 'registry'>, sessionId: string): SessionContext | null {
  const context = sessionContext(system, sessionId)
  return context?.socket ? context : null
}

/** Whether the browser of a session is connected. */
export const isConnected = (system: Pick<Messages, 'registry'>, sessionId: string): boolean =>
  connectedSession(system, sessionId) !== null

/** The context of a workspace's actor; `undefined` if it is not running. */
export const workspaceContext = (
  { registry }: Pick<Messages, 'registry'>,
  workspaceId: string,
): WorkspaceContext | undefined =>
  registry.snapshot(workspaceAddress(workspaceId))?.context as WorkspaceContext | undefined

/** The context of a task's actor; `undefined` if it is not running. */
export const taskContext = ({ registry }: Pick<Messages, 'registry'>, taskId: string): TaskContext | undefined =>
  registry.snapshot(taskAddress(taskId))?.context as TaskContext | undefined

/** [O9] Sends limits that were read to the actor of their workspace, if they have changed. */
function applyLimits({ registry }: Pick<Messages, 'registry'>, workspaceId: string, limits: WorkspaceLimits): void {
  const known = workspaceContext({ registry }, workspaceId)?.limits
  const names = Object.keys(limits) as (keyof WorkspaceLimits)[]
  if (known && names.some((name) => known[name] !== limits[name]))
    registry.post(workspaceAddress(workspaceId), { type: 'limits.changed', limits })
}

/** For workspaces with a queue: while starts wait for a slot or for the rate limit, nothing else reads the limits. */
export async function refreshLimits(system: Pick<Messages, 'registry' | 'ports'>): Promise<void> {
  for (const { address } of [...system.registry.list()]) {
    const { actorKind, id } = parseAddress(address)
    if (actorKind !== 'workspace') continue
    if ((workspaceContext(system, id)?.queue.starts.length ?? 0) === 0) continue
    applyLimits(system, id, withDefaults(await system.ports.store.limits.get(id)))
  }
}
