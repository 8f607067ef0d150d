import { parseAddress, workspaceAddress } from '../machines/addresses.ts'
import type { SessionRecord, TaskRecord } from '../machines/records.ts'
import { TO_BROWSER } from '../machines/texts.ts'
import { poolsOf } from '../machines/workspace-checks.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { workspaceContext } from './start-facts.ts'

/** [Z4] Resolves when the service's own browsers run, if the pool is theirs, or when none came in time. */
export async function needPool(
  { ports }: Pick<ActorSystem, 'ports'>,
  workspaceId: string,
  pool: string,
): Promise<void> {
  const { ownPool } = ports
  if (ownPool?.name === pool) await ownPool.need(workspaceId)
}

/** [Z4] Tasks that wait for the service's own browsers, after a restart or when the last one failed, have them started again. */
export function needOwnPool(system: ActorSystem): void {
  const { registry, ports } = system
  if (!ports.ownPool) return
  for (const { address } of [...registry.list()]) {
    const { actorKind, id } = parseAddress(address)
    const context = actorKind === 'workspace' ? workspaceContext(system, id) : undefined
    const count = context && poolsOf(context).get(ports.ownPool.name)
    if (count && count.waiting > 0 && count.places === 0) void needPool(system, id, ports.ownPool.name)
  }
}

/** [Z5] A running task asks its workspace for another browser of its pool. */
export async function wantPlace(
  system: ActorSystem,
  { taskId, workspaceId, pool }: { taskId: string; workspaceId: string; pool: string },
): Promise<null> {
  system.registry.post(workspaceAddress(workspaceId), { type: 'place.wanted', taskId, pool })
  return null
}

/** [Z2, Z5] A task of a pool has its browser, or another one: its log says so, and frames about it go there. */
export function recordMove(system: ActorSystem, taskId: string, sessionId: string): void {
  const left = system.events.moveTo(taskId, sessionId)
  if (left === null) return
  system.events.append(taskId, {
    type: 'browser.connected',
    at: system.ports.clock.now(),
    browser_session_id: sessionId,
  })
  if (left !== '') sendTaskLeft(system, left, taskId)
}

/** [Z5] The browser has this task no more: it closes its context. One that is away names its tasks when it is back. */
export function sendTaskLeft({ ports }: ActorSystem, sessionId: string, taskId: string): void {
  ports.outbox.send(sessionId, { type: 'task_error', taskId, error: TO_BROWSER.taskLeft })
}

/** [U4] Whether a browser may have the files of a task: its own browser, or any of its pool, in which it may go on. */
export const isBrowserOf = (
  { browserSessionId, browser }: TaskRecord,
  { id, pool }: Pick<SessionRecord, 'id' | 'pool'>,
): boolean => browserSessionId === id || (browser?.pool != null && pool?.pool === browser.pool)
