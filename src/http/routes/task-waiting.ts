import type { LimitsLeft, StartedTask, Waiting } from '../../../actors/task-service.ts'
import { SECOND_MS, START_WINDOW_MS } from '../../../machines/limits.ts'
import { PRIORITY_DEFAULT, QUEUE_TTL_S_DEFAULT, WAIT_TTL_S_DEFAULT } from '../../wire/limits.ts'
import type { TaskCreated, WaitingFields } from '../../wire/tasks.ts'
import type { Response } from '../transport.ts'
import { queueJson } from './task-json.ts'

/** [T59, T60] What a start waits for; `null`: nothing, it is refused. */
export const waitingOf = (body: WaitingFields): Waiting | null =>
  body.on_limit === 'queue' || body.on_away === 'wait'
    ? {
        onLimit: body.on_limit === 'queue',
        priority: body.priority ?? PRIORITY_DEFAULT,
        queueTtlMs: (body.queue_ttl_s ?? QUEUE_TTL_S_DEFAULT) * SECOND_MS,
        onAway: body.on_away === 'wait',
        waitTtlMs: (body.wait_ttl_s ?? WAIT_TTL_S_DEFAULT) * SECOND_MS,
      }
    : null

/** [T20, T59] The answer to a start. */
export const createdJson = (task: StartedTask): TaskCreated => ({
  id: task.id,
  status: 'running',
  task: task.task,
  browser_session_id: task.browserSessionId,
  created_at: task.createdAt,
  ...(task.queue ? { state: 'queued' as const, queue: queueJson(task.queue) } : {}),
})

/** [E27] The answer with what is left of the limits (draft-ietf-httpapi-ratelimit-headers-11). */
export function withLimits(response: Response, limits: LimitsLeft): Response {
  const { starts, resetMs, slots, startsPerMinute, runningTasks } = limits
  const policy = `"starts";q=${startsPerMinute};w=${START_WINDOW_MS / SECOND_MS}, "running";q=${runningTasks};qu="concurrent-requests"`
  const reset = resetMs > 0 ? `;t=${Math.ceil(resetMs / SECOND_MS)}` : ''
  const left = `"starts";r=${starts}${reset}, "running";r=${slots}`
  return { ...response, headers: [...response.headers, ['RateLimit-Policy', policy], ['RateLimit', left]] }
}
