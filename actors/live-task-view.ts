import { closingAddress, taskAddress } from '../machines/addresses.ts'
import type { TaskRecord } from '../machines/records.ts'
import type { TaskContext } from '../machines/task-types.ts'
import { leafOf } from './events/task-events.ts'
import { queueView } from './queue.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import type { TaskView } from './task-service.ts'

/** Adds the live fields to the record, which is a copy. */
export function taskView(system: ActorSystem, record: TaskRecord): TaskView {
  if (record.status !== 'running') return Object.assign(record, { state: 'closed' })
  const seq = system.events.keptTo(record.id)
  return Object.assign(runningView(system, record), seq === undefined ? {} : { seq })
}

function runningView(system: ActorSystem, record: TaskRecord): TaskView {
  const live = system.registry.snapshot(taskAddress(record.id))
  if (live) {
    const { step, usage, begun, deadlineAt, pausedBy, inputRequest, pool, sessionId } = live.context as TaskContext
    const state = pausedBy.length > 0 ? 'paused' : leafOf(live.value)
    const own = pool === null ? {} : { browserSessionId: sessionId }
    const view = Object.assign(record, { steps: step, usage, state, inputRequest, pausedBy, ...own })
    return begun ? Object.assign(view, { deadlineAt }) : Object.assign(view, { queue: queueView(system, record) })
  }
  const closing = system.registry.snapshot(closingAddress(record.id))
  if (!closing) return Object.assign(record, { state: 'starting' })
  const { steps, usage, endedBy, browserSessionId = record.browserSessionId } = closing.context.ending
  const view = Object.assign(record, { steps, usage, browserSessionId, state: leafOf(closing.value) })
  return endedBy === 'crash' && steps === 0 ? Object.assign(view, { isLeft: true as const }) : view
}
