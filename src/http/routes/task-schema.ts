import type { Refusal, TaskService, Waiting } from '../../../actors/task-service.ts'
import { REFUSALS, type RefusalCode, refusalText } from '../../../machines/failures.ts'
import { SECOND_MS } from '../../../machines/limits.ts'
import type { HttpDeps } from '../deps.ts'
import { badField, refuse, refusedStart } from '../refusals.ts'
import type { Response } from '../transport.ts'
import { withLimits } from './task-waiting.ts'

interface Start {
  readonly workspaceId: string
  /** JSON of the schema that its output is to fit, as it was given. */
  readonly outputSchema: string
  readonly waiting: Waiting | null
}

/**
 * [T63] The `output_schema` of a start as its task will use it, or why the start is refused before the workspace decides on it. What costs
 * nothing comes first: for a start for which there is no room nothing is resolved or compiled.
 */
export async function checkedSchema(
  { taskService, checkSchema }: Pick<HttpDeps, 'taskService' | 'checkSchema'>,
  start: Start,
): Promise<string | Response> {
  const limited = await limitRefusal(taskService, start)
  if (limited) return limited
  const checked = await checkSchema(start.workspaceId, start.outputSchema)
  if (checked === 'too_many_schemas') return refuse(checked)
  return 'schema' in checked ? checked.schema : badField('output_schema_invalid', `output_schema ${checked.fault}`)
}

/** [T7–T9] Of the limits that refuse a start whatever else it is. The workspace looks at them again when it decides. */
async function limitRefusal(taskService: TaskService, { workspaceId, waiting }: Start): Promise<Response | null> {
  const allowance = await taskService.allowance(workspaceId)
  const left = await taskService.limitsLeft(workspaceId)
  const refused = (code: RefusalCode, message: string, more: Partial<Refusal> = {}) =>
    withLimits(refusedStart({ code, message, allowance: null, retryAfterSeconds: null, ...more }), left)
  if (allowance.freeRemaining !== null && allowance.freeRemaining + allowance.creditBalance <= 0)
    return refused('no_allowance', REFUSALS.no_allowance, { allowance })
  if (waiting?.onLimit) return null
  const limits = { ...left, queuedTasks: 0 }
  const retryAfterSeconds = Math.max(1, Math.ceil(left.resetMs / SECOND_MS))
  if (left.starts === 0) return refused('rate_limited', refusalText('rate_limited', limits), { retryAfterSeconds })
  return left.slots === 0 ? refused('too_many_running', refusalText('too_many_running', limits)) : null
}
