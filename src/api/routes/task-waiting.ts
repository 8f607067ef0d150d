import type { LimitsLeft, Refusal, TaskService, Waiting } from '../../../actors/task-service.ts'
import { REFUSALS, type RefusalCode, refusalText } from '../../../machines/failures.ts'
import { SECOND_MS, START_WINDOW_MS } from '../../../machines/limits.ts'
import type { Response } from '../../net/transport.ts'
import { PRIORITY_DEFAULT, QUEUE_TTL_S_DEFAULT, WAIT_TTL_S_DEFAULT } from '../../wire/limits.ts'
import type { WaitingFields } from '../../wire/tasks.ts'
import { refusedStart } from '../refusals.ts'

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

/** [E27] The answer with what is left of the limits (draft-ietf-httpapi-ratelimit-headers-11). */
export function withLimits(response: Response, limits: LimitsLeft): Response {
  const { starts, resetMs, slots, startsPerMinute, runningTasks } = limits
  const policy = `"starts";q=${startsPerMinute};w=${START_WINDOW_MS / SECOND_MS}, "running";q=${runningTasks};qu="concurrent-requests"`
  const reset = resetMs > 0 ? `;t=${Math.ceil(resetMs / SECOND_MS)}` : ''
  const left = `"starts";r=${starts}${reset}, "running";r=${slots}`
  return { ...response, headers: [...response.headers, ['RateLimit-Policy', policy], ['RateLimit', left]] }
}

/**
 * [T7, T8] Refuses a start that has no allowance, or no start left in this minute, before anything is fetched or compiled
 * for it. Resolves to `null` when the workspace is to decide. Running tasks (T9) are left to it, because a start that they
 * refuse counts against the rate.
 */
export async function refusedEarly(
  taskService: Pick<TaskService, 'allowance' | 'limitsLeft'>,
  { workspaceId, waiting }: { readonly workspaceId: string; readonly waiting: Waiting | null },
): Promise<Response | null> {
  const allowance = await taskService.allowance(workspaceId)
  const left = await taskService.limitsLeft(workspaceId)
  const refused = (code: RefusalCode, message: string, more: Partial<Refusal> = {}) =>
    withLimits(refusedStart({ code, message, allowance: null, retryAfterSeconds: null, ...more }), left)
  if (allowance.freeRemaining !== null && allowance.freeRemaining + allowance.creditBalance <= 0)
    return refused('no_allowance', REFUSALS.no_allowance, { allowance })
  if (left.starts > 0 || waiting?.onLimit) return null
  const retryAfterSeconds = Math.max(1, Math.ceil(left.resetMs / SECOND_MS))
  return refused('rate_limited', refusalText('rate_limited', { ...left, queuedTasks: 0 }), { retryAfterSeconds })
}
