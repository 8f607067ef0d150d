import { sessionAddress, taskAddress } from '../../machines/addresses.ts'
import { currentRequest } from '../../machines/agent-loop.ts'
import type { LogEntry } from '../../machines/task-log.ts'
import { ANSWERS } from '../../machines/texts.ts'
import { LOG_ENTRIES_WHOLE_MAX } from '../limits.ts'
import { taskContext } from '../start-facts.ts'
import { closeOrphan } from '../workspace.ts'
import type { ActorSystem } from './actor-system.ts'
import { messageOf } from './effects.ts'
import { StoreDamaged, StoreUnwritable } from './ports.ts'

/** How a task ends that nothing can go on with. */
export const INTERRUPTED = { endedBy: 'restart', answer: ANSWERS.restart, failure: 'internal' } as const

/** [D23] Sets aside what is kept and cannot be read: one line in the log, and health tells how much there is of it. */
export function setAside(
  { damaged, ports }: Pick<ActorSystem, 'damaged' | 'ports'>,
  what: string,
  error: unknown,
): void {
  if (damaged.has(what)) return
  damaged.add(what)
  ports.log.error({ what, err: messageOf(error) }, 'What was kept is damaged: it is set aside, and all else goes on')
}

/** Whether it fails for good: a store that is away may give it later. */
export const isDamage = (error: unknown): boolean =>
  error instanceof StoreDamaged || !(error instanceof StoreUnwritable)

/** [D23] Ends a running task whose log cannot be read: without it the task would begin again, or wait for its deadline. */
export function endUnreadable(system: ActorSystem, taskId: string, error: unknown): void {
  const { registry, ports } = system
  setAside(system, `log ${taskId}`, error)
  const context = taskContext(system, taskId)
  if (!context) return
  const requestId = currentRequest(context)
  registry.stop(taskAddress(taskId))
  if (requestId) registry.post(sessionAddress(context.sessionId), { type: 'call.abandon', requestId })
  const { step: steps, usage } = context
  ports.store.tasks.get(taskId).then(
    (record) => record && closeOrphan(system, { ...record, steps, usage }, INTERRUPTED, ports.clock.now()),
    // The sweep ends it.
    (failed: unknown) => ports.log.warn({ taskId, err: messageOf(failed) }, 'A task without its log was not ended yet'),
  )
}

/**
 * The log of a running task, which ends at `last` or later.
 * @throws StoreDamaged when some of it is missing
 */
export function wholeLog(taskId: string, log: readonly LogEntry[], last: number): readonly LogEntry[] {
  const end = log.at(-1)?.n ?? 0
  // Of a longer one what no conversation needs may have been removed. Those of versions without events begin below 1.
  const numbered = log.flatMap(({ n }) => (n >= 1 ? [n] : []))
  const isWhole = end > LOG_ENTRIES_WHOLE_MAX || numbered.every((n, at) => n === at + 1)
  if (end < last || !isWhole) throw new StoreDamaged('log', taskId)
  return log
}
