import type { LimitsLeft } from '../../actors/task-service.ts'
import { SECOND_MS, START_WINDOW_MS } from '../../machines/limits.ts'
import type { Response } from '../net/transport.ts'

/** [E27] The answer with what is left of the limits (draft-ietf-httpapi-ratelimit-headers-11). */
export function withLimits(response: Response, limits: LimitsLeft): Response {
  const { starts, resetMs, slots, startsPerMinute, runningTasks } = limits
  const policy = `"starts";q=${startsPerMinute};w=${START_WINDOW_MS / SECOND_MS}, "running";q=${runningTasks};qu="concurrent-requests"`
  const reset = resetMs > 0 ? `;t=${Math.ceil(resetMs / SECOND_MS)}` : ''
  const left = `"starts";r=${starts}${reset}, "running";r=${slots}`
  return { ...response, headers: [...response.headers, ['RateLimit-Policy', policy], ['RateLimit', left]] }
}
