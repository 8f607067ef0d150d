import type { StartReads } from '../../../actors/task-service.ts'
import { NO_USAGE, type TaskRequest } from '../../../machines/records.ts'
import { costLimitOf, withDefaults } from '../../../machines/workspace-limits.ts'
import type { Response } from '../../net/transport.ts'
import type { HttpDeps } from '../deps.ts'
import { badField } from '../refusals.ts'

/** [L35] What the operator of the service allows. */
export function checkSteps({ maxSteps }: TaskRequest, most: number): Response | null {
  if (!maxSteps || maxSteps <= most) return null
  return badField('max_steps_invalid', `max_steps must be at most ${most} in this service`)
}

/** [L35, L36, O9] What the parser cannot know: which models there are, which of them has a price, what the workspace may. */
export async function checkModel(
  { taskService, store, prices }: Pick<HttpDeps, 'taskService' | 'store' | 'prices'>,
  { model, maxCostUsd }: TaskRequest,
  workspaceId: string,
  reads: StartReads | undefined,
): Promise<Response | null> {
  const models = taskService.models()
  if (model && !models.includes(model)) {
    return badField('model_invalid', `model must be one of ${models.join(', ')}`)
  }
  const asked = model ?? models[0] ?? ''
  const hasPrice = prices.costUsd(asked, NO_USAGE) !== null
  if (!maxCostUsd && hasPrice) return null
  const limits = await (reads?.limits ?? store.limits.get(workspaceId).then(withDefaults))
  const most = limits.maxCostUsdMax
  if (maxCostUsd && most !== null && maxCostUsd > most)
    return badField('max_cost_usd_invalid', `max_cost_usd must be at most ${most} in this workspace`)
  if (costLimitOf(maxCostUsd, limits) === null || hasPrice) return null
  return badField('max_cost_usd_invalid', `max_cost_usd needs a model with a known price: ${asked} has none`)
}
